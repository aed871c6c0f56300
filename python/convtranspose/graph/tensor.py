# SPDX-License-Identifier: MIT
"""What a graph is made of: operations and the tensors between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..typing import Array

if TYPE_CHECKING:
    from .graph import Graph

    # One a gradient of an input; only those that are needed are called and insert operations.
    Gradients: TypeAlias = Sequence[Callable[[], "Tensor"] | None]


@dataclass(frozen=True)
class Kind:
    """What all operations of one kind share.

    ``compute(operation, inputs, out)`` writes the result; it is None for placeholders, constants
    and variables. ``gradient(graph, result, incoming_gradient)`` has an entry an input: None where
    the derivative is zero everywhere.
    """

    label: str
    compute: Callable[[Operation, Sequence[Array], Array], None] | None = None
    gradient: Callable[[Graph, Tensor, Tensor], Gradients] | None = None
    in_place: bool = False  # may write over an input of the result's shape that nobody needs again


@dataclass(frozen=True, eq=False)
class Operation:
    """An operation in a graph: what the inserting methods leave behind."""

    kind: Kind
    name: str
    inputs: tuple[Tensor, ...]
    attributes: Mapping[str, Any]
    number: int  # in the order of insertion, so inputs always come first
    graph: Graph

    def __repr__(self) -> str:
        return f"<{self.kind.label} {self.name!r}>"


@dataclass(frozen=True, eq=False)
class Tensor:
    """The result of an operation: a shape and a dtype, and numbers only when the graph runs.

    Attributes
    ----------
    operation : Operation
        The one that computes it.
    shape : tuple of int
    dtype : numpy.dtype
    name : str
        The operation's.
    """

    operation: Operation
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def name(self) -> str:
        """Name of the operation."""
        return self.operation.name

    @property
    def nbytes(self) -> int:
        """Bytes of its numbers, without gaps."""
        return prod(self.shape) * self.dtype.itemsize

    def __repr__(self) -> str:
        return f"<Tensor {self.name!r} {self.shape} {self.dtype}>"
