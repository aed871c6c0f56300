# SPDX-License-Identifier: MIT
"""TensorFlow's ``tf.nn.conv2d_transpose``: MPSGraph's own parameters, without groups.

Its filter is HWIO as it is: (height, width, result channels, source channels).
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

from .._core import Convolution2DOpDescriptor, PaddingStyle, TensorNamedDataLayout
from ..axes import Axis, with_axes
from ..typing import Shape
from .arguments import Sizes
from .shapes import sized_axes

LAYOUTS = {
    "NHWC": TensorNamedDataLayout.NHWC,
    "NCHW": TensorNamedDataLayout.NCHW,
}
_STYLES = {"SAME": PaddingStyle.TF_SAME, "VALID": PaddingStyle.TF_VALID}


def from_tensorflow(
    strides: Sizes,
    padding: str | Sequence[Sequence[int]] = "SAME",
    data_format: str = "NHWC",
    dilations: Sizes | None = None,
) -> Convolution2DOpDescriptor:
    """Descriptor of TensorFlow's ``tf.nn.conv2d_transpose``, with its HWIO filter.

    Parameters
    ----------
    strides : int, or sequence of 1, 2 or 4 int
    padding : {"SAME", "VALID"} or four pairs of int
        Pairs are in the order of `data_format`.
    data_format : {"NHWC", "NCHW"}
    dilations : int, or sequence of 1, 2 or 4 int, optional

    Returns
    -------
    Convolution2DOpDescriptor
        TensorFlow's `output_shape` is MPSGraph's.

    Raises
    ------
    ValueError, TypeError
        If an argument is not one that TensorFlow takes.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> d = Convolution2DOpDescriptor.from_tensorflow(2, "SAME")
    >>> d.stride_in_x, d.padding_style.name, d.data_layout.name, d.weights_layout.name
    (2, 'TF_SAME', 'NHWC', 'HWIO')
    """
    function = "from_tensorflow"
    if data_format not in LAYOUTS:
        raise ValueError(f"{function}: data_format: expected NHWC or NCHW, got {data_format!r}")
    stride = _spatial(function, "strides", strides, data_format)
    dilation = _spatial(function, "dilations", 1 if dilations is None else dilations, data_format)
    pads, style = ((0, 0), (0, 0)), PaddingStyle.EXPLICIT
    if isinstance(padding, str):
        if padding not in _STYLES:
            raise ValueError(
                f"{function}: padding: expected SAME, VALID or four pairs, got {padding!r}"
            )
        style = _STYLES[padding]
    else:
        pads = _pairs(function, padding, data_format)
    y, x = (Axis(1, s, d, *p) for s, d, p in zip(stride, dilation, pads, strict=True))
    described = with_axes(
        Convolution2DOpDescriptor(
            data_layout=LAYOUTS[data_format], weights_layout=TensorNamedDataLayout.HWIO
        ),
        y,
        x,
    )
    return described.replace(padding_style=style)


def to_tensorflow_args(
    descriptor: Convolution2DOpDescriptor,
    source_shape: Shape,
    weights_shape: Shape,
    output_shape: Shape,
) -> dict[str, Any]:
    """Keyword arguments with which ``tf.nn.conv2d_transpose`` computes the same.

    Its filter is HWIO; `convert_weights` makes it so. ONNX's padding style becomes numbers.

    Raises
    ------
    ValueError
        If there are groups, which it does not have, or shapes do not match.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> d = Convolution2DOpDescriptor.from_tensorflow(2)
    >>> d.to_tensorflow_args((1, 5, 5, 8), (3, 3, 4, 8), (1, 10, 10, 4))["padding"]
    'SAME'
    """
    function = "to_tensorflow_args"
    sized = sized_axes(function, descriptor, source_shape, weights_shape, output_shape)
    refuse_groups(function, "TensorFlow's conv2d_transpose", descriptor)
    (y, _, _), (x, _, _) = sized
    named = {style: name for name, style in _STYLES.items()}
    padding: str | list[list[int]]
    if descriptor.padding_style in named:
        padding = named[descriptor.padding_style]
    else:
        pads = [[y.leading, y.trailing], [x.leading, x.trailing]]
        nhwc = descriptor.data_layout == TensorNamedDataLayout.NHWC
        padding = [[0, 0], *pads, [0, 0]] if nhwc else [[0, 0], [0, 0], *pads]
    return {
        "output_shape": [index(size) for size in output_shape],
        "strides": [y.stride, x.stride],
        "padding": padding,
        "data_format": descriptor.data_layout.name,
        "dilations": [y.dilation, x.dilation],
    }


def refuse_groups(function: str, what: str, descriptor: Convolution2DOpDescriptor) -> None:
    """Raise if the descriptor has groups, which many frameworks' transposed convolutions lack."""
    if descriptor.groups != 1:
        raise ValueError(
            f"{function}: groups: expected 1, as {what} has no groups, got {descriptor.groups}"
        )


def _spatial(function: str, name: str, value: Sizes, data_format: str) -> tuple[int, int]:
    try:
        numbers = [index(number) for number in value]  # type: ignore[union-attr]
    except TypeError:
        numbers = [index(value)]  # type: ignore[arg-type]
    if len(numbers) == 1:
        numbers *= 2
    if len(numbers) == 4:
        at = data_format.index("H")
        beside = numbers[:at] + numbers[at + 2 :]
        numbers = numbers[at : at + 2] if beside == [1, 1] else []
    if len(numbers) != 2 or min(numbers) < 1:
        raise ValueError(
            f"{function}: {name}: expected 1, 2 or 4 integers of at least 1, and 1 along batch and "
            f"channels, got {value!r}"
        )
    return numbers[0], numbers[1]


def _pairs(
    function: str, padding: Sequence[Sequence[int]], data_format: str
) -> tuple[tuple[int, int], tuple[int, int]]:
    pairs = [tuple(index(number) for number in side) for side in padding]
    at = data_format.index("H")
    paired = len(pairs) == 4 and all(len(p) == 2 and min(p) >= 0 for p in pairs)
    if not paired or any(p != (0, 0) for i, p in enumerate(pairs) if i not in (at, at + 1)):
        raise ValueError(
            f"{function}: padding: expected SAME, VALID or four pairs of non-negative integers in "
            f"the order {data_format}, 0 along batch and channels, got {padding!r}"
        )
    (top, bottom), (left, right) = pairs[at], pairs[at + 1]
    return (top, bottom), (left, right)
