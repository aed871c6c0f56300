# SPDX-License-Identifier: MIT
"""What a descriptor says along each axis, with the paddings of every padding style in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import Final, TypeAlias

from ._core import Convolution2DOpDescriptor, PaddingStyle, TensorNamedDataLayout
from .typing import Shape

Four: TypeAlias = tuple[int, int, int, int]

#: Where a layout has the axes N, C, Y, X of data or O, I, Y, X of weights.
POSITIONS: Final[dict[TensorNamedDataLayout, Four]] = {
    TensorNamedDataLayout.NCHW: (0, 1, 2, 3),
    TensorNamedDataLayout.NHWC: (0, 3, 1, 2),
    TensorNamedDataLayout.OIHW: (0, 1, 2, 3),
    TensorNamedDataLayout.HWIO: (3, 2, 0, 1),
}


@dataclass(frozen=True)
class Axis:
    """One axis of a transposed convolution; the paddings are the forward convolution's."""

    kernel: int
    stride: int = 1
    dilation: int = 1
    leading: int = 0
    trailing: int = 0

    @property
    def extent(self) -> int:
        """Length of the dilated kernel."""
        return (self.kernel - 1) * self.dilation + 1

    def full(self, source: int) -> int:
        """Length of the result with nothing padded away."""
        return (source - 1) * self.stride + self.extent

    def smallest(self, source: int) -> int:
        """Length of the smallest result that goes with `source`."""
        return self.full(source) - self.leading - self.trailing


def from_layout(layout: TensorNamedDataLayout, sizes: Sequence[int]) -> Four:
    """Sizes in the order N, C, Y, X or O, I, Y, X; `sizes` are in that of `layout`."""
    a, b, c, d = (sizes[position] for position in POSITIONS[layout])
    return a, b, c, d


def to_layout(layout: TensorNamedDataLayout, sizes: Sequence[int]) -> Four:
    """The inverse of `from_layout`."""
    a, b, c, d = (sizes[POSITIONS[layout].index(position)] for position in range(4))
    return a, b, c, d


def checked_shape(function: str, name: str, layout: TensorNamedDataLayout, shape: Shape) -> Four:
    """`shape`, given in `layout`, in the order N, C, Y, X or O, I, Y, X."""
    sizes = tuple(index(size) for size in shape)
    if len(sizes) != 4 or min(sizes) < 0:
        raise ValueError(
            f"{function}: {name}: expected 4 numbers, none of them negative, got {sizes}"
        )
    return from_layout(layout, sizes)


def axes_of(
    descriptor: Convolution2DOpDescriptor,
    kernel: tuple[int, int],
    output: tuple[int, int],
) -> tuple[Axis, Axis]:
    """The axes Y and X for kernel and output sizes (height, width).

    The SAME styles split ``T = max(0, (ceil(D / s) - 1) * s + extent - D)``: TensorFlow's rule with
    the odd zero at the end, ONNX's SAME_LOWER with it at the start.
    """
    d = descriptor
    style = d.padding_style
    if style == PaddingStyle.EXPLICIT_OFFSET:
        raise ValueError(
            "padding_style: expected one with paddings, got EXPLICIT_OFFSET, which needs offsets "
            "that a convolution descriptor has no field for"
        )
    y = Axis(kernel[0], d.stride_in_y, d.dilation_rate_in_y, d.padding_top, d.padding_bottom)
    x = Axis(kernel[1], d.stride_in_x, d.dilation_rate_in_x, d.padding_left, d.padding_right)
    return _styled(y, style, output[0]), _styled(x, style, output[1])


def _styled(axis: Axis, style: PaddingStyle, output: int) -> Axis:
    if style == PaddingStyle.EXPLICIT:
        return axis
    if style == PaddingStyle.TF_VALID:
        return replace(axis, leading=0, trailing=0)
    total = max(0, axis.full(-(-output // axis.stride)) - output)
    half = total // 2
    if style == PaddingStyle.TF_SAME:
        return replace(axis, leading=half, trailing=total - half)
    return replace(axis, leading=total - half, trailing=half)


def with_axes(descriptor: Convolution2DOpDescriptor, y: Axis, x: Axis) -> Convolution2DOpDescriptor:
    """The descriptor with the axes' strides and dilations, and their paddings given explicitly."""
    return descriptor.replace(
        stride_in_x=x.stride,
        stride_in_y=y.stride,
        dilation_rate_in_x=x.dilation,
        dilation_rate_in_y=y.dilation,
        padding_left=x.leading,
        padding_right=x.trailing,
        padding_top=y.leading,
        padding_bottom=y.trailing,
        padding_style=PaddingStyle.EXPLICIT,
    )
