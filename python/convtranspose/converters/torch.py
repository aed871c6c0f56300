# SPDX-License-Identifier: MIT
"""PyTorch's ``conv_transpose2d``: symmetric padding, and an output padding at the end.

Its weights are OIHW as they are: (source channels, result channels / groups, height, width).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._core import Convolution2DOpDescriptor
from ..axes import Axis, Four, with_axes
from ..typing import Shape
from .arguments import Sizes, layer_or_keywords, pair
from .shapes import shape_of_result, sized_axes

_NAMES = ("stride", "padding", "output_padding", "groups", "dilation")
_Axes = tuple[tuple[Axis, int], tuple[Axis, int]]


@dataclass(frozen=True)
class TorchArguments:
    """What makes PyTorch compute the same: call with `keywords`, then index with ``crop``."""

    stride: tuple[int, int]
    padding: tuple[int, int]
    output_padding: tuple[int, int]
    groups: int
    dilation: tuple[int, int]
    crop: tuple[slice, slice]

    @property
    def keywords(self) -> dict[str, Any]:
        """The keyword arguments of ``torch.nn.functional.conv_transpose2d``."""
        return {name: getattr(self, name) for name in _NAMES}


def from_torch(
    layer: object | None = None,
    /,
    *,
    stride: Sizes | None = None,
    padding: Sizes | None = None,
    output_padding: Sizes | None = None,
    groups: int | None = None,
    dilation: Sizes | None = None,
) -> Convolution2DOpDescriptor:
    """Descriptor of PyTorch's ``conv_transpose2d``, for NCHW and OIHW.

    Parameters
    ----------
    layer : torch.nn.ConvTranspose2d, optional
        Or the keywords of ``torch.nn.functional.conv_transpose2d``:
    stride, padding, output_padding, groups, dilation : int or (int, int), optional
        `output_padding` chooses the output's shape, see `torch_output_shape`; the descriptor does
        not depend on it.

    Returns
    -------
    Convolution2DOpDescriptor

    Raises
    ------
    ValueError, TypeError
        If an argument is not one that PyTorch takes, or both a layer and keywords are given.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> Convolution2DOpDescriptor.from_torch(stride=2, padding=(1, 0))
    Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2, padding_top=1, padding_bottom=1)
    """
    arguments = _read("from_torch", layer, stride, padding, output_padding, groups, dilation)
    y, x = _axes("from_torch", arguments, (1, 1))
    return with_axes(Convolution2DOpDescriptor(groups=arguments.get("groups", 1)), y[0], x[0])


def torch_output_shape(
    source_shape: Shape,
    weights_shape: Shape,
    layer: object | None = None,
    /,
    *,
    stride: Sizes | None = None,
    padding: Sizes | None = None,
    output_padding: Sizes | None = None,
    groups: int | None = None,
    dilation: Sizes | None = None,
) -> Four:
    """Shape of what ``conv_transpose2d`` returns, from the arguments of `from_torch`.

    Examples
    --------
    >>> from convtranspose.converters import torch_output_shape
    >>> torch_output_shape((1, 8, 5, 5), (8, 4, 3, 3), stride=2, padding=1, output_padding=1)
    (1, 4, 10, 10)
    """
    name = "torch_output_shape"
    arguments = _read(name, layer, stride, padding, output_padding, groups, dilation)
    kernel = int(weights_shape[2]), int(weights_shape[3])
    (y, extra_y), (x, extra_x) = _axes(name, arguments, kernel)
    size = (
        y.smallest(int(source_shape[2])) + extra_y,
        x.smallest(int(source_shape[3])) + extra_x,
    )
    descriptor = Convolution2DOpDescriptor(groups=arguments.get("groups", 1))
    return shape_of_result(name, descriptor, source_shape, weights_shape, size)


def to_torch_args(
    descriptor: Convolution2DOpDescriptor,
    source_shape: Shape,
    weights_shape: Shape,
    output_shape: Shape,
) -> TorchArguments:
    """Arguments with which PyTorch computes the same transposed convolution.

    PyTorch pads both ends alike and cannot say most of what MPSGraph can, so its result may have to
    be cropped. Its tensors are NCHW and its weights OIHW; `convert_weights` makes them so.

    Parameters
    ----------
    descriptor : Convolution2DOpDescriptor
    source_shape, weights_shape, output_shape : sequence of 4 int
        As `convtranspose.convolution_transpose_2d` takes them, in the descriptor's layouts.

    Returns
    -------
    TorchArguments
        The crop that is needed is the smallest possible, often none.

    Raises
    ------
    ValueError
        If the output reaches further than PyTorch's `output_padding` may, or shapes do not match.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor, PaddingStyle
    >>> d = Convolution2DOpDescriptor(
    ...     stride_in_x=2, stride_in_y=2, padding_style=PaddingStyle.TF_SAME)
    >>> arguments = d.to_torch_args((1, 8, 5, 5), (8, 4, 3, 3), (1, 4, 10, 10))
    >>> arguments.padding, arguments.output_padding, arguments.crop
    ((0, 0), (0, 0), (slice(0, 10, None), slice(0, 10, None)))
    """
    sized = sized_axes("to_torch_args", descriptor, source_shape, weights_shape, output_shape)
    (y, top, extra_y), (x, left, extra_x) = (_symmetric(*axis) for axis in sized)
    height, width = (output for _, _, output in sized)
    return TorchArguments(
        (sized[0][0].stride, sized[1][0].stride),
        (y, x),
        (extra_y, extra_x),
        descriptor.groups,
        (sized[0][0].dilation, sized[1][0].dilation),
        (slice(top, top + height), slice(left, left + width)),
    )


def _symmetric(axis: Axis, source: int, output: int) -> tuple[int, int, int]:
    """Padding, leading crop and output padding, so that the fewest elements are cropped."""
    missing = axis.full(source) - axis.leading - output  # at the end; negative: beyond the taps
    most = max(axis.stride, axis.dilation) - 1
    if missing < -most:
        raise ValueError(
            f"to_torch_args: output_shape: expected at most {output + missing + most}, got "
            f"{output}: PyTorch's output_padding must be less than stride {axis.stride} or "
            f"dilation {axis.dilation}"
        )
    padding = min(axis.leading, missing + most)
    return padding, axis.leading - padding, max(0, padding - missing)


def _read(
    function: str,
    layer: object | None,
    stride: Sizes | None,
    padding: Sizes | None,
    output_padding: Sizes | None,
    groups: int | None,
    dilation: Sizes | None,
) -> dict[str, Any]:
    keywords = dict(zip(_NAMES, (stride, padding, output_padding, groups, dilation), strict=True))
    return layer_or_keywords(function, layer, _NAMES, keywords)


def _axes(function: str, arguments: dict[str, Any], kernel: tuple[int, int]) -> _Axes:
    strides = pair(function, "stride", arguments.get("stride", 1), 1)
    paddings = pair(function, "padding", arguments.get("padding", 0), 0)
    extras = pair(function, "output_padding", arguments.get("output_padding", 0), 0)
    dilations = pair(function, "dilation", arguments.get("dilation", 1), 1)
    for extra, stride, dilation in zip(extras, strides, dilations, strict=True):
        if extra >= max(stride, dilation):
            raise ValueError(
                f"{function}: output_padding: expected less than stride {stride} or dilation "
                f"{dilation}, got {extra}"
            )
    y, x = (
        Axis(size, stride, dilation, padding, padding)
        for size, stride, dilation, padding in zip(
            kernel, strides, dilations, paddings, strict=True
        )
    )
    return (y, extras[0]), (x, extras[1])
