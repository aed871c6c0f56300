# SPDX-License-Identifier: MIT
"""Reductions, and operations that only move elements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, SupportsIndex

import numpy as np

from ..typing import Array
from .builder import Builder, axes_argument, refuse, shape_argument
from .tensor import Kind, Operation, Tensor

if TYPE_CHECKING:
    from .graph import Graph
    from .tensor import Gradients


def _reduction_sum(operation: Operation, inputs: Sequence[Array], out: Array) -> None:
    axes = operation.attributes["axes"]
    if out.dtype.itemsize == 2:  # round once
        out[...] = np.sum(inputs[0], axis=axes, dtype=np.float32, keepdims=True)
    else:
        np.sum(inputs[0], axis=axes, keepdims=True, out=out)


def _mean(operation: Operation, inputs: Sequence[Array], out: Array) -> None:
    axes = operation.attributes["axes"]
    if out.dtype.itemsize == 2:
        out[...] = np.mean(inputs[0], axis=axes, dtype=np.float32, keepdims=True)
    else:
        np.mean(inputs[0], axis=axes, keepdims=True, out=out)


def _copy(operation: Operation, inputs: Sequence[Array], out: Array) -> None:
    np.copyto(out, inputs[0])


def _reshape(operation: Operation, inputs: Sequence[Array], out: Array) -> None:
    np.copyto(out, inputs[0].reshape(out.shape))


def _concat(operation: Operation, inputs: Sequence[Array], out: Array) -> None:
    np.concatenate(inputs, axis=operation.attributes["dimension"], out=out)


def _window(operation: Operation, rank: int, length: int) -> tuple[slice, ...]:
    dimension, start = operation.attributes["dimension"], operation.attributes["start"]
    whole = [slice(None)] * rank
    whole[dimension] = slice(start, start + length)
    return tuple(whole)


def _slice(operation: Operation, inputs: Sequence[Array], out: Array) -> None:
    length = out.shape[operation.attributes["dimension"]]
    np.copyto(out, inputs[0][_window(operation, out.ndim, length)])


def _pad(operation: Operation, inputs: Sequence[Array], out: Array) -> None:
    out[...] = 0
    length = inputs[0].shape[operation.attributes["dimension"]]
    np.copyto(out[_window(operation, out.ndim, length)], inputs[0])


def sum_to(graph: Graph, tensor: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Undo a broadcast from `shape`: sum over the axes that it repeated."""
    if tensor.shape == shape:
        return tensor
    padded = (1,) * (len(tensor.shape) - len(shape)) + shape
    sizes = zip(padded, tensor.shape, strict=True)
    axes = [axis for axis, (size, full) in enumerate(sizes) if size != full]
    summed = graph.reduction_sum(tensor, axes) if axes else tensor
    return graph.reshape(summed, shape)


