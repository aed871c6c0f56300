# SPDX-License-Identifier: MIT
"""Where numbers come from and go to: placeholders, constants, variables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from ..typing import Array
from .builder import Builder, dtype_argument, refuse, shape_argument
from .tensor import Kind, Operation, Tensor

PLACEHOLDER = Kind("placeholder")
CONSTANT = Kind("constant")
VARIABLE = Kind("variable")
ASSIGN = Kind("assign")


class Storage:
    """The numbers of a variable; the version tells packed copies that they are out of date."""

    def __init__(self, value: Array) -> None:
        self.value = value
        self.version = 0

    def assign(self, value: Array) -> None:
        """Write other numbers."""
        np.copyto(self.value, value)
        self.version += 1


def _copied(name: str, value: npt.ArrayLike, dtype: npt.DTypeLike | None) -> Array:
    """A private dense array; numbers that are no array are float32 unless `dtype` says more."""
    if dtype is None:
        dtype = value.dtype if isinstance(value, np.ndarray | np.generic) else np.float32
    array: Array = np.array(value, dtype_argument(name, dtype), order="C")
    array.flags.writeable = False
    return array


class MemoryOps(Builder):
    """MPSGraph's memory operations."""

    def placeholder(
        self,
        shape: Iterable[SupportsIndex],
        dtype: npt.DTypeLike = np.float32,
        name: str | None = None,
    ) -> Tensor:
        """Insert a placeholder: what `run` feeds.

        Parameters
        ----------
        shape : sequence of int
        dtype : dtype, default float32
        name : str, optional

        Returns
        -------
        Tensor, shape `shape`

        Raises
        ------
        ValueError, TypeError
            If a size is negative or no integer, or the dtype unsupported.

        Examples
        --------
        >>> from convtranspose import Graph
        >>> Graph().placeholder((1, 3, 8, 8), name="image")
        <Tensor 'image' (1, 3, 8, 8) float32>
        """
        label = name or PLACEHOLDER.label
        return self._insert(
            PLACEHOLDER, name, (), shape_argument(label, shape), dtype_argument(label, dtype)
        )

    def constant(
        self, value: npt.ArrayLike, dtype: npt.DTypeLike | None = None, name: str | None = None
    ) -> Tensor:
        """Insert a constant.

        Parameters
        ----------
        value : array or number
            Copied.
        dtype : dtype, optional
            Of the tensor; by default the array's, and float32 for numbers.
        name : str, optional

        Returns
        -------
        Tensor, shape of `value`

        Raises
        ------
        TypeError
            If the dtype is unsupported.

        Examples
        --------
        >>> from convtranspose import Graph
        >>> Graph().constant(0.5)
        <Tensor 'constant' () float32>
        """
        array = _copied(name or CONSTANT.label, value, dtype)
        return self._insert(CONSTANT, name, (), array.shape, array.dtype, value=array)

    def variable(
        self, value: npt.ArrayLike, dtype: npt.DTypeLike | None = None, name: str | None = None
    ) -> Tensor:
        """Insert a variable: numbers that stay between runs and that `assign` may change.

        Parameters
        ----------
        value : array or number
            What it starts with; copied.
        dtype : dtype, optional
        name : str, optional

        Returns
        -------
        Tensor, shape of `value`
            Running with this tensor as a target returns its numbers.

        Raises
        ------
        TypeError
            If the dtype is unsupported.

        Examples
        --------
        >>> import numpy as np
        >>> from convtranspose import Graph
        >>> graph = Graph()
        >>> weights = graph.variable(np.float32([1, 2]), name="weights")
        >>> graph.run({}, [weights])[weights]
        array([1., 2.], dtype=float32)
        """
        array = _copied(name or VARIABLE.label, value, dtype)
        array.flags.writeable = True
        return self._insert(VARIABLE, name, (), array.shape, array.dtype, storage=Storage(array))

    def assign(self, variable: Tensor, tensor: Tensor, name: str | None = None) -> Operation:
        """Insert an operation that writes a variable, where it is one of a run's targets.

        All other operations of that run see the value from before; MPSGraph leaves the order to
        the graph.

        Parameters
        ----------
        variable : Tensor
            What `variable` returned.
        tensor : Tensor, shape and dtype of `variable`
        name : str, optional

        Returns
        -------
        Operation
            For ``target_operations``.

        Raises
        ------
        ValueError, TypeError
            If `variable` is none, or shapes or dtypes differ.

        Examples
        --------
        >>> from convtranspose import Graph
        >>> graph = Graph()
        >>> count = graph.variable(0.0)
        >>> step = graph.assign(count, graph.addition(count, graph.constant(1.0)))
        >>> for _ in range(3):
        ...     before = graph.run({}, [count], [step])[count]
        >>> print(before, graph.run({}, [count])[count])
        2.0 3.0
        """
        label = name or ASSIGN.label
        self._check(label, variable=variable, tensor=tensor)
        if variable.operation.kind is not VARIABLE:
            refuse(label, "variable", "a variable", repr(variable.operation))
        if tensor.shape != variable.shape:
            refuse(label, "tensor", f"the variable's shape, {variable.shape}", tensor.shape)
        return self._append(ASSIGN, name, (variable, tensor), {})


def source_value(tensor: Tensor) -> Array | None:
    """The numbers of a constant, or those a variable has now; None for all others."""
    attributes: Any = tensor.operation.attributes
    if tensor.operation.kind is CONSTANT:
        value: Array = attributes["value"]
        return value
    if tensor.operation.kind is VARIABLE:
        current: Array = attributes["storage"].value
        return current
    return None
