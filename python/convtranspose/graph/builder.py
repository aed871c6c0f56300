# SPDX-License-Identifier: MIT
"""How an operation gets into a graph, and what is checked of its arguments."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, cast

import numpy as np
import numpy.typing as npt

from .tensor import Kind, Operation, Tensor

if TYPE_CHECKING:
    from .graph import Graph

DTYPES = ("float32", "float64", "float16", "bfloat16")


def refuse(
    name: str, argument: str, expected: str, got: object, error: type[Exception] = ValueError
) -> NoReturn:
    """Raise with which argument of what, what was expected and what came."""
    raise error(f"{name}: {argument}: expected {expected}, got {got}")


def dtype_argument(name: str, dtype: npt.DTypeLike) -> np.dtype[Any]:
    """One of the four dtypes."""
    found = np.dtype(dtype)
    if found.name not in DTYPES or not found.isnative:
        refuse(name, "dtype", "float32, float64, float16 or bfloat16", found, TypeError)
    return found


def shape_argument(name: str, shape: Iterable[SupportsIndex]) -> tuple[int, ...]:
    """Sizes, none negative."""
    try:
        sizes = tuple(operator.index(size) for size in shape)
    except TypeError:
        refuse(name, "shape", "a sequence of integers", repr(shape), TypeError)
    if any(size < 0 for size in sizes):
        refuse(name, "shape", "sizes of at least 0", sizes)
    return sizes


def axes_argument(
    name: str, argument: str, axes: SupportsIndex | Iterable[SupportsIndex], rank: int
) -> tuple[int, ...]:
    """Different axes of a tensor of this rank, none negative, in order."""
    given = axes if isinstance(axes, Iterable) else (axes,)
    numbers = [operator.index(axis) for axis in given]
    if any(not -rank <= axis < rank for axis in numbers):
        refuse(name, argument, f"axes of a tensor of rank {rank}", tuple(numbers))
    resolved = sorted(axis % rank for axis in numbers)
    if len(set(resolved)) != len(resolved):
        refuse(name, argument, "each axis once", tuple(numbers))
    return tuple(resolved)


class Builder:
    """A list of operations; the classes of operations add the methods that insert one."""

    def __init__(self) -> None:
        self._operations: list[Operation] = []

    @property
    def operations(self) -> tuple[Operation, ...]:
        """All operations, in the order of their insertion."""
        return tuple(self._operations)

    def _append(
        self, kind: Kind, name: str | None, inputs: Sequence[Tensor], attributes: Mapping[str, Any]
    ) -> Operation:
        operation = Operation(
            kind,
            kind.label if name is None else name,
            tuple(inputs),
            attributes,
            len(self._operations),
            cast("Graph", self),
        )
        self._operations.append(operation)
        return operation

    def _insert(
        self,
        kind: Kind,
        name: str | None,
        inputs: Sequence[Tensor],
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        **attributes: Any,
    ) -> Tensor:
        return Tensor(self._append(kind, name, inputs, attributes), shape, dtype)

    def _check(self, name: str, /, **tensors: object) -> None:
        """Each argument is a tensor of this graph, and all have one dtype."""
        first: tuple[str, Tensor] | None = None
        for argument, tensor in tensors.items():
            if not isinstance(tensor, Tensor):
                refuse(name, argument, "a tensor of the graph", type(tensor).__name__, TypeError)
            if tensor.operation.graph is not cast("Graph", self):
                refuse(name, argument, "a tensor of this graph", "one of another graph")
            first = first or (argument, tensor)
            if tensor.dtype != first[1].dtype:
                expected = f"the dtype of {first[0]}, {first[1].dtype}"
                refuse(name, argument, expected, tensor.dtype, TypeError)
