# SPDX-License-Identifier: MIT
"""Arithmetic element by element; shapes broadcast by numpy's rules, which are MPSGraph's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..typing import Array
from .builder import Builder, refuse
from .shape_ops import sum_to
from .tensor import Kind, Operation, Tensor

if TYPE_CHECKING:
    from .graph import Graph
    from .tensor import Gradients


def _of(ufunc: np.ufunc) -> Callable[[Operation, Sequence[Array], Array], None]:
    def compute(operation: Operation, inputs: Sequence[Array], out: Array) -> None:
        ufunc(*inputs, out=out)

    return compute


def _binary(
    label: str, ufunc: np.ufunc, of_first: Callable[..., Tensor], of_second: Callable[..., Tensor]
) -> Kind:
    def gradient(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
        a, b = result.operation.inputs
        return (
            lambda: sum_to(graph, of_first(graph, g, a, b), a.shape),
            lambda: sum_to(graph, of_second(graph, g, a, b), b.shape),
        )

    return Kind(label, _of(ufunc), gradient, in_place=True)


def _unary(label: str, ufunc: np.ufunc, of_input: Callable[..., Tensor]) -> Kind:
    def gradient(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
        (x,) = result.operation.inputs
        return (lambda: of_input(graph, g, x, result),)

    return Kind(label, _of(ufunc), gradient, in_place=True)


def _quotient_by_second(graph: Graph, g: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return graph.negative(graph.division(graph.multiplication(g, a), graph.square(b)))


def _square(graph: Graph, g: Tensor, x: Tensor, result: Tensor) -> Tensor:
    return graph.multiplication(g, graph.multiplication(x, graph.constant(2, x.dtype)))


def _square_root(graph: Graph, g: Tensor, x: Tensor, result: Tensor) -> Tensor:
    return graph.division(graph.multiplication(g, graph.constant(0.5, x.dtype)), result)


ADDITION = _binary("addition", np.add, lambda graph, g, a, b: g, lambda graph, g, a, b: g)
SUBTRACTION = _binary(
    "subtraction", np.subtract, lambda graph, g, a, b: g, lambda graph, g, a, b: graph.negative(g)
)
MULTIPLICATION = _binary(
    "multiplication",
    np.multiply,
    lambda graph, g, a, b: graph.multiplication(g, b),
    lambda graph, g, a, b: graph.multiplication(g, a),
)
DIVISION = _binary(
    "division", np.true_divide, lambda graph, g, a, b: graph.division(g, b), _quotient_by_second
)
NEGATIVE = _unary("negative", np.negative, lambda graph, g, x, result: graph.negative(g))
SQUARE = _unary("square", np.square, _square)
SQUARE_ROOT = _unary("square_root", np.sqrt, _square_root)
EXPONENT = _unary("exponent", np.exp, lambda graph, g, x, result: graph.multiplication(g, result))
LOGARITHM = _unary("logarithm", np.log, lambda graph, g, x, result: graph.division(g, x))


class ArithmeticOps(Builder):
    """MPSGraph's arithmetic operations.

    Tensors of two-operand methods have one dtype and shapes that broadcast; each method takes
    ``name`` and raises ValueError or TypeError, led by it, for anything else.
    """

    def _arithmetic(self, kind: Kind, a: Tensor, b: Tensor, name: str | None) -> Tensor:
        label = name or kind.label
        self._check(label, primary_tensor=a, secondary_tensor=b)
        try:
            shape: tuple[Any, ...] = np.broadcast_shapes(a.shape, b.shape)
        except ValueError:
            refuse(label, "secondary_tensor", f"a shape that broadcasts with {a.shape}", b.shape)
        return self._insert(kind, name, (a, b), shape, a.dtype)

    def _elementwise(self, kind: Kind, x: Tensor, name: str | None, **attributes: Any) -> Tensor:
        self._check(name or kind.label, tensor=x)
        return self._insert(kind, name, (x,), x.shape, x.dtype, **attributes)

    def addition(
        self, primary_tensor: Tensor, secondary_tensor: Tensor, name: str | None = None
    ) -> Tensor:
        """Insert a sum; a bias is one with a shape such as (1, C, 1, 1).

        Examples
        --------
        >>> from convtranspose import Graph
        >>> graph = Graph()
        >>> result = graph.addition(graph.placeholder((2, 3)), graph.constant([1, 2, 3]))
        >>> result.shape
        (2, 3)
        """
        return self._arithmetic(ADDITION, primary_tensor, secondary_tensor, name)

    def subtraction(
        self, primary_tensor: Tensor, secondary_tensor: Tensor, name: str | None = None
    ) -> Tensor:
        """Insert a difference."""
        return self._arithmetic(SUBTRACTION, primary_tensor, secondary_tensor, name)

    def multiplication(
        self, primary_tensor: Tensor, secondary_tensor: Tensor, name: str | None = None
    ) -> Tensor:
        """Insert a product, element by element."""
        return self._arithmetic(MULTIPLICATION, primary_tensor, secondary_tensor, name)

    def division(
        self, primary_tensor: Tensor, secondary_tensor: Tensor, name: str | None = None
    ) -> Tensor:
        """Insert a quotient."""
        return self._arithmetic(DIVISION, primary_tensor, secondary_tensor, name)

    def negative(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Insert a change of sign."""
        return self._elementwise(NEGATIVE, tensor, name)

    def square(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Insert a square."""
        return self._elementwise(SQUARE, tensor, name)

    def square_root(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Insert a square root."""
        return self._elementwise(SQUARE_ROOT, tensor, name)

    def exponent(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Insert e to the power of the tensor."""
        return self._elementwise(EXPONENT, tensor, name)

    def logarithm(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """Insert a natural logarithm."""
        return self._elementwise(LOGARITHM, tensor, name)

    def stochastic_gradient_descent(
        self, learning_rate: Tensor, values: Tensor, gradient: Tensor, name: str | None = None
    ) -> Tensor:
        """Insert ``values - learning_rate * gradient``, for `assign` to store.

        Examples
        --------
        >>> from convtranspose import Graph
        >>> graph = Graph()
        >>> x = graph.variable(3.0)
        >>> gradient = graph.gradients(graph.square(x), [x])[x]
        >>> updated = graph.stochastic_gradient_descent(graph.constant(0.25), x, gradient)
        >>> step = graph.assign(x, updated)
        >>> for _ in range(3):
        ...     print(graph.run({}, [x], [step])[x])
        3.0
        1.5
        0.75
        """
        change = self.multiplication(learning_rate, gradient, name)
        return self.subtraction(values, change, name)
