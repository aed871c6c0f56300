# SPDX-License-Identifier: MIT
"""The graph of a result that is divided like an image."""

from __future__ import annotations

import dask
import dask.array as da
import numpy as np

from ..axes import POSITIONS
from ..typing import Array
from .blocks import ResultBlock
from .division import Chunks, DaskArray
from .windows import windowed


def result(block: ResultBlock, operand: DaskArray, weights: Array) -> DaskArray:
    """Every chunk of the result from its window of the operand."""
    _, channels, y, x = POSITIONS[block.descriptor.data_layout]
    operand = operand.rechunk({channels: -1}, method="tasks")
    operand = windowed(windowed(operand, y, block.rows), x, block.columns)
    chunks: list[Chunks] = list(operand.chunks)
    chunks[channels], chunks[y], chunks[x] = (block.channels,), block.heights, block.widths
    return da.map_blocks(
        block,
        operand,
        weights=dask.delayed(weights, pure=True),  # sent to a worker once, not with every task
        chunks=tuple(chunks),
        dtype=operand.dtype,
        meta=np.empty((0,) * 4, operand.dtype),
    )
