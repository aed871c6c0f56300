# SPDX-License-Identifier: MIT
"""Tiles by `source_window` and `output_window` against the oracle of the whole."""

from __future__ import annotations

import numpy as np
import pytest

import convtranspose as ct


def draw(rng: np.random.Generator) -> dict[str, int]:
    """A problem along one axis that satisfies the relation, with room at both ends."""
    while True:
        source, kernel, stride, dilation = map(int, rng.integers(1, (9, 6, 6, 4)))
        full = (source - 1) * stride + (kernel - 1) * dilation + 1
        leading = int(rng.integers(0, full))
        trailing = int(rng.integers(0, full))
        smallest = full - leading - trailing
        output = max(0, smallest) + int(rng.integers(0, stride))
        if smallest <= output <= smallest + stride - 1 and output > 0:
            return {
                "source": source,
                "kernel": kernel,
                "stride": stride,
                "dilation": dilation,
                "leading": leading,
                "trailing": trailing,
                "output": output,
            }


def matrix(p: dict[str, int], weights: np.ndarray) -> np.ndarray:
    """The whole operation as a matrix of shape (output, source), from the formula alone."""
    result = np.zeros((p["output"], p["source"]))
    for y in range(p["source"]):
        for tap in range(p["kernel"]):
            to = y * p["stride"] - p["leading"] + tap * p["dilation"]
            if 0 <= to < p["output"]:
                result[to, y] += weights[tap]
    return result


def numbers(p: dict[str, int]) -> dict[str, int]:
    return {
        "kernel_size": p["kernel"],
        "stride": p["stride"],
        "dilation_rate": p["dilation"],
        "padding": p["leading"],
    }


def descriptor(p: dict[str, int], window: ct.Window) -> ct.Convolution2DOpDescriptor:
    return ct.Convolution2DOpDescriptor(
        stride_in_x=p["stride"],
        dilation_rate_in_x=p["dilation"],
        padding_left=window.leading_padding,
        padding_right=window.trailing_padding,
    )


def row(vector: np.ndarray) -> np.ndarray:
    return vector.reshape(1, 1, 1, -1).astype(np.float64)


def every_range(size: int) -> list[range]:
    return [range(a, b) for a in range(size) for b in range(a + 1, size + 1)]


@pytest.mark.parametrize("seed", range(60))
def test_every_tile_of_a_result(seed):
    rng = np.random.default_rng(seed)
    p = draw(rng)
    weights = rng.integers(1, 9, p["kernel"])
    source = rng.integers(1, 9, p["source"])
    whole = matrix(p, weights) @ source
    for tile in every_range(p["output"]):
        window = ct.source_window(tile, source_size=p["source"], **numbers(p))
        part, shape = row(source[window.slice]), (1, 1, 1, len(tile))
        result = ct.convolution_transpose_2d(part, row(weights), shape, descriptor(p, window))
        assert np.array_equal(result.ravel(), whole[tile.start : tile.stop]), (p, tile, window)


@pytest.mark.parametrize("seed", range(60))
def test_every_tile_of_the_gradients(seed):
    rng = np.random.default_rng(seed)
    p = draw(rng)
    weights = rng.integers(1, 9, p["kernel"])
    source = rng.integers(1, 9, p["source"])
    gradient = rng.integers(1, 9, p["output"])
    data_gradient = matrix(p, weights).T @ gradient
    for tile in every_range(p["source"]):
        window = ct.output_window(tile, output_size=p["output"], **numbers(p))
        part, shape = row(gradient[window.slice]), (1, 1, 1, len(tile))
        result = ct.convolution_transpose_2d_data_gradient(
            part, row(weights), shape, descriptor(p, window)
        )
        assert np.array_equal(result.ravel(), data_gradient[tile.start : tile.stop]), (p, tile)

    weights_gradient = [matrix(p, unit) @ source @ gradient for unit in np.eye(p["kernel"])]
    cut = p["source"] // 2
    tiles = [range(cut), range(cut, p["source"])] if cut else [range(p["source"])]
    total = np.zeros(p["kernel"])
    for tile in tiles:
        window = ct.output_window(tile, output_size=p["output"], **numbers(p))
        total += ct.convolution_transpose_2d_weights_gradient(
            row(gradient[window.slice]),
            row(source[tile.start : tile.stop]),
            (1, 1, 1, p["kernel"]),
            descriptor(p, window),
        ).ravel()
    assert np.array_equal(total, weights_gradient), p


@pytest.mark.parametrize("seed", range(30))
def test_windows_hold_little_more_than_what_meets(seed):
    p = draw(np.random.default_rng(seed))
    extent = (p["kernel"] - 1) * p["dilation"] + 1
    spanned = matrix({**p, "kernel": extent, "dilation": 1}, np.ones(extent)) != 0
    for tile in every_range(p["output"]):
        window = ct.source_window(tile, source_size=p["source"], **numbers(p))
        needed = np.flatnonzero(spanned[tile.start : tile.stop].any(axis=0))
        if needed.size:
            assert window.stop == needed[-1] + 1
            # An element before the first needed one, where the tile starts in a gap between two.
            gap = not spanned[tile.start].any()
            assert needed[0] - gap <= window.start <= needed[0]
    for tile in every_range(p["source"]):
        window = ct.output_window(tile, output_size=p["output"], **numbers(p))
        met = np.flatnonzero(spanned[:, tile.start : tile.stop].any(axis=1))
        if met.size:
            # Strides wider than the kernel leave gaps, and an end of the tensor may cut one.
            gap = max(0, p["stride"] - extent)
            assert met[0] - gap <= window.start <= met[0]
            assert met[-1] < window.stop <= met[-1] + 1 + gap


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"tile": range(3, 3)}, "output_range"),
        ({"tile": range(0, 4, 2)}, "output_range"),
        ({"tile": range(-1, 4)}, "output_range"),
        ({"source_size": 0}, "source_size: expected at least 1, got 0"),
        ({"kernel_size": 0}, "kernel_size: expected at least 1, got 0"),
        ({"stride": 0}, "stride: expected at least 1, got 0"),
        ({"dilation_rate": -1}, "dilation_rate: expected at least 1, got -1"),
        ({"padding": -2}, "padding: expected at least 0, got -2"),
    ],
)
def test_refusals_name_the_argument(change, named):
    arguments = {"tile": range(2, 4), "source_size": 5, "kernel_size": 3, **change}
    tile = arguments.pop("tile")
    with pytest.raises(ValueError, match=f"^source_window: {named}"):
        ct.source_window(tile, **arguments)
    if "source" not in named and "output" not in named:
        del arguments["source_size"]
        with pytest.raises(ValueError, match=f"^output_window: {named}"):
            ct.output_window(tile, output_size=5, **arguments)
