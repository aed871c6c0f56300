# SPDX-License-Identifier: MIT
"""Batch 0, zero channels and zero-size results: valid, written, never stale."""

from __future__ import annotations

import numpy as np
import pytest

import cases
from refusal import refused
from running import ALGORITHMS, LAYOUTS, UNIVERSAL, Setting, run

EMPTY = [
    cases.parse_line(line)
    for line in (
        'forward 0x2x3x3 2x4x2x2 0x4x4x4 "no batch"',
        'forward 2x0x3x3 0x4x2x2 2x4x4x4 "no source channels"',
        'forward 2x3x3x3 3x0x2x2 2x0x4x4 "no result channels"',
        'forward 2x0x3x3 0x0x2x2 2x0x4x4 "no channels at all"',
        'forward 2x4x3x3 4x0x2x2 2x0x4x4 g2 "no result channels in groups"',
        'forward 1x1x2x2 1x1x2x2 1x1x0x0 s2x2 p2,2,2,2 "all padded away"',
        'forward 1x2x2x3 2x2x2x2 1x2x0x4 s2x1 p2,2,0,0 "no rows"',
        'forward 1x2x3x2 2x2x2x2 1x2x4x0 s1x2 p0,0,2,2 "no columns"',
    )
]


@pytest.mark.parametrize("p", EMPTY, ids=lambda p: p.name)
@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_empty(p, operation):
    p = p.but(operation=operation)
    for algorithm in (name for name in ALGORITHMS if name in UNIVERSAL):
        for layouts in LAYOUTS:
            result = run(
                p, p.integers(), Setting("float32", *layouts, algorithm=algorithm), strict=True
            )
            assert result.shape == p.result
            assert not result.any()


@pytest.mark.parametrize("p", EMPTY, ids=lambda p: p.name)
@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_stale_out_is_overwritten(p, operation):
    p = p.but(operation=operation)
    out = np.full(p.result, np.nan, np.float32)
    run(p, p.integers(), out=out)
    assert not out.any()


@pytest.mark.parametrize("operation", cases.OPERATIONS)
@pytest.mark.parametrize("source", ["1x2x0x3", "1x2x3x0"])
def test_zero_size_source_is_refused(operation, source):
    p = cases.parse_line(f'{operation} {source} 2x2x1x1 1x2x3x3 "nothing to read"')
    argument = "output_shape" if operation == "data_gradient" else "source"
    with refused(argument, "0"):
        run(p, p.integers(), strict=False)


@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_zero_size_kernel_is_refused(operation):
    p = cases.parse_line(f'{operation} 1x2x3x3 2x2x0x1 1x2x2x3 "no taps"')
    argument = "output_shape" if operation == "weights_gradient" else "weights"
    with refused(argument, "0"):
        run(p, p.integers(), strict=False)