def _of_sum(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    return (lambda: graph.broadcast(g, result.operation.inputs[0].shape),)


def _of_mean(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    (x,) = result.operation.inputs
    share = prod(result.shape) / max(prod(x.shape), 1)
    return (
        lambda: graph.broadcast(graph.multiplication(g, graph.constant(share, x.dtype)), x.shape),
    )


def _of_broadcast(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    return (lambda: sum_to(graph, g, result.operation.inputs[0].shape),)


def _of_reshape(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    return (lambda: graph.reshape(g, result.operation.inputs[0].shape),)


def _of_concat(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    dimension = result.operation.attributes["dimension"]
    lengths = [tensor.shape[dimension] for tensor in result.operation.inputs]
    starts = np.cumsum([0, *lengths[:-1]]).tolist()
    return [
        partial(graph.slice_tensor, g, dimension, start, length)
        for start, length in zip(starts, lengths, strict=True)
    ]


def _of_slice(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    (x,), attributes = result.operation.inputs, result.operation.attributes
    dimension, start = attributes["dimension"], attributes["start"]
    right = x.shape[dimension] - start - result.shape[dimension]
    return (lambda: graph.pad_tensor(g, dimension, start, right),)


def _of_pad(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    (x,), attributes = result.operation.inputs, result.operation.attributes
    dimension, start = attributes["dimension"], attributes["start"]
    return (lambda: graph.slice_tensor(g, dimension, start, x.shape[dimension]),)


REDUCTION_SUM = Kind("reduction_sum", _reduction_sum, _of_sum)
MEAN = Kind("mean", _mean, _of_mean)
BROADCAST = Kind("broadcast", _copy, _of_broadcast)
RESHAPE = Kind("reshape", _reshape, _of_reshape)
CONCAT = Kind("concat_tensors", _concat, _of_concat)
SLICE = Kind("slice_tensor", _slice, _of_slice)
PAD = Kind("pad_tensor", _pad, _of_pad)

Axes = SupportsIndex | Iterable[SupportsIndex]


class ShapeOps(Builder):
    """MPSGraph's reductions and shape operations."""

    def _reduction(self, kind: Kind, tensor: Tensor, axes: Axes, name: str | None) -> Tensor:
        label = name or kind.label
        self._check(label, tensor=tensor)
        resolved = axes_argument(label, "axes", axes, len(tensor.shape))
        shape = tuple(1 if i in resolved else size for i, size in enumerate(tensor.shape))
        return self._insert(kind, name, (tensor,), shape, tensor.dtype, axes=resolved)

    def reduction_sum(self, tensor: Tensor, axes: Axes, name: str | None = None) -> Tensor:
        """Insert a sum over `axes`, which stay with length 1."""
        return self._reduction(REDUCTION_SUM, tensor, axes, name)

    def mean(self, tensor: Tensor, axes: Axes, name: str | None = None) -> Tensor:
        """Insert a mean over `axes`, which stay with length 1.

        Examples
        --------
        >>> import numpy as np
        >>> from convtranspose import Graph
        >>> graph = Graph()
        >>> image = graph.placeholder((1, 3, 8, 8))
        >>> graph.mean(image, axes=(2, 3)).shape
        (1, 3, 1, 1)
        """
        return self._reduction(MEAN, tensor, axes, name)

    def broadcast(
        self, tensor: Tensor, shape: Iterable[SupportsIndex], name: str | None = None
    ) -> Tensor:
        """Insert a repetition along axes of length 1 or leading axes that are missing."""
        label = name or BROADCAST.label
        self._check(label, tensor=tensor)
        target = shape_argument(label, shape)
        try:
            fits = np.broadcast_shapes(tensor.shape, target) == target
        except ValueError:
            fits = False
        if not fits:
            refuse(label, "shape", f"a shape that {tensor.shape} broadcasts to", target)
        return self._insert(BROADCAST, name, (tensor,), target, tensor.dtype)

    def reshape(
        self, tensor: Tensor, shape: Iterable[SupportsIndex], name: str | None = None
    ) -> Tensor:
        """Insert a change of shape; the elements stay in row-major order."""
        label = name or RESHAPE.label
        self._check(label, tensor=tensor)
        target = shape_argument(label, shape)
        if prod(target) != prod(tensor.shape):
            refuse(label, "shape", f"{prod(tensor.shape)} elements as in {tensor.shape}", target)
        return self._insert(RESHAPE, name, (tensor,), target, tensor.dtype)

    def concat_tensors(
        self, tensors: Sequence[Tensor], dimension: SupportsIndex, name: str | None = None
    ) -> Tensor:
        """Insert a concatenation along `dimension`.

        Examples
        --------
        >>> from convtranspose import Graph
        >>> graph = Graph()
        >>> up, skip = graph.placeholder((1, 8, 4, 4)), graph.placeholder((1, 4, 4, 4))
        >>> graph.concat_tensors([up, skip], 1).shape
        (1, 12, 4, 4)
        """
        label = name or CONCAT.label
        if not tensors:
            refuse(label, "tensors", "at least one", "none")
        self._check(label, **{f"tensors[{i}]": tensor for i, tensor in enumerate(tensors)})
        first = tensors[0].shape
        (axis,) = axes_argument(label, "dimension", dimension, len(first))
        for i, tensor in enumerate(tensors):
            expected = (*first[:axis], *tensor.shape[axis : axis + 1], *first[axis + 1 :])
            if tensor.shape != expected:
                refuse(label, f"tensors[{i}]", f"{first} but for axis {axis}", tensor.shape)
        length = sum(tensor.shape[axis] for tensor in tensors)
        shape = (*first[:axis], length, *first[axis + 1 :])
        return self._insert(CONCAT, name, tensors, shape, tensors[0].dtype, dimension=axis)

    def slice_tensor(
        self,
        tensor: Tensor,
        dimension: SupportsIndex,
        start: int,
        length: int,
        name: str | None = None,
    ) -> Tensor:
        """Insert a copy of `length` elements along `dimension` from `start` on."""
        label = name or SLICE.label
        self._check(label, tensor=tensor)
        (axis,) = axes_argument(label, "dimension", dimension, len(tensor.shape))
        size = tensor.shape[axis]
        if not (0 <= start <= start + length <= size):
            refuse(label, "start, length", f"a range in 0 to {size}", f"{start}, {length}")
        shape = (*tensor.shape[:axis], length, *tensor.shape[axis + 1 :])
        inputs, dtype = (tensor,), tensor.dtype
        return self._insert(SLICE, name, inputs, shape, dtype, dimension=axis, start=start)

    def pad_tensor(
        self,
        tensor: Tensor,
        dimension: SupportsIndex,
        left_padding: int,
        right_padding: int,
        name: str | None = None,
    ) -> Tensor:
        """Insert a copy with zeros before and after it along `dimension`."""
        label = name or PAD.label
        self._check(label, tensor=tensor)
        (axis,) = axes_argument(label, "dimension", dimension, len(tensor.shape))
        if left_padding < 0 or right_padding < 0:
            got = f"{left_padding}, {right_padding}"
            refuse(label, "left_padding, right_padding", "at least 0", got)
        length = left_padding + tensor.shape[axis] + right_padding
        shape = (*tensor.shape[:axis], length, *tensor.shape[axis + 1 :])
        inputs, dtype = (tensor,), tensor.dtype
        return self._insert(PAD, name, inputs, shape, dtype, dimension=axis, start=left_padding)
