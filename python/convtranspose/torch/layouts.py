# SPDX-License-Identifier: MIT
"""Descriptors and their layouts in the terms of the operators, which know NCHW and OIHW only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from .. import Convolution2DOpDescriptor, PaddingStyle, TensorNamedDataLayout
from .library import FIELDS


@dataclass(frozen=True)
class Layouts:
    """Views of tensors in the operators' order of axes, and back: nothing is moved."""

    pixels_last: bool
    spatial_first: bool

    @classmethod
    def of(cls, descriptor: Convolution2DOpDescriptor) -> tuple[Layouts, list[int]]:
        """Return a descriptor's layouts and its other fields."""
        fields = [int(getattr(descriptor, field)) for field in FIELDS]
        layouts = cls(
            descriptor.data_layout == TensorNamedDataLayout.NHWC,
            descriptor.weights_layout == TensorNamedDataLayout.HWIO,
        )
        return layouts, fields

    def planes(self, data: torch.Tensor) -> torch.Tensor:
        """(N, C, H, W) of a tensor in the data layout."""
        return data.permute(0, 3, 1, 2) if self.pixels_last else data

    def data(self, planes: torch.Tensor) -> torch.Tensor:
        """The data layout of (N, C, H, W)."""
        return planes.permute(0, 2, 3, 1) if self.pixels_last else planes

    def planar_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """(N, C, H, W) of a shape in the data layout."""
        return _picked(shape, (0, 3, 1, 2)) if self.pixels_last else shape

    def canonical_weights(self, weights: torch.Tensor) -> torch.Tensor:
        """(O, I, kh, kw) of weights in the weights layout."""
        return weights.permute(3, 2, 0, 1) if self.spatial_first else weights

    def weights(self, canonical: torch.Tensor) -> torch.Tensor:
        """The weights layout of (O, I, kh, kw)."""
        return canonical.permute(2, 3, 1, 0) if self.spatial_first else canonical

    def canonical_weights_shape(self, shape: Sequence[int]) -> Sequence[int]:
        """(O, I, kh, kw) of a shape in the weights layout."""
        return _picked(shape, (3, 2, 0, 1)) if self.spatial_first else shape


def _picked(shape: Sequence[int], order: Sequence[int]) -> Sequence[int]:
    # A shape of the wrong length goes on as it is, for the operation to refuse.
    return [shape[axis] for axis in order] if len(shape) == len(order) else shape


def convolved_shape(
    name: str, source: torch.Tensor, weights: torch.Tensor, fields: Sequence[int]
) -> list[int]:
    """(N, O, h, w) of a convolution's result, or a ValueError."""
    named = dict(zip(FIELDS, fields, strict=True))
    channels = weights.shape[1] * named["groups"]
    if source.shape[1] != channels:
        raise ValueError(
            f"{name}: source: expected {channels} channels (groups {named['groups']} times the I "
            f"axis, {weights.shape[1]}), got {source.shape[1]} in NCHW {tuple(source.shape)}"
        )
    extents = []
    for axis, letter, sides in ((2, "y", ("top", "bottom")), (3, "x", ("left", "right"))):
        stride = max(1, named[f"stride_in_{letter}"])  # 0 is refused later
        reach = (weights.shape[axis] - 1) * named[f"dilation_rate_in_{letter}"] + 1
        explicit = named["padding_style"] == PaddingStyle.EXPLICIT
        padding = sum(named[f"padding_{side}"] for side in sides) if explicit else 0
        if named["padding_style"] in (PaddingStyle.TF_SAME, PaddingStyle.ONNX_SAME_LOWER):
            extents.append(-(-source.shape[axis] // stride))
        elif source.shape[axis] + padding < reach:
            raise ValueError(
                f"{name}: source: expected at least {reach} along axis {axis} of NCHW with its "
                f"padding, {padding}, got {source.shape[axis]} in {tuple(source.shape)}"
            )
        else:
            extents.append((source.shape[axis] + padding - reach) // stride + 1)
    return [source.shape[0], weights.shape[0], *extents]
