# SPDX-License-Identifier: MIT
"""The six convolution operations.

Every one is linear in both of its inputs, and the derivatives of each family of three are members
of the family again, so gradients of gradients need nothing new.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from .. import _core
from .._core import Convolution2DOpDescriptor
from ..typing import Array, Shape
from .builder import Builder
from .tensor import Kind, Operation, Tensor

if TYPE_CHECKING:
    from .graph import Graph
    from .tensor import Gradients


def _compute(operation: Operation, inputs: Sequence[Array], out: Array) -> None:
    label, attributes = operation.kind.label, operation.attributes
    shape = () if label == "convolution_2d" else (out.shape,)
    getattr(_core, label)(
        *inputs,
        *shape,
        attributes["descriptor"],
        operation.name,
        out=out,
        strict=attributes["strict"],
    )


def _again(
    graph: Graph, operation: Operation, label: str, a: Tensor, b: Tensor, like: Tensor
) -> Tensor:
    """Another member of the family, with a result that is shaped as `like`."""
    return graph._convolution(
        KINDS[label],
        (a, b),
        None if label == "convolution_2d" else like.shape,
        operation.attributes["descriptor"],
        f"{operation.name}_gradient",
        operation.attributes["strict"],
    )


def _gradient(graph: Graph, result: Tensor, g: Tensor) -> Gradients:
    operation = result.operation
    a, b = operation.inputs
    label = operation.kind.label
    family = "convolution_2d" if label.startswith("convolution_2d") else "convolution_transpose_2d"
    forward, data, weights = family, f"{family}_data_gradient", f"{family}_weights_gradient"
    insert = partial(_again, graph, operation)
    if label == forward:  # a = source, b = weights, g = gradient of the result
        return lambda: insert(data, g, b, a), lambda: insert(weights, g, a, b)
    if label == data:  # a = gradient of the result, b = weights, g like the source
        return lambda: insert(forward, g, b, a), lambda: insert(weights, a, g, b)
    # a = gradient of the result, b = source, g like the weights
    return lambda: insert(forward, b, g, a), lambda: insert(data, a, g, b)


KINDS = {
    label: Kind(label, _compute, _gradient)
    for label in (
        "convolution_transpose_2d",
        "convolution_transpose_2d_data_gradient",
        "convolution_transpose_2d_weights_gradient",
        "convolution_2d",
        "convolution_2d_data_gradient",
        "convolution_2d_weights_gradient",
    )
}


class ConvolutionOps(Builder):
    """MPSGraph's convolution operations.

    Arguments, shapes and errors are those of the functions of the same names in
    `convtranspose`; ``strict`` is theirs too. The descriptor is copied.
    """

    def _convolution(
        self,
        kind: Kind,
        inputs: tuple[Tensor, Tensor],
        output_shape: Shape | None,
        descriptor: Convolution2DOpDescriptor,
        name: str | None,
        strict: bool,
    ) -> Tensor:
        shape = _core.result_shape(
            kind.label,
            inputs[0].shape,
            inputs[1].shape,
            output_shape,
            descriptor,
            name,
            strict=strict,
        )
        kept = copy.copy(descriptor)
        dtype = inputs[0].dtype
        return self._insert(kind, name, inputs, shape, dtype, descriptor=kept, strict=strict)

    def convolution_transpose_2d(
        self,
        source: Tensor,
        weights: Tensor,
        output_shape: Shape,
        descriptor: Convolution2DOpDescriptor,
        name: str | None = None,
        *,
        strict: bool = True,
    ) -> Tensor:
        """Insert a transposed convolution and return its result.

        See `convtranspose.convolution_transpose_2d`.

        Examples
        --------
        >>> from convtranspose import Convolution2DOpDescriptor, Graph
        >>> graph = Graph()
        >>> source = graph.placeholder((1, 8, 4, 4))
        >>> weights = graph.placeholder((8, 3, 2, 2))
        >>> descriptor = Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2)
        >>> graph.convolution_transpose_2d(source, weights, (1, 3, 8, 8), descriptor, "up")
        <Tensor 'up' (1, 3, 8, 8) float32>
        """
        kind = KINDS["convolution_transpose_2d"]
        self._check(name or kind.label, source=source, weights=weights)
        return self._convolution(kind, (source, weights), output_shape, descriptor, name, strict)

    def convolution_transpose_2d_data_gradient(
        self,
        incoming_gradient: Tensor,
        weights: Tensor,
        output_shape: Shape,
        forward_convolution_descriptor: Convolution2DOpDescriptor,
        name: str | None = None,
        *,
        strict: bool = True,
    ) -> Tensor:
        """Insert a transposed convolution's gradient with respect to its source.

        See `convtranspose.convolution_transpose_2d_data_gradient`.
        """
        kind = KINDS["convolution_transpose_2d_data_gradient"]
        self._check(name or kind.label, incoming_gradient=incoming_gradient, weights=weights)
        inputs, descriptor = (incoming_gradient, weights), forward_convolution_descriptor
        return self._convolution(kind, inputs, output_shape, descriptor, name, strict)

    def convolution_transpose_2d_weights_gradient(
        self,
        incoming_gradient: Tensor,
        source: Tensor,
        output_shape: Shape,
        forward_convolution_descriptor: Convolution2DOpDescriptor,
        name: str | None = None,
        *,
        strict: bool = True,
    ) -> Tensor:
        """Insert a transposed convolution's gradient with respect to its weights.

        See `convtranspose.convolution_transpose_2d_weights_gradient`.
        """
        kind = KINDS["convolution_transpose_2d_weights_gradient"]
        self._check(name or kind.label, incoming_gradient=incoming_gradient, source=source)
        inputs, descriptor = (incoming_gradient, source), forward_convolution_descriptor
        return self._convolution(kind, inputs, output_shape, descriptor, name, strict)

    def convolution_2d(
        self,
        source: Tensor,
        weights: Tensor,
        descriptor: Convolution2DOpDescriptor,
        name: str | None = None,
        *,
        strict: bool = True,
    ) -> Tensor:
        """Insert a convolution and return its result.

        See `convtranspose.convolution_2d`.

        Examples
        --------
        >>> from convtranspose import Convolution2DOpDescriptor, Graph
        >>> graph = Graph()
        >>> image, weights = graph.placeholder((1, 3, 9, 9)), graph.placeholder((8, 3, 3, 3))
        >>> descriptor = Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2)
        >>> graph.convolution_2d(image, weights, descriptor)
        <Tensor 'convolution_2d' (1, 8, 4, 4) float32>
        """
        kind = KINDS["convolution_2d"]
        self._check(name or kind.label, source=source, weights=weights)
        return self._convolution(kind, (source, weights), None, descriptor, name, strict)

    def convolution_2d_data_gradient(
        self,
        incoming_gradient: Tensor,
        weights: Tensor,
        output_shape: Shape,
        forward_convolution_descriptor: Convolution2DOpDescriptor,
        name: str | None = None,
        *,
        strict: bool = True,
    ) -> Tensor:
        """Insert a convolution's gradient with respect to its source.

        See `convtranspose.convolution_2d_data_gradient`.
        """
        kind = KINDS["convolution_2d_data_gradient"]
        self._check(name or kind.label, incoming_gradient=incoming_gradient, weights=weights)
        inputs, descriptor = (incoming_gradient, weights), forward_convolution_descriptor
        return self._convolution(kind, inputs, output_shape, descriptor, name, strict)

    def convolution_2d_weights_gradient(
        self,
        incoming_gradient: Tensor,
        source: Tensor,
        output_shape: Shape,
        forward_convolution_descriptor: Convolution2DOpDescriptor,
        name: str | None = None,
        *,
        strict: bool = True,
    ) -> Tensor:
        """Insert a convolution's gradient with respect to its weights.

        See `convtranspose.convolution_2d_weights_gradient`.
        """
        kind = KINDS["convolution_2d_weights_gradient"]
        self._check(name or kind.label, incoming_gradient=incoming_gradient, source=source)
        inputs, descriptor = (incoming_gradient, source), forward_convolution_descriptor
        return self._convolution(kind, inputs, output_shape, descriptor, name, strict)
