# SPDX-License-Identifier: MIT
"""Where the tensors between operations live: one block of memory, used again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..typing import Array
from .tensor import Tensor

ALIGNMENT = 64  # a cache line, and the widest vector


@dataclass(eq=False)
class Slot:
    """Bytes for one tensor at a time, from the step that writes it to the last that reads it."""

    tensors: list[Tensor]
    nbytes: int
    first: int
    last: int
    offset: int = 0

    def meets(self, other: Slot) -> bool:
        """Both alive at one time."""
        return self.first <= other.last and other.first <= self.last


Order: TypeAlias = Callable[[Slot], tuple[int, ...]]

# No order is best for every graph; these are tried until one needs no more than the bound.
_ORDERS: tuple[Order, ...] = (
    lambda slot: (-slot.nbytes, slot.first),
    lambda slot: (slot.first, -slot.nbytes),
    lambda slot: (-slot.last, -slot.nbytes),
    lambda slot: (slot.first - slot.last, -slot.nbytes),
)


def rounded(nbytes: int) -> int:
    """Up to the alignment."""
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def liveness_bound(slots: Sequence[Slot]) -> int:
    """Bytes alive at once, at the step where they are most: no placement can need fewer."""
    return max(
        (sum(s.nbytes for s in slots if s.first <= slot.first <= s.last) for slot in slots),
        default=0,
    )


def place(slots: Sequence[Slot]) -> int:
    """Set the offsets, and return how many bytes they need together."""
    bound, best, offsets = liveness_bound(slots), -1, [0] * len(slots)
    for order in _ORDERS:
        size = _place_in_order(sorted(slots, key=order))
        if best < 0 or size < best:
            best, offsets = size, [slot.offset for slot in slots]
        if best == bound:
            break
    for slot, offset in zip(slots, offsets, strict=True):
        slot.offset = offset
    return max(best, 0)


def _place_in_order(slots: Sequence[Slot]) -> int:
    """Each slot at the lowest gap that is free for its whole life."""
    placed: list[Slot] = []
    for slot in slots:
        slot.offset = 0
        for other in sorted(filter(slot.meets, placed), key=lambda other: other.offset):
            if slot.offset + slot.nbytes <= other.offset:
                break
            slot.offset = max(slot.offset, other.offset + other.nbytes)
        placed.append(slot)
    return max((slot.offset + slot.nbytes for slot in placed), default=0)


def allocate(slots: Sequence[Slot], nbytes: int) -> dict[Tensor, Array]:
    """The block, as one array a tensor."""
    block = np.empty(nbytes + ALIGNMENT, np.uint8)
    start = -block.ctypes.data % ALIGNMENT
    return {
        tensor: block[start + slot.offset :][: tensor.nbytes]
        .view(tensor.dtype)
        .reshape(tensor.shape)
        for slot in slots
        for tensor in slot.tensors
    }
