# SPDX-License-Identifier: MIT
"""Arrays with one chunk for each window, neighbours overlapping."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

import dask.array as da

from .. import Window, output_window, source_window
from ..axes import Axis
from .division import Chunks, DaskArray


def ranges(chunks: Sequence[int]) -> list[range]:
    """The elements of each chunk along an axis."""
    return [range(a, b) for a, b in pairwise(accumulate(chunks, initial=0))]


def source_windows(chunks: Chunks, axis: Axis, source_size: int) -> list[Window]:
    """What each of the output's chunks needs of the source."""
    return [
        source_window(
            elements,
            source_size=source_size,
            kernel_size=axis.kernel,
            stride=axis.stride,
            dilation_rate=axis.dilation,
            padding=axis.leading,
        )
        for elements in ranges(chunks)
    ]


def output_windows(chunks: Chunks, axis: Axis, output_size: int) -> list[Window]:
    """What each of the source's chunks touches of the output."""
    return [
        output_window(
            elements,
            output_size=output_size,
            kernel_size=axis.kernel,
            stride=axis.stride,
            dilation_rate=axis.dilation,
            padding=axis.leading,
        )
        for elements in ranges(chunks)
    ]


def windowed(array: DaskArray, position: int, windows: Sequence[Window]) -> DaskArray:
    """The array with a chunk for each window along the axis at `position`.

    Only its graph is built: slices of chunks that overlap, and their concatenation. For an empty
    window there is one element, as Dask drops empty chunks when it concatenates.
    """
    before = (slice(None),) * position
    pieces = [
        array[(*before, slice(w.start, w.stop) if w.stop > w.start else slice(1))].rechunk(
            {position: -1}, method="tasks"
        )
        for w in windows
    ]
    return da.concatenate(pieces, axis=position)
