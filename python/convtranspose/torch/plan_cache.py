# SPDX-License-Identifier: MIT
"""Plans of a layer whose weights rarely change: packed once a shape, while they stay the same.

The operator finds a cache by its number, since an operator's arguments are tensors and numbers.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any, Final, NamedTuple

import torch

from .. import Convolution2DOpDescriptor, ConvolutionTranspose2DPlan
from .tensors import array_of

# A layer sees one or two shapes; each plan holds a copy of its weights.
_MOST_PLANS: Final = 4

_NUMBERS: Final = itertools.count(1)
_CACHES: Final[weakref.WeakValueDictionary[int, PlanCache]] = weakref.WeakValueDictionary()


class _Stamp(NamedTuple):
    """A tensor at one moment. The alias keeps its memory from becoming another tensor's."""

    alias: torch.Tensor
    version: int

    @classmethod
    def of(cls, tensor: torch.Tensor) -> _Stamp:
        return cls(tensor.detach(), tensor._version)

    def fits(self, tensor: torch.Tensor) -> bool:
        mine = self.alias
        return bool(
            self.version == tensor._version
            and mine.data_ptr() == tensor.data_ptr()
            and mine.shape == tensor.shape
            and mine.stride() == tensor.stride()
        )


class _Entry(NamedTuple):
    plan: ConvolutionTranspose2DPlan
    stamps: tuple[_Stamp, ...]


class PlanCache:
    """At most four plans, the last used; a copy of one starts empty."""

    def __init__(self) -> None:
        self.number = next(_NUMBERS)
        self._lock = threading.Lock()
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        _CACHES[self.number] = self

    @staticmethod
    def find(number: int) -> PlanCache | None:
        """Return the cache of a number, if it still exists; 0 is none's."""
        return _CACHES.get(number)

    def __len__(self) -> int:
        return len(self._entries)

    def clear(self) -> None:
        """Forget all plans."""
        with self._lock:
            self._entries.clear()

    def plan(
        self,
        source: torch.Tensor,
        weights: torch.Tensor,
        bias: torch.Tensor | None,
        output_shape: tuple[int, ...],
        descriptor: Convolution2DOpDescriptor,
        fields: tuple[int, ...],
        name: str,
        **how: Any,
    ) -> ConvolutionTranspose2DPlan | None:
        """Return a plan for these, new if there is none or the weights changed since.

        None for tensors of `torch.inference_mode`, which do not tell that they changed.
        """
        tensors = (weights,) if bias is None else (weights, bias)
        if any(tensor.is_inference() for tensor in tensors):
            return None
        key = source.dtype, tuple(source.shape), output_shape, fields, *how.items()
        with self._lock:
            entry = self._entries.get(key)
            if (
                entry
                and len(entry.stamps) == len(tensors)
                and all(map(_Stamp.fits, entry.stamps, tensors))
            ):
                self._entries.move_to_end(key)
                return entry.plan
        stamps = tuple(map(_Stamp.of, tensors))
        plan = ConvolutionTranspose2DPlan(
            tuple(source.shape),
            array_of(weights),
            output_shape,
            descriptor,
            name,
            bias=None if bias is None else array_of(bias),
            **how,
        )
        with self._lock:
            self._entries[key] = _Entry(plan, stamps)
            self._entries.move_to_end(key)
            while len(self._entries) > _MOST_PLANS:
                self._entries.popitem(last=False)
        return plan

    def __deepcopy__(self, memo: dict[int, Any]) -> PlanCache:
        return PlanCache()

    def __reduce__(self) -> tuple[Any, ...]:
        return PlanCache, ()
