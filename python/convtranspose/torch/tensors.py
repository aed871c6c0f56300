# SPDX-License-Identifier: MIT
"""Tensors as numpy arrays over the same memory, and new ones for results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..typing import Array

DTYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def array_of(tensor: torch.Tensor) -> Array:
    """Return a numpy array over the memory of a CPU tensor, with its strides."""
    tensor = tensor.detach()
    if tensor.dtype != torch.bfloat16:
        array: Array = tensor.numpy()
        return array
    import ml_dtypes

    # numpy knows no bfloat16 by itself: the bits go through as integers.
    bits: Array = tensor.view(torch.int16).numpy()
    return bits.view(ml_dtypes.bfloat16)


def empty_result(shape: Sequence[Any], first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """Return a new tensor of the dtype and memory format of the inputs."""
    return torch.empty(
        shape, dtype=first.dtype, device=first.device, memory_format=_format(first, second)
    )


def _format(first: torch.Tensor, second: torch.Tensor) -> torch.memory_format:
    """Return what the first tensor whose strides leave no doubt says."""
    for tensor in (first, second):
        planes = tensor.is_contiguous()
        pixels = tensor.is_contiguous(memory_format=torch.channels_last)
        if planes != pixels:  # with one channel or one pixel they are the same
            return torch.channels_last if pixels else torch.contiguous_format
    return torch.contiguous_format
