# SPDX-License-Identifier: MIT
"""How arrays are divided into chunks, and what is asked of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any, TypeAlias

import dask.array as da

Chunks: TypeAlias = tuple[int, ...]
DaskArray: TypeAlias = Any  # dask.array.Array: mypy does not look into dask


def follow(chunks: Chunks, size: int, scale: Fraction) -> Chunks:
    """Chunks of an axis of `size`, which is `scale` times another's, that end where its do."""
    edges, edge = [0], 0
    for chunk in chunks[:-1]:
        edge += chunk
        if edges[-1] < ceil(edge * scale) < size:
            edges.append(ceil(edge * scale))
    return tuple(b - a for a, b in pairwise([*edges, size]))


def normalized(chunks: Any, sized: Any, which: int, dtype: Any) -> tuple[Chunks, Chunks]:
    """Chunks of height and width as the user wants them; `sized` has the sizes at `which`."""
    y, x = da.core.normalize_chunks(chunks, tuple(axis[which] for axis in sized), dtype=dtype)
    return y, x


def check_array(label: str, name: str, array: Any) -> None:
    """Raise unless it is a Dask array."""
    if not isinstance(array, da.Array):
        raise TypeError(f"{label}: {name}: expected a Dask array, got {type(array).__name__}")


def check_dtype(label: str, name: str, array: Any, dtype: Any) -> None:
    """Raise unless it has the dtype that the plan has."""
    if array.dtype != dtype:
        raise TypeError(f"{label}: {name}: expected {dtype} as the other, got {array.dtype}")
