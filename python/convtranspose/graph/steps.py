# SPDX-License-Identifier: MIT
"""What an executable runs: single operations, and convolutions fused into plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .. import (
    ConvolutionTranspose2DDataGradientPlan,
    ConvolutionTranspose2DPlan,
    ConvolutionTranspose2DWeightsGradientPlan,
)
from .._core import TensorNamedDataLayout
from ..typing import Activation, Array
from .memory_ops import VARIABLE, source_value
from .tensor import Operation, Tensor


@dataclass(frozen=True)
class Step:
    """Computes one tensor from others."""

    inputs: tuple[Tensor, ...]
    output: Tensor
    run: Callable[[Sequence[Array], Array], object]
    explain: Callable[[], str]
    in_place: bool = False  # may write over an input of the output's shape


def single(output: Tensor) -> Step:
    """One operation by itself."""
    operation = output.operation
    assert operation.kind.compute is not None
    return Step(
        operation.inputs,
        output,
        partial(operation.kind.compute, operation),
        lambda: f"{operation.name}: {operation.kind.label}",
        operation.kind.in_place,
    )


# The operations whose second operand a plan packs; convolution_2d is a data gradient seen from the
# other side.
_PLANS = {
    "convolution_transpose_2d": ConvolutionTranspose2DPlan,
    "convolution_2d_data_gradient": ConvolutionTranspose2DPlan,
    "convolution_transpose_2d_data_gradient": ConvolutionTranspose2DDataGradientPlan,
    "convolution_2d": ConvolutionTranspose2DDataGradientPlan,
}


def packs(operation: Operation, constants: Mapping[Tensor, Array]) -> bool:
    """True for a convolution whose weights are known before the run."""
    if operation.kind.label not in _PLANS:
        return False
    weights = operation.inputs[1]
    return weights in constants or weights.operation.kind is VARIABLE


class _Packed:
    def __init__(
        self,
        convolution: Operation,
        output: Tensor,
        constants: Mapping[Tensor, Array],
        bias: Tensor | None,
        activation: Activation,
    ) -> None:
        self._output_shape = output.shape
        self._convolution = convolution
        self._constants = constants
        self._packed = (convolution.inputs[1], *(() if bias is None else (bias,)))
        self._activation = activation
        self._current = (self._versions(), self._plan())

    def _versions(self) -> tuple[int, ...]:
        return tuple(
            tensor.operation.attributes["storage"].version
            for tensor in self._packed
            if tensor.operation.kind is VARIABLE
        )

    def _plan(self) -> Any:
        weights, *bias = (
            self._constants[tensor] if tensor in self._constants else source_value(tensor)
            for tensor in self._packed
        )
        attributes = self._convolution.attributes
        return _PLANS[self._convolution.kind.label](
            self._convolution.inputs[0].shape,
            weights,  # type: ignore[arg-type]
            self._output_shape,
            attributes["descriptor"],
            self._convolution.name,
            bias=None if not bias else np.ravel(bias[0]),  # type: ignore[arg-type]
            activation=self._activation,
            strict=attributes["strict"],
        )

    def run(self, inputs: Sequence[Array], out: Array) -> None:
        versions, plan = self._current
        if versions != self._versions():
            self._current = versions, plan = self._versions(), self._plan()
        plan(inputs[0], out)

    def explain(self) -> str:
        bias = " + bias" * (len(self._packed) > 1)
        activation = "" if self._activation is None else f" + {self._activation}"
        return f"{self._current[1].explain()}{bias}{activation}"


def packed(
    convolution: Operation,
    output: Tensor,
    constants: Mapping[Tensor, Array],
    bias: Tensor | None = None,
    activation: Activation = None,
) -> Step:
    """A convolution with its weights packed, and with a bias and an activation if they follow it.

    Weights and bias that are variables are packed again when they have been assigned.
    """
    plan = _Packed(convolution, output, constants, bias, activation)
    return Step(convolution.inputs[:1], output, plan.run, plan.explain)


def weights_gradient(output: Tensor) -> Step:
    """A weights gradient; there is nothing to pack, but its algorithm is chosen once."""
    operation = output.operation
    transposed = operation.kind.label == "convolution_transpose_2d_weights_gradient"
    # The two families differ in which operand is the transposed convolution's result.
    inputs = operation.inputs if transposed else operation.inputs[::-1]
    plan = ConvolutionTranspose2DWeightsGradientPlan(
        inputs[0].shape,
        inputs[1].shape,
        output.shape,
        operation.attributes["descriptor"],
        operation.name,
        dtype=output.dtype,
        strict=operation.attributes["strict"],
    )
    return Step(inputs, output, lambda arrays, out: plan(arrays[0], arrays[1], out), plan.explain)


def is_channel_bias(tensor: Tensor, convolution: Tensor) -> bool:
    """True when adding `tensor` adds one number a channel."""
    layout = convolution.operation.attributes["descriptor"].data_layout
    channel = 1 if layout == TensorNamedDataLayout.NCHW else 3
    shape = (1,) * (4 - len(tensor.shape)) + tensor.shape
    expected = [1] * 4
    expected[channel] = convolution.shape[channel]
    return shape == tuple(expected)
