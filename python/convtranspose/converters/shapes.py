# SPDX-License-Identifier: MIT
"""`output_padding`, with which most frameworks choose an output size, and MPSGraph's shape."""

from __future__ import annotations

from .._core import Convolution2DOpDescriptor
from ..axes import Axis, Four, axes_of, checked_shape, to_layout
from ..operations import output_shape_range
from ..typing import Shape
from .arguments import Sizes, pair


def output_shape_from_padding(
    descriptor: Convolution2DOpDescriptor,
    source_shape: Shape,
    weights_shape: Shape,
    output_padding: Sizes = 0,
) -> Four:
    """Output shape of the frameworks that take an `output_padding`.

    Parameters
    ----------
    descriptor : Convolution2DOpDescriptor
    source_shape, weights_shape : sequence of 4 int
        In the descriptor's layouts.
    output_padding : int or (int, int), default 0
        Rows and columns beyond the smallest output; they hold what taps reach them, not zeros.

    Returns
    -------
    tuple of 4 int
        In the data layout.

    Raises
    ------
    ValueError
        If no such output goes with the source: the padding must be below the stride.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> from convtranspose.converters import output_shape_from_padding
    >>> d = Convolution2DOpDescriptor.from_torch(stride=2, padding=1)
    >>> output_shape_from_padding(d, (1, 8, 10, 10), (8, 4, 3, 3), output_padding=1)
    (1, 4, 20, 20)
    """
    extra = pair("output_shape_from_padding", "output_padding", output_padding, 0)
    smallest, largest = output_shape_range(source_shape, weights_shape, descriptor)
    n, channels, height, width = checked_shape("", "", descriptor.data_layout, smallest)
    wanted = to_layout(descriptor.data_layout, (n, channels, height + extra[0], width + extra[1]))
    if any(size > limit for size, limit in zip(wanted, largest, strict=True)):
        raise ValueError(
            "output_shape_from_padding: output_padding: expected less than the stride "
            f"{descriptor.stride_in_y, descriptor.stride_in_x}, got {extra}"
        )
    return wanted


def output_padding_from_shape(
    descriptor: Convolution2DOpDescriptor,
    source_shape: Shape,
    weights_shape: Shape,
    output_shape: Shape,
) -> tuple[int, int]:
    """The inverse of `output_shape_from_padding`: (height, width) beyond the smallest output.

    Raises
    ------
    ValueError
        If `output_shape` does not go with the source.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> from convtranspose.converters import output_padding_from_shape
    >>> d = Convolution2DOpDescriptor.from_torch(stride=2, padding=1)
    >>> output_padding_from_shape(d, (1, 8, 10, 10), (8, 4, 3, 3), (1, 4, 20, 19))
    (1, 0)
    """
    layout = descriptor.data_layout
    wanted = checked_shape("output_padding_from_shape", "output_shape", layout, output_shape)
    low, high = output_shape_range(source_shape, weights_shape, descriptor)
    smallest, largest = (checked_shape("", "", layout, shape) for shape in (low, high))
    if not all(a <= b <= c for a, b, c in zip(smallest, wanted, largest, strict=True)):
        raise ValueError(
            f"output_padding_from_shape: output_shape: expected from {low} to {high}, got "
            f"{to_layout(layout, wanted)}"
        )
    return wanted[2] - smallest[2], wanted[3] - smallest[3]


def sized_axes(
    function: str,
    descriptor: Convolution2DOpDescriptor,
    source_shape: Shape,
    weights_shape: Shape,
    output_shape: Shape,
) -> list[tuple[Axis, int, int]]:
    """Y and X with the sizes of source and output there; channels and batch must go together."""
    source = checked_shape(function, "source_shape", descriptor.data_layout, source_shape)
    weights = checked_shape(function, "weights_shape", descriptor.weights_layout, weights_shape)
    output = checked_shape(function, "output_shape", descriptor.data_layout, output_shape)
    if source[1] != weights[0] or source[1] % descriptor.groups:
        raise ValueError(
            f"{function}: source_shape: expected {weights[0]} channels, the weights' O axis, and a "
            f"multiple of {descriptor.groups} groups, got {source[1]}"
        )
    expected = source[0], weights[1] * descriptor.groups
    if output[:2] != expected:
        raise ValueError(
            f"{function}: output_shape: expected batch {expected[0]} and {expected[1]} channels, "
            f"the weights' I axis times {descriptor.groups} groups, got {output[0]} and {output[1]}"
        )
    axes = axes_of(descriptor, weights[2:], output[2:])
    return list(zip(axes, source[2:], output[2:], strict=True))


def shape_of_result(
    function: str,
    descriptor: Convolution2DOpDescriptor,
    source_shape: Shape,
    weights_shape: Shape,
    height_and_width: tuple[int, int],
) -> Four:
    """The whole output shape, in the data layout."""
    source = checked_shape(function, "source_shape", descriptor.data_layout, source_shape)
    weights = checked_shape(function, "weights_shape", descriptor.weights_layout, weights_shape)
    sizes = (source[0], weights[1] * descriptor.groups, *height_and_width)
    return to_layout(descriptor.data_layout, sizes)
