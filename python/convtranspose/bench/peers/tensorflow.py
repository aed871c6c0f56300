# SPDX-License-Identifier: MIT
"""TensorFlow: the raw convolution kernels in NHWC, traced, weights as constants of the graph."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

# Chosen before the import: on a CPU without AVX-512 VNNI TensorFlow would leave oneDNN off and run
# kernels that were built for SSE.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf

from ..candidate import Candidate, Unsupported, from_hwio, from_nhwc, to_hwio, to_nhwc
from ..operands import DATA_GRADIENT, FORWARD, WEIGHTS_GRADIENT, Array, Operands
from ..problem import Problem

LIBRARY = "TensorFlow"
VERSION = tf.__version__
DTYPES = ("float32",)

_DENSE = {
    FORWARD: "Conv2DBackpropInput",
    DATA_GRADIENT: "Conv2D",
    WEIGHTS_GRADIENT: "Conv2DBackpropFilter",
}
_DEPTHWISE = {
    FORWARD: "DepthwiseConv2dNativeBackpropInput",
    DATA_GRADIENT: "DepthwiseConv2dNative",
    WEIGHTS_GRADIENT: "DepthwiseConv2dNativeBackpropFilter",
}


def candidates(operands: Operands, threads: int) -> Iterator[Candidate]:
    _set_threads(threads)
    problem = operands.problem
    knows_explicit = problem.dilation == (1, 1) or operands.op == DATA_GRADIENT
    for name, padding in _paddings(problem).items():
        if name == "explicit" and not knows_explicit:
            raise Unsupported("its convolution gradients know no dilation with explicit padding")
        yield _candidate(operands, f"tensorflow {name}", padding)
        if operands.op == DATA_GRADIENT:
            return  # the forward convolution reaches oneDNN either way


def _candidate(operands: Operands, name: str, padding: dict[str, object]) -> Candidate:
    last: list[tf.Tensor] = []
    compute = tf.function(_traceable(operands, padding)).get_concrete_function()

    def run() -> None:
        last[:] = [compute()]

    def result() -> Array:
        array: Array = last[0].numpy()
        if operands.op != WEIGHTS_GRADIENT:
            return from_nhwc(array)
        return array.transpose(2, 3, 0, 1) if _is_depthwise(operands.problem) else from_hwio(array)

    return Candidate(name, LIBRARY, "NHWC", True, run, result)


def _set_threads(threads: int) -> None:
    """TensorFlow fixes its thread pools at its first call."""
    if tf.config.threading.get_intra_op_parallelism_threads() != threads:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(1)


def _traceable(operands: Operands, padding: dict[str, object]) -> Callable[[], tf.Tensor]:
    problem = operands.problem
    depthwise = _is_depthwise(problem)
    if problem.groups > 1 and not depthwise and operands.op != DATA_GRADIENT:
        raise Unsupported("its convolution gradients know no groups")
    if depthwise and (problem.stride[0] != problem.stride[1] or problem.dilation != (1, 1)):
        raise Unsupported("its depthwise convolution knows neither unequal strides nor dilation")
    kernels = _DEPTHWISE if depthwise else _DENSE
    kernel = getattr(tf.raw_ops, kernels[operands.op])
    arguments = {
        "strides": [1, *problem.stride, 1],
        "dilations": [1, *problem.dilation, 1],
        "data_format": "NHWC",
        **padding,
    }
    weights = to_hwio(operands.weights)
    if depthwise:
        weights = weights.swapaxes(2, 3)

    if operands.op == FORWARD:
        batch, channels, height, width = problem.output_shape
        extent = [batch, height, width, channels]
        source = tf.constant(to_nhwc(operands.source))
        return lambda: kernel(input_sizes=extent, filter=weights, out_backprop=source, **arguments)
    gradient = tf.constant(to_nhwc(operands.incoming_gradient))
    if operands.op == DATA_GRADIENT:
        return lambda: kernel(input=gradient, filter=weights, **arguments)
    source = tf.constant(to_nhwc(operands.source))
    return lambda: kernel(
        input=gradient, filter_sizes=weights.shape, out_backprop=source, **arguments
    )


def _is_depthwise(problem: Problem) -> bool:
    return problem.source_shape[1] == problem.output_shape[1] == problem.groups > 1


def _paddings(problem: Problem) -> dict[str, dict[str, object]]:
    """The ways to say this padding, by name: they reach different kernels of the gradients.

    A named padding reaches oneDNN's direct kernels, an explicit one a matrix product (67 and 31
    GFLOP/s forward on a 512-channel 3 x 3 layer, but 30 and 56 for its weights gradient).
    """
    left, right, top, bottom = problem.padding
    paddings: dict[str, dict[str, object]] = {}
    if problem.padding == (0, 0, 0, 0):
        paddings["valid"] = {"padding": "VALID"}
    elif all(_is_same(problem, axis) for axis in range(2)):
        paddings["same"] = {"padding": "SAME"}
    explicit = [0, 0, top, bottom, left, right, 0, 0]
    paddings["explicit"] = {"padding": "EXPLICIT", "explicit_paddings": explicit}
    return paddings


def _is_same(problem: Problem, axis: int) -> bool:
    """Whether TensorFlow's SAME resolves to the problem's padding and source extent."""
    extent, stride = problem.output_shape[2 + axis], problem.stride[axis]
    reach = (problem.kernel[axis] - 1) * problem.dilation[axis] + 1
    source = -(-extent // stride)
    total = max((source - 1) * stride + reach - extent, 0)
    return source == problem.source_shape[2 + axis] and problem.pads(axis)[0] == total // 2
