# SPDX-License-Identifier: MIT
"""The size relation: enforced under strict, crop or zero-fill at the trailing end without it."""

from __future__ import annotations

import numpy as np
import pytest

import cases
import convtranspose as ct
import oracle
from refusal import refused
from running import LAYOUTS, Setting, descriptor_of, run, shape_in

BASE = cases.parse_line('forward 2x3x4x3 3x2x3x2 2x2x9x9 s2x3 d1x2 p1,1,0,1 "base"')


BLAMED = {  # the argument whose extents break the relation
    "forward": "output_shape",
    "data_gradient": "incoming_gradient",
    "weights_gradient": "incoming_gradient",
}


def with_output(height: int, width: int, operation: str = "forward"):
    return BASE.but(operation=operation, output=(2, 2, height, width))


@pytest.mark.parametrize("operation", cases.OPERATIONS)
@pytest.mark.parametrize("layouts", LAYOUTS, ids="-".join)
def test_strict_takes_exactly_the_consistent_sizes(operation, layouts):
    taken = set()
    for height in range(1, 14):
        for width in range(1, 16):
            p = with_output(height, width, operation)
            try:
                result = run(p, p.integers(), Setting("float32", *layouts), strict=True)
            except ValueError:
                continue
            assert np.array_equal(result, oracle.compute(p, p.integers()))
            taken.add((height, width))
    assert taken == {(h, w) for h in (7, 8) for w in (8, 9, 10)}
    assert taken == {
        (h, w) for h in range(1, 14) for w in range(1, 16) if with_output(h, w).consistent
    }


@pytest.mark.parametrize("operation", cases.OPERATIONS)
@pytest.mark.parametrize("layouts", LAYOUTS, ids="-".join)
def test_not_strict_crops_or_fills_at_the_trailing_end(operation, layouts):
    for height, width in np.ndindex(15, 17):
        p = with_output(height, width, operation)
        tensors = p.integers()
        result = run(p, tensors, Setting("float64", *layouts), strict=False)
        assert np.array_equal(result, oracle.compute(p, tensors)), p


@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_wide_rows_of_the_corpora_are_refused_under_strict(operation):
    rows = [p for p in cases.load_corpora() if p.operation == operation and not p.consistent]
    assert rows or operation != "forward"
    for p in rows:
        with refused(BLAMED[operation], "strict=False"):
            run(p, p.inputs(), strict=True)


def test_strict_is_the_default_and_states_the_range():
    p = with_output(9, 9)
    tensors = {name: value.astype(np.float32) for name, value in p.integers().items()}
    with refused("output_shape", "7", "8", "9", by="convolution_transpose_2d"):
        ct.convolution_transpose_2d(
            tensors["source"], tensors["weights"], p.output, descriptor_of(p)
        )


def test_output_shape_range_brackets_what_strict_takes():
    for data_layout, weights_layout in LAYOUTS:
        smallest, largest = ct.output_shape_range(
            shape_in(BASE.source, data_layout),
            shape_in(BASE.weights, weights_layout),
            descriptor_of(BASE, data_layout, weights_layout),
        )
        assert smallest == shape_in((2, 2, 7, 8), data_layout)
        assert largest == shape_in((2, 2, 8, 10), data_layout)


def test_output_shape_range_of_every_case_holds_its_output():
    for p in cases.load_corpora():
        descriptor = descriptor_of(p)
        smallest, largest = ct.output_shape_range(p.source, p.weights, descriptor)
        inside = all(
            low <= extent <= high
            for low, extent, high in zip(smallest, p.output, largest, strict=True)
        )
        assert inside == p.consistent, f"{p}: {smallest} to {largest}"


def test_output_shape_range_of_reported_faults():
    # Shape functions elsewhere forgot the output padding, or dilation, or multiplied in 32 bits.
    def spatial(source, kernel, stride, pad, dilation=1):
        descriptor = ct.Convolution2DOpDescriptor(
            stride_in_x=stride,
            dilation_rate_in_x=dilation,
            padding_left=pad,
            padding_right=pad,
        )
        smallest, largest = ct.output_shape_range((1, 1, 1, source), (1, 1, 1, kernel), descriptor)
        return smallest[3], largest[3]

    assert spatial(16, 3, 2, 1) == (31, 32)
    assert spatial(28, 3, 2, 1) == (55, 56)
    assert spatial(3, 3, 2, 1, dilation=2) == (7, 8)
    assert spatial(224, 3, 3, 1)[0] == 670
    smallest, _ = ct.output_shape_range(
        (1, 1, 1, 1), (1, 3, 65536, 65536), ct.Convolution2DOpDescriptor()
    )
    assert smallest == (1, 3, 65536, 65536)
