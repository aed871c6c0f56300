# SPDX-License-Identifier: MIT
"""Activations. Compiled, they cost nothing after a convolution: its plan applies them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..typing import Array
from .arithmetic_ops import ArithmeticOps
from .builder import refuse
from .tensor import Kind, Operation, Tensor

if TYPE_CHECKING:
    from .graph import Graph
    from .tensor import Gradients

_BLOCK = (
    1 << 15
)  # elements; several passes over a block find it in the cache, temporaries are small


def _in_blocks(
    function: Callable[..., None],
) -> Callable[[Operation, Sequence[Array], Array], None]:
    """``function(attributes, out, *inputs)`` on one stretch of all arrays after another."""

    def compute(operation: Operation, inputs: Sequence[Array], out: Array) -> None:
        arrays = (out, *inputs)
        if all(array.flags.c_contiguous for array in arrays):
            arrays = tuple(array.reshape(-1) for array in arrays)
        for start in range(0, len(arrays[0]), _BLOCK) if out.ndim else (None,):
            part = slice(start, None if start is None else start + _BLOCK)
            function(operation.attributes, *(a[part] if out.ndim else a for a in arrays))

    return compute


def _relu(operation: Operation, inputs: Sequence[Array], out: Array) -> None:
    np.maximum(inputs[0], out.dtype.type(0), out=out)


def _tanh(operation: Operation, inputs: Sequence[Array], out: Array) -> None:
    np.tanh(inputs[0], out=out)


def _leaky_relu(attributes: Any, out: Array, x: Array) -> None:
    negative = x < 0
    np.copyto(out, x)
    np.multiply(out, out.dtype.type(attributes["alpha"]), out=out, where=negative)


def _sigmoid(attributes: Any, out: Array, x: Array) -> None:
    wide = x.astype(np.float32) if x.dtype.itemsize == 2 else x  # so that it rounds once
    with np.errstate(over="ignore"):  # exp(-x) = inf gives the right 0
        out[...] = 1 / (1 + np.exp(-wide))


def _relu_gradient(attributes: Any, out: Array, gradient: Array, source: Array) -> None:
    off = source <= 0
    np.copyto(out, gradient)
    np.copyto(out, 0, where=off)


def _leaky_relu_gradient(attributes: Any, out: Array, gradient: Array, source: Array) -> None:
    negative = source < 0
    np.copyto(out, gradient)
    np.multiply(out, out.dtype.type(attributes["alpha"]), out=out, where=negative)


# Where the result tells the derivative, it stands for the source: nobody else then needs the
# source, and the activation can be fused or written over it.
def _of_relu(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    return (lambda: graph.relu_gradient(g, result),)


def _of_leaky_relu(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    alpha = result.operation.attributes["alpha"]
    source = result if alpha > 0 else result.operation.inputs[0]
    return (lambda: graph.leaky_relu_gradient(g, source, alpha),)


def _of_sigmoid(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    return (lambda: _times_slope(graph, result, g),)


def _times_slope(graph: ArithmeticOps, sigmoid: Tensor, g: Tensor) -> Tensor:
    return graph.multiplication(g, graph.subtraction(sigmoid, graph.square(sigmoid)))


def _of_tanh(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    return (lambda: graph.subtraction(g, graph.multiplication(g, graph.square(result))),)


def _of_relu_gradient(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    return lambda: graph.relu_gradient(g, result.operation.inputs[1]), None


def _of_leaky_relu_gradient(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    alpha, source = result.operation.attributes["alpha"], result.operation.inputs[1]
    return lambda: graph.leaky_relu_gradient(g, source, alpha), None


RELU = Kind("relu", _relu, _of_relu, in_place=True)
LEAKY_RELU = Kind("leaky_relu", _in_blocks(_leaky_relu), _of_leaky_relu, in_place=True)
SIGMOID = Kind("sigmoid", _in_blocks(_sigmoid), _of_sigmoid, in_place=True)
TANH = Kind("tanh", _tanh, _of_tanh, in_place=True)
RELU_GRADIENT = Kind("relu_gradient", _in_blocks(_relu_gradient), _of_relu_gradient, in_place=True)
LEAKY_RELU_GRADIENT = Kind(
    "leaky_relu_gradient",
    _in_blocks(_leaky_relu_gradient),
    _of_leaky_relu_gradient,
    in_place=True,
)


class ActivationOps(ArithmeticOps):
    """MPSGraph's activations and their gradients."""

    def relu(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Insert ``max(tensor, 0)``."""
        return self._elementwise(RELU, tensor, name)

    def leaky_relu(self, tensor: Tensor, alpha: float, name: str | None = None) -> Tensor:
        """Insert ``tensor`` where it is positive, ``alpha * tensor`` where it is negative."""
        return self._elementwise(LEAKY_RELU, tensor, name, alpha=float(alpha))

    def sigmoid(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Insert ``1 / (1 + exp(-tensor))``.

        Examples
        --------
        >>> from convtranspose import Graph
        >>> graph = Graph()
        >>> result = graph.sigmoid(graph.constant([-1000, 0, 1000]))
        >>> graph.run({}, [result])[result]
        array([0. , 0.5, 1. ], dtype=float32)
        """
        return self._elementwise(SIGMOID, tensor, name)

    def tanh(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Insert the hyperbolic tangent."""
        return self._elementwise(TANH, tensor, name)

    def relu_gradient(
        self, incoming_gradient: Tensor, source: Tensor, name: str | None = None
    ) -> Tensor:
        """Insert `relu`'s gradient: 0 where `source` is not positive."""
        return self._masked(RELU_GRADIENT, incoming_gradient, source, name)

    def leaky_relu_gradient(
        self, incoming_gradient: Tensor, source: Tensor, alpha: float, name: str | None = None
    ) -> Tensor:
        """Insert `leaky_relu`'s gradient: ``alpha`` times as much where `source` is negative."""
        kind = LEAKY_RELU_GRADIENT
        return self._masked(kind, incoming_gradient, source, name, alpha=float(alpha))

    def sigmoid_gradient(
        self, incoming_gradient: Tensor, source: Tensor, name: str | None = None
    ) -> Tensor:
        """Insert `sigmoid`'s gradient."""
        return _times_slope(self, self.sigmoid(source, name), incoming_gradient)

    def _masked(
        self, kind: Kind, gradient: Tensor, source: Tensor, name: str | None, **attributes: Any
    ) -> Tensor:
        label = name or kind.label
        self._check(label, incoming_gradient=gradient, source=source)
        if gradient.shape != source.shape:
            refuse(label, "source", f"the gradient's shape, {gradient.shape}", source.shape)
        inputs = (gradient, source)
        return self._insert(kind, name, inputs, gradient.shape, gradient.dtype, **attributes)
