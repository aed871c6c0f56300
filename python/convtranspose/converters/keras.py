# SPDX-License-Identifier: MIT
"""Keras's ``Conv2DTranspose`` and ``ops.conv_transpose``, on whatever backend.

Its kernel is HWIO as it is: (height, width, filters, source channels). With E the dilated kernel
and op its `output_padding`, the result has (S - 1) * stride + C elements, where C is

* E + op if padding is "valid", with op = max(0, stride - E) by default;
* stride if it is "same", or E % 2 + op where op is given; the padding that leads to it is split
  with the odd zero at the end.
"""

from __future__ import annotations

from typing import Any

from .._core import Convolution2DOpDescriptor, PaddingStyle, TensorNamedDataLayout
from ..axes import Axis, Four, checked_shape, with_axes
from ..typing import Shape
from .arguments import Sizes, layer_or_keywords, pair
from .shapes import shape_of_result, sized_axes
from .tensorflow import refuse_groups

_NAMES = ("kernel_size", "strides", "padding", "output_padding", "dilation_rate", "data_format")
_LAYOUTS = {
    "channels_last": TensorNamedDataLayout.NHWC,
    "channels_first": TensorNamedDataLayout.NCHW,
}


def from_keras(
    layer: object | None = None,
    /,
    *,
    kernel_size: Sizes | None = None,
    strides: Sizes | None = None,
    padding: str | None = None,
    output_padding: Sizes | None = None,
    dilation_rate: Sizes | None = None,
    data_format: str | None = None,
) -> Convolution2DOpDescriptor:
    """Descriptor of Keras's ``Conv2DTranspose``, with its HWIO kernel.

    Parameters
    ----------
    layer : keras.layers.Conv2DTranspose, optional
        Or its keywords:
    kernel_size : int or (int, int)
    strides : int or (int, int), default 1
    padding : {"valid", "same"}
    output_padding : int or (int, int), optional
    dilation_rate : int or (int, int), default 1
    data_format : {"channels_last", "channels_first"}

    Returns
    -------
    Convolution2DOpDescriptor
        With TensorFlow's padding style, or explicit padding where an `output_padding` is given;
        `keras_output_shape` tells the shape.

    Raises
    ------
    ValueError, TypeError
        If an argument is not one that Keras takes, or both a layer and keywords are given.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> d = Convolution2DOpDescriptor.from_keras(kernel_size=3, strides=2, padding="same")
    >>> d.stride_in_y, d.padding_style.name, d.data_layout.name
    (2, 'TF_SAME', 'NHWC')
    """
    arguments = layer_or_keywords(
        "from_keras",
        layer,
        _NAMES,
        {
            "kernel_size": kernel_size,
            "strides": strides,
            "padding": padding,
            "output_padding": output_padding,
            "dilation_rate": dilation_rate,
            "data_format": data_format,
        },
    )
    return _resolve("from_keras", arguments)[0]


def keras_output_shape(
    source_shape: Shape,
    weights_shape: Shape,
    layer: object | None = None,
    /,
    *,
    strides: Sizes | None = None,
    padding: str | None = None,
    output_padding: Sizes | None = None,
    dilation_rate: Sizes | None = None,
    data_format: str | None = None,
) -> Four:
    """Shape of what Keras returns, from the arguments of `from_keras` and the shapes it is given.

    Examples
    --------
    >>> from convtranspose.converters import keras_output_shape
    >>> keras_output_shape((1, 5, 5, 8), (3, 3, 4, 8), strides=2)
    (1, 11, 11, 4)
    """
    function = "keras_output_shape"
    arguments = layer_or_keywords(
        function,
        layer,
        _NAMES,
        {
            "strides": strides,
            "padding": padding,
            "output_padding": output_padding,
            "dilation_rate": dilation_rate,
            "data_format": data_format,
        },
    )
    weights = checked_shape(function, "weights_shape", TensorNamedDataLayout.HWIO, weights_shape)
    descriptor, y, x = _resolve(function, {**arguments, "kernel_size": weights[2:]})
    source = checked_shape(function, "source_shape", descriptor.data_layout, source_shape)
    size = (
        (source[2] - 1) * descriptor.stride_in_y + y,
        (source[3] - 1) * descriptor.stride_in_x + x,
    )
    return shape_of_result(function, descriptor, source_shape, weights_shape, size)


