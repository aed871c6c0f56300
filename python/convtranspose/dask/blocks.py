# SPDX-License-Identifier: MIT
"""What a worker runs for one chunk. Instances are sent to workers, so they hold numbers alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from .. import (
    Algorithm,
    Convolution2DOpDescriptor,
    Window,
    convolution_transpose_2d_weights_gradient,
)
from ..axes import POSITIONS, to_layout
from ..typing import Array


def aligned(array: Array) -> Array:
    """The array itself, or a copy where a message from another process left it at an odd address."""
    return np.require(array, requirements="A")


@dataclass(frozen=True)
class Block:
    """An operation over chunks; the windows are those of the chunks along Y and X."""

    descriptor: Convolution2DOpDescriptor
    rows: list[Window]
    columns: list[Window]
    name: str | None
    strict: bool
    threads: int
    algorithm: Algorithm

    def exact(self, operand: Array, row: int, column: int) -> Array:
        """The operand, aligned, without the element that stands for an empty window."""
        _, _, y, x = POSITIONS[self.descriptor.data_layout]
        cut = [slice(None)] * 4
        cut[y] = slice(self.rows[row].stop - self.rows[row].start)
        cut[x] = slice(self.columns[column].stop - self.columns[column].start)
        return aligned(operand[tuple(cut)])

    def part(self, row: int, column: int) -> Convolution2DOpDescriptor:
        """The descriptor with the paddings of one chunk."""
        y, x = self.rows[row], self.columns[column]
        part = self.descriptor.replace()
        part.set_explicit_padding(
            x.leading_padding, x.trailing_padding, y.leading_padding, y.trailing_padding
        )
        return part


@dataclass(frozen=True)
class ResultBlock(Block):
    """One chunk of a result that is divided like an image."""

    operation: Callable[..., Array]
    heights: tuple[int, ...]
    widths: tuple[int, ...]
    channels: int

    def __call__(self, operand: Array, weights: Array, block_id: tuple[int, ...]) -> Array:
        """Compute the chunk at `block_id` from the part of the first operand that it needs."""
        layout = self.descriptor.data_layout
        batch, _, y, x = POSITIONS[layout]
        row, column = itemgetter(y, x)(block_id)
        shape = to_layout(
            layout, (operand.shape[batch], self.channels, self.heights[row], self.widths[column])
        )
        return self.operation(
            self.exact(operand, row, column),
            aligned(weights),
            shape,
            self.part(row, column),
            self.name,
            strict=self.strict,
            threads=self.threads,
            algorithm=self.algorithm,
        )


@dataclass(frozen=True)
class WeightsGradientBlock(Block):
    """What one chunk of the source adds to the weights gradient."""

    weights_shape: tuple[int, ...]

    def __call__(self, source: Array, gradient: Array, row: Array, column: Array) -> Array:
        """Return it with an axis of 1 for each of the source's, for the sum over the chunks."""
        # 16-bit types are rounded when all is summed, not before.
        wide = source.dtype if source.itemsize > 2 else np.dtype(np.float32)
        at = int(row[0]), int(column[0])
        partial = convolution_transpose_2d_weights_gradient(
            self.exact(gradient, *at).astype(wide, copy=False),
            aligned(source).astype(wide, copy=False),
            self.weights_shape,
            self.part(*at),
            self.name,
            strict=self.strict,
            threads=self.threads,
            algorithm=self.algorithm,
        )
        return partial.astype(np.float64)[(np.newaxis,) * 4]
