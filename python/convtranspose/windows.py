# SPDX-License-Identifier: MIT
"""Which part of one tensor a part of the other depends on, along one axis.

A transposed convolution of a part of the source is the same operation with other paddings and
another output shape, so any tile of a result can be computed alone, exactly and with no row
computed twice. That is all that a computation over tiles needs, be it on a disk, in a cluster or
in a pipeline: the arithmetic is here, and nothing of it needs arrays.

Source element ``y`` meets output elements ``y * stride - padding + tap * dilation_rate``; with stride
2, kernel size 4 and padding 1::

    output          0 1 2 3 4 5 6 7 8 9
    source 0      [-----]
    source 1          [-----]                source_window(range(4, 8)): source 1 to 4
    source 2              [-----]            output_window(range(1, 3)): output 1 to 6
    source 3                  [-----]
    source 4                      [-----]
"""

from typing import NamedTuple


class Window(NamedTuple):
    """Elements from `start` up to `stop`, and the paddings with which they are the whole tensor."""

    start: int
    stop: int
    leading_padding: int
    trailing_padding: int

    @property
    def slice(self) -> slice:
        """What to index the tensor with."""
        return slice(self.start, self.stop)


def source_window(
    output_range: range,
    *,
    source_size: int,
    kernel_size: int,
    stride: int = 1,
    dilation_rate: int = 1,
    padding: int = 0,
) -> Window:
    """Part of the source that a part of a transposed convolution's result depends on.

    The transposed convolution of that part, with the paddings given and ``len(output_range)`` as
    its output size, is that part of the result. It satisfies ``strict=True`` where the whole does.

    Parameters
    ----------
    output_range : range
        Elements of the result along this axis, at least one, with step 1.
    source_size : int
        Number of the source's elements along this axis, at least 1.
    kernel_size, stride, dilation_rate : int
    padding : int
        The whole operation's leading padding: top or left.

    Returns
    -------
    Window
        ``start`` and ``stop`` of the source's part, never empty, and its ``leading_padding`` and
        ``trailing_padding``, never negative.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> import convtranspose as ct
    >>> source = np.arange(5, dtype=np.float32).reshape(1, 1, 1, 5)
    >>> weights = np.float32([1, 10, 100, 1000]).reshape(1, 1, 1, 4)
    >>> whole = ct.Convolution2DOpDescriptor(stride_in_x=2, padding_left=1, padding_right=1)
    >>> result = ct.convolution_transpose_2d(source, weights, (1, 1, 1, 10), whole)
    >>> w = ct.source_window(range(4, 8), source_size=5, kernel_size=4, stride=2, padding=1)
    >>> w
    Window(start=1, stop=5, leading_padding=3, trailing_padding=3)
    >>> part = whole.replace(padding_left=w.leading_padding, padding_right=w.trailing_padding)
    >>> tile = ct.convolution_transpose_2d(source[..., w.slice], weights, (1, 1, 1, 4), part)
    >>> np.array_equal(tile, result[..., 4:8])
    True
    """
    _check_range("source_window", "output_range", output_range)
    _check_least("source_window", "padding", padding, 0)
    _check_least("source_window", "source_size", source_size, 1)
    _check_kernel("source_window", kernel_size, stride, dilation_rate)
    reach = (kernel_size - 1) * dilation_rate
    first, last = output_range[0] + padding, output_range[-1] + padding
    # The first source element with a tap at or after `first`; but one that starts at or before it,
    # as paddings are not negative.
    start = max(0, min(-((reach - first) // stride), first // stride))
    start = min(start, source_size - 1)
    stop = max(start + 1, min(source_size, last // stride + 1))
    leading = first - start * stride
    extent = (stop - 1 - start) * stride + reach + 1
    return Window(start, stop, leading, max(0, extent - leading - len(output_range)))


def output_window(
    source_range: range,
    *,
    output_size: int,
    kernel_size: int,
    stride: int = 1,
    dilation_rate: int = 1,
    padding: int = 0,
) -> Window:
    """Part of a transposed convolution's result that a part of its source touches.

    Both gradients need it. The data gradient of that part of the incoming gradient, with the
    paddings given, is that part of the data gradient; and the weights gradients of the parts sum up
    to the whole weights gradient, if the ranges divide the source among them.

    Parameters
    ----------
    source_range : range
        Elements of the source along this axis, at least one, with step 1.
    output_size : int
        Number of the result's (the incoming gradient's) elements along this axis.
    kernel_size, stride, dilation_rate : int
    padding : int
        The whole operation's leading padding: top or left.

    Returns
    -------
    Window
        ``start`` and ``stop`` of the result's part, empty where the source's part is all padded
        away, and its ``leading_padding`` and ``trailing_padding``, never negative.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> import convtranspose as ct
    >>> gradient = np.arange(10, dtype=np.float32).reshape(1, 1, 1, 10)
    >>> weights = np.float32([1, 10, 100, 1000]).reshape(1, 1, 1, 4)
    >>> whole = ct.Convolution2DOpDescriptor(stride_in_x=2, padding_left=1, padding_right=1)
    >>> result = ct.convolution_transpose_2d_data_gradient(gradient, weights, (1, 1, 1, 5), whole)
    >>> w = ct.output_window(range(1, 3), output_size=10, kernel_size=4, stride=2, padding=1)
    >>> w
    Window(start=1, stop=7, leading_padding=0, trailing_padding=0)
    >>> part = whole.replace(padding_left=w.leading_padding, padding_right=w.trailing_padding)
    >>> tile = ct.convolution_transpose_2d_data_gradient(
    ...     gradient[..., w.slice], weights, (1, 1, 1, 2), part)
    >>> np.array_equal(tile, result[..., 1:3])
    True
    """
    _check_range("output_window", "source_range", source_range)
    _check_least("output_window", "padding", padding, 0)
    _check_least("output_window", "output_size", output_size, 0)
    _check_kernel("output_window", kernel_size, stride, dilation_rate)
    first = source_range[0] * stride - padding
    end = source_range[-1] * stride - padding + (kernel_size - 1) * dilation_rate + 1
    start = min(max(first, 0), output_size)
    stop = max(start, min(end, output_size))
    leading = min(max(0, start - first), end - first)
    return Window(start, stop, leading, max(0, end - first - leading - (stop - start)))


def _check_range(function: str, name: str, elements: range) -> None:
    if len(elements) == 0 or elements.step != 1 or elements.start < 0:
        raise ValueError(
            f"{function}: {name}: expected a range with step 1 that starts at 0 or later and is "
            f"not empty, got {elements}"
        )


def _check_kernel(function: str, kernel_size: int, stride: int, dilation_rate: int) -> None:
    _check_least(function, "kernel_size", kernel_size, 1)
    _check_least(function, "stride", stride, 1)
    _check_least(function, "dilation_rate", dilation_rate, 1)


def _check_least(function: str, name: str, value: int, least: int) -> None:
    if value < least:
        raise ValueError(f"{function}: {name}: expected at least {least}, got {value}")
