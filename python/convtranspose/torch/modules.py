# SPDX-License-Identifier: MIT
"""`torch.nn.ConvTranspose2d` and ``1d``, with our kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..typing import FastMath
from .functional import conv_transpose
from .plan_cache import PlanCache


class ConvTranspose2d(torch.nn.ConvTranspose2d):
    """Transposed convolution layer: a `torch.nn.ConvTranspose2d` in all but its kernels.

    Parameters, attributes and state dicts are the same, so either loads the other's weights. The
    layer works on the CPU only. `accelerate` makes such layers of a model's own.

    Examples
    --------
    >>> import torch
    >>> from convtranspose.torch import ConvTranspose2d
    >>> layer = ConvTranspose2d(8, 3, kernel_size=4, stride=2, padding=1)
    >>> layer(torch.zeros(1, 8, 10, 10)).shape
    torch.Size([1, 3, 20, 20])
    """

    fast_math: FastMath | None = None
    plans: PlanCache | None = None

    def forward(
        self,
        input: torch.Tensor,  # noqa: A002  PyTorch's name
        output_size: Sequence[int] | None = None,
    ) -> torch.Tensor:
        """Return the transposed convolution of `input`, of spatial `output_size` if given."""
        return _forward(self, 2, input, output_size)

    def train(self, mode: bool = True) -> Any:
        """Set the mode of the layer; training forgets what was packed for inference."""
        return _train(self, super().train(mode))


class ConvTranspose1d(torch.nn.ConvTranspose1d):
    """Transposed convolution layer: a `torch.nn.ConvTranspose1d` in all but its kernels.

    As `ConvTranspose2d`, over one axis.

    Examples
    --------
    >>> import torch
    >>> from convtranspose.torch import ConvTranspose1d
    >>> layer = ConvTranspose1d(8, 4, kernel_size=16, stride=8, padding=4)
    >>> layer(torch.zeros(1, 8, 100)).shape
    torch.Size([1, 4, 800])
    """

    fast_math: FastMath | None = None
    plans: PlanCache | None = None

    def forward(
        self,
        input: torch.Tensor,  # noqa: A002  PyTorch's name
        output_size: Sequence[int] | None = None,
    ) -> torch.Tensor:
        """Return the transposed convolution of `input`, of `output_size` if given."""
        return _forward(self, 1, input, output_size)

    def train(self, mode: bool = True) -> Any:
        """Set the mode of the layer; training forgets what was packed for inference."""
        return _train(self, super().train(mode))


def _forward(
    layer: ConvTranspose1d | ConvTranspose2d,
    axes: int,
    source: torch.Tensor,
    output_size: Sequence[int] | None,
) -> torch.Tensor:
    output_padding = layer._output_padding(
        source, output_size, layer.stride, layer.padding, layer.kernel_size, axes, layer.dilation
    )
    return conv_transpose(
        axes,
        source,
        layer.weight,
        layer.bias,
        layer.stride,
        layer.padding,
        output_padding,
        layer.groups,
        layer.dilation,
        layer.fast_math,
        0 if layer.plans is None or layer.training else layer.plans.number,
    )


def _train(layer: ConvTranspose1d | ConvTranspose2d, result: Any) -> Any:
    if layer.plans is not None and layer.training:
        layer.plans.clear()
    return result
