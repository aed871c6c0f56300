# SPDX-License-Identifier: MIT
"""What the tests of `convtranspose.torch` share: arguments, and how near two results must be."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

import torch

import tolerance


@dataclass(frozen=True)
class Arguments:
    """Those of `torch.nn.functional.conv_transpose2d`, and shapes of its tensors."""

    axes: int = 2
    batch: int | None = 2
    channels: int = 4
    per_group: int = 3
    extent: tuple[int, ...] = (5, 6)
    kernel: tuple[int, ...] = (3, 2)
    stride: int | tuple[int, ...] = 1
    padding: int | tuple[int, ...] = 0
    output_padding: int | tuple[int, ...] = 0
    groups: int = 1
    dilation: int | tuple[int, ...] = 1
    bias: bool = True

    @property
    def numbers(self):
        return self.stride, self.padding, self.output_padding, self.groups, self.dilation

    @property
    def terms(self):
        """Products summed in one element of the result, of each gradient."""
        batch, taps = self.batch or 1, prod(self.kernel)
        outputs = batch * prod(self.extent)
        # The stride spreads a source element over at most this many of the result.
        spread = prod(self.numbers_of(self.stride)) + max(self.numbers_of(self.output_padding))
        return (
            self.channels // self.groups * taps,
            self.per_group * taps,
            outputs,
            outputs * (spread + taps * max(self.numbers_of(self.dilation))),
        )

    def numbers_of(self, value):
        return value if isinstance(value, tuple) else (value,) * self.axes

    def tensors(self, dtype=torch.float64, seed=0):
        generator = torch.Generator().manual_seed(seed)
        batch = () if self.batch is None else (self.batch,)
        shapes = [
            (*batch, self.channels, *self.extent),
            (self.channels, self.per_group, *self.kernel),
            *([(self.per_group * self.groups,)] if self.bias else []),
        ]
        return [
            torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()
            for shape in shapes
        ]


def sweep():
    """Strides, paddings, dilations, groups and every output padding that PyTorch accepts."""
    for stride, padding, dilation, groups in product((1, 2, 3), (0, 1), (1, 2, 3), (1, 2)):
        for extra in range(max(stride, dilation)):
            yield Arguments(
                stride=stride,
                padding=padding,
                output_padding=extra,
                groups=groups,
                dilation=dilation,
                bias=extra % 2 == 0,
            )
    yield Arguments(stride=(2, 3), padding=(1, 0), output_padding=(1, 2), dilation=(1, 2))
    yield Arguments(stride=(3, 1), padding=(0, 2), kernel=(5, 4), groups=4, channels=4, per_group=1)
    yield Arguments(batch=None, stride=2, padding=1, output_padding=1)
    yield Arguments(batch=0, stride=2)
    yield Arguments(axes=1, extent=(9,), kernel=(4,), stride=2, padding=1)
    yield Arguments(axes=1, extent=(9,), kernel=(3,), stride=(2,), output_padding=3, dilation=4)
    yield Arguments(axes=1, extent=(9,), kernel=(3,), batch=None, groups=2)


def value_and_gradients(function, tensors, numbers, incoming=None):
    """Return the result, and the gradient of each tensor that an incoming one causes."""
    weighted = dict(zip(("input", "weight", "bias"), tensors, strict=False))
    result = function(**weighted, **named(numbers))
    incoming = torch.ones_like(result) if incoming is None else incoming
    return [result.detach(), *torch.autograd.grad(result, tensors, incoming)]


def named(numbers):
    names = ("stride", "padding", "output_padding", "groups", "dilation")
    return dict(zip(names, numbers, strict=True))


def assert_agree(ours, theirs, absolute, terms):
    """Both are lists of tensors; `absolute` holds the same of absolute values."""
    for mine, their, scale, count in zip(ours, theirs, absolute, terms, strict=False):
        assert mine.dtype == their.dtype or their.dtype == torch.float64
        wrong = tolerance.mismatch(numbers(mine), numbers(their), numbers(scale), count + 1)
        assert wrong is None, wrong


def numbers(tensor):
    from convtranspose.torch.tensors import array_of

    return array_of(tensor)
