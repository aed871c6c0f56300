# SPDX-License-Identifier: MIT
"""`torch.nn.functional.conv_transpose2d` and ``1d``, with our kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from ..typing import FastMath
from . import library
from .checks import check_on_cpu

_AXES = {1: ("length",), 2: ("height", "width")}


def conv_transpose2d(
    input: torch.Tensor,  # noqa: A002  PyTorch's name
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
    *,
    fast_math: FastMath | None = None,
) -> torch.Tensor:
    """Transposed convolution with the arguments of `torch.nn.functional.conv_transpose2d`.

    Parameters
    ----------
    input : Tensor, shape (N, C, h, w) or (C, h, w)
        On the CPU; float32, float64, float16 or bfloat16.
    weight : Tensor, shape (C, K / groups, kh, kw)
    bias : Tensor, shape (K,), optional
    stride, padding, output_padding, dilation : int or (int, int)
        For the height and the width.
    groups : int
    fast_math : bool or "aggressive", optional
        See `convtranspose.operations`; gradients are computed with the same.

    Returns
    -------
    Tensor, shape (N, K, H, W) or (K, H, W)
        ``H = (h - 1) * stride - 2 * padding + dilation * (kh - 1) + output_padding + 1``. In
        memory the channels come last if they do in `input`.

    Raises
    ------
    RuntimeError
        If shapes and numbers do not go together, as PyTorch, or a tensor is not on the CPU.
    TypeError
        If an argument is no tensor, or of a dtype that is unsupported or not the others'.

    Examples
    --------
    >>> import torch
    >>> from convtranspose.torch import conv_transpose2d
    >>> conv_transpose2d(torch.ones(1, 2, 2), torch.ones(1, 1, 2, 2), stride=2)
    tensor([[[1., 1., 1., 1.],
             [1., 1., 1., 1.],
             [1., 1., 1., 1.],
             [1., 1., 1., 1.]]])
    """
    return conv_transpose(
        2, input, weight, bias, stride, padding, output_padding, groups, dilation, fast_math
    )


def conv_transpose1d(
    input: torch.Tensor,  # noqa: A002  PyTorch's name
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    groups: int = 1,
    dilation: int | Sequence[int] = 1,
    *,
    fast_math: FastMath | None = None,
) -> torch.Tensor:
    """Transposed convolution with the arguments of `torch.nn.functional.conv_transpose1d`.

    It is `conv_transpose2d` over one row.

    Parameters
    ----------
    input : Tensor, shape (N, C, l) or (C, l)
    weight : Tensor, shape (C, K / groups, k)
    bias : Tensor, shape (K,), optional
    stride, padding, output_padding, dilation : int or (int,)
    groups : int
    fast_math : bool or "aggressive", optional

    Returns
    -------
    Tensor, shape (N, K, L) or (K, L)

    Raises
    ------
    RuntimeError, TypeError
        As `conv_transpose2d`.

    Examples
    --------
    >>> import torch
    >>> from convtranspose.torch import conv_transpose1d
    >>> kernel = torch.tensor([1.0, 10, 100]).reshape(1, 1, 3)
    >>> conv_transpose1d(torch.tensor([[1.0, 2, 3]]), kernel, stride=2)
    tensor([[  1.,  10., 102.,  20., 203.,  30., 300.]])
    """
    return conv_transpose(
        1, input, weight, bias, stride, padding, output_padding, groups, dilation, fast_math
    )


def conv_transpose(
    axes: int,
    source: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: int | Sequence[int],
    padding: int | Sequence[int],
    output_padding: int | Sequence[int],
    groups: int,
    dilation: int | Sequence[int],
    fast_math: FastMath | None,
    plans: int = 0,
) -> torch.Tensor:
    """Do `conv_transpose1d` or `conv_transpose2d`, with the plans of a `PlanCache` if given."""
    name = f"conv_transpose{axes}d"
    check_on_cpu(name, input=source, weight=weight, bias=bias)
    _check_channels(name, axes, source, weight, bias, groups)
    steps = _numbers(name, "stride", axes, stride, 1)
    pads = _numbers(name, "padding", axes, padding, 0)
    extras = _numbers(name, "output_padding", axes, output_padding, 0)
    spacings = _numbers(name, "dilation", axes, dilation, 1)
    extents = []
    for axis, (step, pad, extra, spacing) in enumerate(
        zip(steps, pads, extras, spacings, strict=True)
    ):
        if extra >= step and extra >= spacing:
            raise RuntimeError(
                f"{name}: output_padding: expected less than the stride or the dilation, got "
                f"{extra} with stride {step} and dilation {spacing}"
            )
        where = axis - axes
        length, taps = source.shape[where], weight.shape[where]
        extent = (length - 1) * step - 2 * pad + spacing * (taps - 1) + extra + 1
        if length < 1 or extent < 1:
            raise RuntimeError(
                f"{name}: input: expected a {_AXES[axes][axis]} that leaves a result, got {length} "
                f"in {tuple(source.shape)}: the result's would be {extent}"
            )
        extents.append(extent)
    # Beyond stride - 1 no convolution relates the two sizes. PyTorch allows up to dilation - 1
    # all the same; its values are those of `strict=False`.
    strict = all(extra < step for extra, step in zip(extras, steps, strict=True))

    batched = source.dim() == axes + 2
    if not batched:
        source = source.unsqueeze(0)
    if axes == 1:
        source, weight = source.unsqueeze(2), weight.unsqueeze(2)
        steps, pads, spacings, extents = [1, *steps], [0, *pads], [1, *spacings], [1, *extents]
    result = library.forward(
        source,
        weight,
        bias,
        [source.shape[0], weight.shape[1] * groups, *extents],
        # X before Y, leading before trailing, explicit padding.
        [*steps[::-1], *spacings[::-1], groups, pads[1], pads[1], pads[0], pads[0], 0],
        strict,
        name,
        library.fast_math_index(name, fast_math),
        plans,
    )
    if axes == 1:
        result = result.squeeze(2)
    return result if batched else result.squeeze(0)


def _numbers(
    name: str, argument: str, axes: int, value: int | Sequence[int], least: int
) -> list[int]:
    given = value if isinstance(value, Sequence) else (value,)
    numbers = [int(number) if isinstance(number, np.integer) else number for number in given]
    whole = all(isinstance(number, (int, torch.SymInt)) for number in numbers)
    if not whole or len(numbers) not in (1, axes):
        raise TypeError(f"{name}: {argument}: expected an int or {axes} of them, got {value!r}")
    if len(numbers) == 1:
        numbers *= axes
    if min(numbers) < least:
        raise RuntimeError(f"{name}: {argument}: expected at least {least}, got {value}")
    return numbers


def _check_channels(
    name: str,
    axes: int,
    source: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    groups: int,
) -> None:
    if source.dim() not in (axes + 1, axes + 2):
        raise RuntimeError(
            f"{name}: input: expected {axes + 2} dimensions, or {axes + 1} without a batch, got "
            f"{source.dim()} in {tuple(source.shape)}"
        )
    if weight.dim() != axes + 2:
        raise RuntimeError(
            f"{name}: weight: expected {axes + 2} dimensions, got {weight.dim()} in "
            f"{tuple(weight.shape)}"
        )
    channels = source.shape[-1 - axes]
    if not isinstance(groups, int) or groups < 1 or weight.shape[0] % groups:
        raise RuntimeError(
            f"{name}: groups: expected a positive divisor of {weight.shape[0]} channels, got "
            f"{groups!r}"
        )
    if channels != weight.shape[0]:
        raise RuntimeError(
            f"{name}: input: expected {weight.shape[0]} channels as weight has in "
            f"{tuple(weight.shape)}, got {channels} in {tuple(source.shape)}"
        )
    if bias is not None and tuple(bias.shape) != (weight.shape[1] * groups,):
        raise RuntimeError(
            f"{name}: bias: expected shape ({weight.shape[1] * groups},), one number a channel of "
            f"the result, got {tuple(bias.shape)}"
        )
