# SPDX-License-Identifier: MIT
"""JAX's ``lax.conv_transpose``: a convolution of the dilated source, kernel not flipped.

It is the transposed convolution with the kernel flipped and its channel axes swapped, unless
``transpose_kernel=True`` does that. A padding given in numbers is that of the dilated source:
(E - 1 - leading, E - 1 - trailing) with E the dilated kernel, unless ``use_consistent_padding``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from .._core import Convolution2DOpDescriptor, TensorNamedDataLayout
from ..axes import Axis, Four, checked_shape, with_axes
from ..typing import Array, Shape
from .arguments import Sizes, pair
from .shapes import shape_of_result, sized_axes
from .tensorflow import LAYOUTS, refuse_groups
from .weights import flip_kernel

DimensionNumbers: TypeAlias = tuple[str, str, str]
Padding: TypeAlias = str | Sequence[Sequence[int]]

_DEFAULT: DimensionNumbers = ("NHWC", "HWIO", "NHWC")
_WEIGHTS = {"HWIO": TensorNamedDataLayout.HWIO, "OIHW": TensorNamedDataLayout.OIHW}


def from_jax(
    strides: Sizes,
    padding: Padding,
    *,
    kernel_size: Sizes,
    rhs_dilation: Sizes | None = None,
    dimension_numbers: DimensionNumbers | None = None,
    use_consistent_padding: bool = False,
) -> Convolution2DOpDescriptor:
    """Descriptor of JAX's ``lax.conv_transpose``; `weights_from_jax` makes the weights fit.

    Parameters
    ----------
    strides : int or (int, int)
    padding : {"SAME", "VALID"} or two pairs of int
    kernel_size : int or (int, int)
        Height and width of the kernel, on which the padding depends.
    rhs_dilation : int or (int, int), optional
    dimension_numbers : tuple of 3 str, optional
        NHWC or NCHW for source and result, HWIO or OIHW for the kernel.
    use_consistent_padding : bool, default False

    Returns
    -------
    Convolution2DOpDescriptor
        With explicit padding; `jax_output_shape` tells the shape.

    Raises
    ------
    ValueError, TypeError
        If an argument is not one that JAX takes, or the padding is beyond the kernel: MPSGraph has
        no negative padding.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> d = Convolution2DOpDescriptor.from_jax((2, 2), "SAME", kernel_size=(5, 5))
    >>> d.padding_left, d.padding_right, d.data_layout.name, d.weights_layout.name
    (1, 2, 'NHWC', 'HWIO')
    """
    y, x, data, weights = _axes(
        "from_jax",
        strides,
        padding,
        pair("from_jax", "kernel_size", kernel_size, 1),
        rhs_dilation,
        dimension_numbers,
        use_consistent_padding,
    )
    return _descriptor(y[0], x[0], data, weights)


def jax_output_shape(
    source_shape: Shape,
    weights_shape: Shape,
    strides: Sizes,
    padding: Padding,
    *,
    rhs_dilation: Sizes | None = None,
    dimension_numbers: DimensionNumbers | None = None,
    use_consistent_padding: bool = False,
) -> Four:
    """Shape of what ``lax.conv_transpose`` returns; `weights_shape` is the descriptor's.

    Examples
    --------
    >>> from convtranspose.converters import jax_output_shape
    >>> jax_output_shape((1, 5, 5, 8), (3, 3, 4, 8), (2, 2), "VALID")
    (1, 11, 11, 4)
    """
    function = "jax_output_shape"
    layout = _WEIGHTS[_numbers(function, dimension_numbers)[1]]
    weights = checked_shape(function, "weights_shape", layout, weights_shape)
    (y, extra_y), (x, extra_x), data, _ = _axes(
        function,
        strides,
        padding,
        (weights[2], weights[3]),
        rhs_dilation,
        dimension_numbers,
        use_consistent_padding,
    )
    source = checked_shape(function, "source_shape", data, source_shape)
    size = y.smallest(source[2]) + extra_y, x.smallest(source[3]) + extra_x
    descriptor = _descriptor(y, x, data, layout)
    return shape_of_result(function, descriptor, source_shape, weights_shape, size)


def to_jax_args(
    descriptor: Convolution2DOpDescriptor,
    source_shape: Shape,
    weights_shape: Shape,
    output_shape: Shape,
) -> dict[str, Any]:
    """Keyword arguments with which ``lax.conv_transpose`` computes the same.

    They have ``transpose_kernel=True``, with which JAX takes the descriptor's weights as they are.

    Raises
    ------
    ValueError
        If there are groups, or shapes do not match.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> d = Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2, padding_left=1)
    >>> d.to_jax_args((1, 8, 5, 5), (8, 4, 3, 3), (1, 4, 11, 10))["padding"]
    [(2, 2), (1, 2)]
    """
    function = "to_jax_args"
    sized = sized_axes(function, descriptor, source_shape, weights_shape, output_shape)
    refuse_groups(function, "JAX's conv_transpose", descriptor)
    data = descriptor.data_layout.name
    return {
        "strides": tuple(axis.stride for axis, _, _ in sized),
        "padding": [
            (axis.extent - 1 - axis.leading, output - (source - 1) * axis.stride + axis.leading - 1)
            for axis, source, output in sized
        ],
        "rhs_dilation": tuple(axis.dilation for axis, _, _ in sized),
        "dimension_numbers": (data, descriptor.weights_layout.name, data),
        "transpose_kernel": True,
    }


def weights_from_jax(
    kernel: Array,
    dimension_numbers: DimensionNumbers | None = None,
    *,
    transpose_kernel: bool = False,
) -> Array:
    """The kernel of ``lax.conv_transpose`` as MPSGraph's weights, in the descriptor's layout.

    It is a view of `kernel`, and its own inverse: it makes the kernel of weights, too.

    Examples
    --------
    >>> import numpy as np
    >>> from convtranspose.converters import weights_from_jax
    >>> weights_from_jax(np.arange(6).reshape(1, 3, 1, 2))[0, :, 0, 0]
    array([4, 2, 0])
    """
    numbers = _numbers("weights_from_jax", dimension_numbers)
    if transpose_kernel:
        return np.asarray(kernel)
    return flip_kernel(np.asarray(kernel), _WEIGHTS[numbers[1]])


def _numbers(function: str, dimension_numbers: DimensionNumbers | None) -> DimensionNumbers:
    data, weights, result = _DEFAULT if dimension_numbers is None else dimension_numbers
    if data not in LAYOUTS or weights not in _WEIGHTS or result != data:
        raise ValueError(
            f"{function}: dimension_numbers: expected (data, weights, data) with data NHWC or NCHW "
            f"and weights HWIO or OIHW, got {dimension_numbers!r}"
        )
    return data, weights, result


def _axes(
    function: str,
    strides: Sizes,
    padding: Padding,
    kernel: tuple[int, int],
    rhs_dilation: Sizes | None,
    dimension_numbers: DimensionNumbers | None,
    consistent: bool,
) -> tuple[tuple[Axis, int], tuple[Axis, int], TensorNamedDataLayout, TensorNamedDataLayout]:
    """Axes Y and X, each with the elements beyond the smallest output, and the layouts."""
    numbers = _numbers(function, dimension_numbers)
    stride = pair(function, "strides", strides, 1)
    dilation = pair(function, "rhs_dilation", 1 if rhs_dilation is None else rhs_dilation, 1)
    if isinstance(padding, str):
        if padding not in ("SAME", "VALID"):
            raise ValueError(
                f"{function}: padding: expected SAME, VALID or two pairs, got {padding!r}"
            )
        each: list[Any] = [padding, padding]
    else:
        each = [tuple(side) for side in padding]
        if len(each) != 2 or any(len(side) != 2 for side in each):
            raise ValueError(
                f"{function}: padding: expected SAME, VALID or two pairs, got {padding!r}"
            )
    y, x = (
        _axis(function, Axis(k, s, d), p, consistent)
        for k, s, d, p in zip(kernel, stride, dilation, each, strict=True)
    )
    return y, x, LAYOUTS[numbers[0]], _WEIGHTS[numbers[1]]


def _axis(function: str, axis: Axis, padding: Any, consistent: bool) -> tuple[Axis, int]:
    reach = axis.extent - 1
    if padding == "SAME":  # both ends of the dilated source together get reach + stride - 1
        total = reach + axis.stride - 1
        before = reach if axis.stride > reach else (total + 1) // 2
        after = total - before
    elif padding == "VALID":
        before, after = reach, reach + max(0, axis.stride - axis.extent)
    elif consistent:
        before, after = reach - padding[0], reach - padding[1]
    else:
        before, after = padding
    if before > reach:
        raise ValueError(
            f"{function}: padding: expected at most {reach} zeros before the source, as MPSGraph "
            f"has no negative padding, got {before}"
        )
    leading, trailing = reach - before, reach - after
    padded = Axis(axis.kernel, axis.stride, axis.dilation, leading, max(0, trailing))
    return padded, max(0, -trailing)


def _descriptor(
    y: Axis, x: Axis, data: TensorNamedDataLayout, weights: TensorNamedDataLayout
) -> Convolution2DOpDescriptor:
    return with_axes(Convolution2DOpDescriptor(data_layout=data, weights_layout=weights), y, x)
