# SPDX-License-Identifier: MIT
"""PyTorch: eager in both memory formats, and with oneDNN weights reordered ahead of the call.

PyTorch knows symmetric padding only. Where the problem's is not, the smallest call that covers it
runs and the result is a view into its output: the crop costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from ..candidate import Candidate
from ..operands import DATA_GRADIENT, FORWARD, WEIGHTS_GRADIENT, Operands
from ..problem import Problem

LIBRARY = "PyTorch"
VERSION = torch.__version__
DTYPES = ("float32", "float64", "float16", "bfloat16")

_FORMATS = {"NCHW": torch.contiguous_format, "NHWC": torch.channels_last}


@dataclass(frozen=True)
class _Call:
    """PyTorch's arguments and the window of its output that is the problem's result."""

    stride: list[int]
    padding: list[int]
    output_padding: list[int]
    dilation: list[int]
    groups: int
    window: tuple[slice, slice]
    output_extent: tuple[int, int]

    @classmethod
    def of(cls, problem: Problem) -> _Call:
        padding, output_padding, window, extents = [], [], [], []
        for axis in range(2):
            leading, trailing = problem.pads(axis)
            extra = problem.slack(axis) + leading - trailing
            if extra < problem.stride[axis]:
                symmetric, beyond = leading, max(0, extra)
            else:
                symmetric, beyond = 0, problem.slack(axis)
            begin = leading - symmetric
            length = problem.output_shape[2 + axis]
            full = length + leading + trailing - problem.slack(axis)
            padding.append(symmetric)
            output_padding.append(beyond)
            window.append(slice(begin, begin + length))
            extents.append(full - 2 * symmetric + beyond)
        return cls(
            stride=list(problem.stride),
            padding=padding,
            output_padding=output_padding,
            dilation=list(problem.dilation),
            groups=problem.groups,
            window=(window[0], window[1]),
            output_extent=(extents[0], extents[1]),
        )

    def crop(self, output: torch.Tensor) -> torch.Tensor:
        return output[:, :, self.window[0], self.window[1]]

    def uncrop(self, result: torch.Tensor) -> torch.Tensor:
        if tuple(result.shape[2:]) == self.output_extent:
            return result
        output = result.new_zeros((*result.shape[:2], *self.output_extent))
        self.crop(output).copy_(result)
        return output


def set_threads(threads: int) -> None:
    torch.set_num_threads(threads)


def candidates(operands: Operands, threads: int) -> Iterator[Candidate]:
    set_threads(threads)
    call = _Call.of(operands.problem)
    for layout, memory_format in _FORMATS.items():
        yield _eager(operands, call, layout, memory_format)
        if operands.op != WEIGHTS_GRADIENT and operands.dtype == "float32":
            yield _prepacked(operands, call, layout, memory_format)


def reference(operands: Operands) -> np.ndarray[Any, Any]:
    """The result in the operands' own dtype, for float64 operands the bench's yardstick."""
    with torch.inference_mode():
        call = _Call.of(operands.problem)
        return _eager(operands, call, "NCHW", torch.contiguous_format).result()


def _eager(
    operands: Operands, call: _Call, layout: str, memory_format: torch.memory_format
) -> Candidate:
    def tensor(array: np.ndarray[Any, Any]) -> torch.Tensor:
        return _tensor(array).to(memory_format=memory_format)

    last: list[torch.Tensor] = []
    weights = tensor(operands.weights)
    if operands.op == FORWARD:
        source = tensor(operands.source)

        def compute() -> torch.Tensor:
            output = torch.conv_transpose2d(
                source,
                weights,
                None,
                call.stride,
                call.padding,
                call.output_padding,
                call.groups,
                call.dilation,
            )
            return call.crop(output)
    else:
        source = tensor(operands.source)
        gradient = call.uncrop(tensor(operands.incoming_gradient))
        gradient = gradient.to(memory_format=memory_format)
        position = 0 if operands.op == DATA_GRADIENT else 1
        mask = [operands.op == DATA_GRADIENT, operands.op == WEIGHTS_GRADIENT, False]

        def compute() -> torch.Tensor:
            gradients = torch.ops.aten.convolution_backward(
                gradient,
                source,
                weights,
                None,
                call.stride,
                call.padding,
                call.dilation,
                True,
                call.output_padding,
                call.groups,
                mask,
            )
            result: torch.Tensor = gradients[position]
            return result

    def run() -> None:
        with torch.inference_mode():
            last[:] = [compute()]

    def result() -> np.ndarray[Any, Any]:
        if not last:
            run()
        return _numpy(last[0])

    return Candidate(f"torch {layout}", LIBRARY, layout, False, run, result)


def _prepacked(
    operands: Operands, call: _Call, layout: str, memory_format: torch.memory_format
) -> Candidate:
    """The operators that TorchInductor's freezing calls: weights in oneDNN's own layout."""
    last: list[torch.Tensor] = []
    weights = _tensor(operands.weights)
    geometry = (call.stride, call.dilation, call.groups)
    if operands.op == FORWARD:
        source = _tensor(operands.source).to(memory_format=memory_format)
        packed = torch.ops.mkldnn._reorder_convolution_transpose_weight(
            weights, call.padding, call.output_padding, *geometry, list(source.shape)
        )
        run_packed = torch.ops.mkldnn._convolution_transpose_pointwise
        arguments: tuple[object, ...] = (
            source,
            packed,
            None,
            call.padding,
            call.output_padding,
            *geometry,
        )
    else:
        gradient = call.uncrop(_tensor(operands.incoming_gradient)).to(memory_format=memory_format)
        packed = torch._C._nn.mkldnn_reorder_conv2d_weight(
            weights.to_mkldnn(), call.padding, *geometry, list(gradient.shape)
        )
        run_packed = torch.ops.mkldnn._convolution_pointwise
        arguments = (gradient, packed, None, call.padding, *geometry)

    def run() -> None:
        with torch.inference_mode():
            last[:] = [run_packed(*arguments, "none", [], "")]

    def result() -> np.ndarray[Any, Any]:
        output = last[0]
        return _numpy(call.crop(output) if operands.op == FORWARD else output)

    return Candidate(f"torch {layout} packed", LIBRARY, layout, True, run, result)


def _tensor(array: np.ndarray[Any, Any]) -> torch.Tensor:
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.uint16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _numpy(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    if tensor.dtype == torch.bfloat16:
        tensor = tensor.to(torch.float32)
    array: np.ndarray[Any, Any] = tensor.numpy()
    return array
