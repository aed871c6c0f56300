# SPDX-License-Identifier: MIT
"""What holds for every tensor argument."""

from __future__ import annotations

import torch


def check_on_cpu(operation: str, **tensors: torch.Tensor | None) -> None:
    """Refuse what is no tensor, and what does not lie in the CPU's memory in the common way.

    Tensors on ``meta`` pass: they have a shape and no values.
    """
    for argument, tensor in tensors.items():
        if tensor is None and argument == "bias":
            continue
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(
                f"{operation}: {argument}: expected a Tensor, got {type(tensor).__name__}"
            )
        if tensor.device.type not in ("cpu", "meta"):
            raise RuntimeError(
                f"{operation}: {argument}: expected a tensor on the CPU, got one on {tensor.device}"
            )
        if tensor.layout != torch.strided:
            raise RuntimeError(
                f"{operation}: {argument}: expected a strided tensor, got {tensor.layout}"
            )