def to_keras_args(
    descriptor: Convolution2DOpDescriptor,
    source_shape: Shape,
    weights_shape: Shape,
    output_shape: Shape,
) -> dict[str, Any]:
    """Keyword arguments with which ``keras.ops.conv_transpose`` computes the same.

    Its kernel is HWIO; `convert_weights` makes it so.

    Raises
    ------
    ValueError
        If there are groups, or neither "valid" nor "same" gives this padding and size.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> d = Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2)
    >>> d.to_keras_args((1, 8, 5, 5), (8, 4, 3, 3), (1, 4, 11, 11))["padding"]
    'valid'
    """
    function = "to_keras_args"
    sized = sized_axes(function, descriptor, source_shape, weights_shape, output_shape)
    refuse_groups(function, "Keras's conv_transpose", descriptor)
    named = {layout: name for name, layout in _LAYOUTS.items()}
    ends = [output - (source - 1) * axis.stride for axis, source, output in sized]
    for padding in ("valid", "same"):
        if any(
            # TensorFlow, below Keras, refuses an end of 0.
            end < 1 or _leading(padding, axis, end) != axis.leading
            for (axis, _, _), end in zip(sized, ends, strict=True)
        ):
            continue
        if ends == [_end(padding, axis, None) for axis, _, _ in sized]:
            return _arguments(sized, padding, None, named[descriptor.data_layout])
        extras = [
            end - _end(padding, axis, 0) for (axis, _, _), end in zip(sized, ends, strict=True)
        ]
        if all(0 <= extra < axis.stride for (axis, _, _), extra in zip(sized, extras, strict=True)):
            return _arguments(sized, padding, extras, named[descriptor.data_layout])
    pads = [axis.leading for axis, _, _ in sized]
    raise ValueError(
        f"{function}: expected padding and output shape as Keras's valid or same with an "
        f"output_padding below the stride have them, got leading padding {pads} and "
        f"(source - 1) * stride + {ends}"
    )


def _arguments(
    sized: list[tuple[Axis, int, int]], padding: str, extras: list[int] | None, data_format: str
) -> dict[str, Any]:
    return {
        "strides": tuple(axis.stride for axis, _, _ in sized),
        "padding": padding,
        "output_padding": None if extras is None else tuple(extras),
        "data_format": data_format,
        "dilation_rate": tuple(axis.dilation for axis, _, _ in sized),
    }


def _leading(padding: str, axis: Axis, end: int) -> int:
    return 0 if padding == "valid" else max(0, axis.extent - end) // 2


def _resolve(
    function: str, arguments: dict[str, Any]
) -> tuple[Convolution2DOpDescriptor, int, int]:
    """Descriptor, and by how much the output is longer than (S - 1) * stride in Y and X."""
    if "kernel_size" not in arguments:
        raise TypeError(f"{function}: kernel_size: expected one or two integers, got None")
    kernels = pair(function, "kernel_size", arguments["kernel_size"], 1)
    strides = pair(function, "strides", arguments.get("strides", 1), 1)
    dilations = pair(function, "dilation_rate", arguments.get("dilation_rate", 1), 1)
    padding = arguments.get("padding", "valid")
    data_format = arguments.get("data_format", "channels_last")
    if padding not in ("valid", "same"):
        raise ValueError(f"{function}: padding: expected valid or same, got {padding!r}")
    if data_format not in _LAYOUTS:
        raise ValueError(
            f"{function}: data_format: expected {' or '.join(_LAYOUTS)}, got {data_format!r}"
        )
    extras: tuple[int | None, ...] = (None, None)
    if "output_padding" in arguments:
        extras = pair(function, "output_padding", arguments["output_padding"], 0)
    y, x = map(Axis, kernels, strides, dilations)
    ends = [_end(padding, axis, extra) for axis, extra in zip((y, x), extras, strict=True)]
    y, x = (_padded(padding, axis, end) for axis, end in zip((y, x), ends, strict=True))
    descriptor = with_axes(
        Convolution2DOpDescriptor(
            data_layout=_LAYOUTS[data_format], weights_layout=TensorNamedDataLayout.HWIO
        ),
        y,
        x,
    )
    if extras == (None, None):
        style = PaddingStyle.TF_SAME if padding == "same" else PaddingStyle.TF_VALID
        descriptor = descriptor.replace(
            padding_style=style,
            padding_left=0,
            padding_right=0,
            padding_top=0,
            padding_bottom=0,
        )
    return descriptor, ends[0], ends[1]


def _end(padding: str, axis: Axis, extra: int | None) -> int:
    if padding == "valid":
        return axis.extent + (max(0, axis.stride - axis.extent) if extra is None else extra)
    return axis.stride if extra is None else axis.extent % 2 + extra


def _padded(padding: str, axis: Axis, end: int) -> Axis:
    leading = _leading(padding, axis, end)
    trailing = max(0, axis.extent - leading - end)
    return Axis(axis.kernel, axis.stride, axis.dilation, leading, trailing)
