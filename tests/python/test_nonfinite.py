# SPDX-License-Identifier: MIT
"""NaN and infinity travel along taps that really multiply them, and nowhere else."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import cases
import oracle
from running import (
    ALGORITHMS,
    DTYPES,
    FAST_MATH,
    ISAS,
    LAYOUTS,
    UNIVERSAL,
    Check,
    Setting,
    attempt,
    run,
)

PROBLEMS = [
    cases.parse_line(line)
    for line in (
        'forward 2x5x4x6 5x7x3x3 2x7x12x18 s3x3 "blocks that touch"',
        'forward 2x6x4x5 6x3x3x2 2x6x7x11 s2x2 p1,1,0,0 g2 "grouped, padded"',
        'forward 1x9x5x6 9x1x4x4 1x9x10x12 s2x2 p1,1,1,1 g9 "depthwise"',
        'forward 1x3x4x5 3x8x2x3 1x8x5x19 s1x3 d1x3 "holes"',
        'forward 1x4x6x7 4x5x3x3 1x5x6x7 p1,1,1,1 "stride one"',
    )
]


def runs(p, tensors):
    strict = [name for name in ALGORITHMS if name not in FAST_MATH]
    for dtype, layouts, isa, algorithm in product(DTYPES, LAYOUTS, ISAS, strict):
        setting = Setting(dtype, *layouts, isa, 2, algorithm)
        result = attempt(p, tensors, setting)
        if result is not None:
            yield setting, result


@pytest.mark.parametrize("p", PROBLEMS, ids=lambda p: p.name)
@pytest.mark.parametrize("operation", cases.OPERATIONS)
@pytest.mark.parametrize("value", [np.nan, np.inf], ids=str)
def test_one_odd_value(p, operation, value):
    p = p.but(operation=operation)
    rng = np.random.default_rng(3)
    for operand in p.operands:
        # No zeros: a tap that multiplies infinity by zero would rightly give NaN.
        tensors = {
            name: rng.integers(1, 5, p.shapes[name]) * rng.choice([-1.0, 1.0], p.shapes[name])
            for name in p.operands
        }
        for index in (0, tensors[operand].size // 2, tensors[operand].size - 1):
            at = np.unravel_index(index, p.shapes[operand])
            marks = {name: np.ones(p.shapes[name]) for name in p.operands}
            marks[operand] = np.zeros(p.shapes[operand])
            marks[operand][at] = 1
            touched = oracle.compute(p, marks) > 0
            finite = {**tensors, operand: tensors[operand].copy()}
            finite[operand][at] = 0
            untouched = oracle.compute(p, finite)
            odd = {**tensors, operand: tensors[operand].copy()}
            odd[operand][at] = value
            for setting, result in runs(p, odd):
                where = f"{operand}{at} {setting}"
                if np.isnan(value):
                    assert np.array_equal(np.isnan(result), touched), where
                else:
                    assert np.array_equal(np.isinf(result), touched), where
                    assert not np.isnan(result).any(), where
                assert np.array_equal(result[~touched], untouched[~touched]), where


def test_infinite_weights_do_not_meet_inserted_zeros():
    p = cases.parse_line('forward 1x1x2x2 1x1x3x3 1x1x5x5 s2x2 "inf everywhere"')
    tensors = {"source": np.array([[[[1.0, 2], [3, 4]]]]), "weights": np.full((1, 1, 3, 3), np.inf)}
    for setting, result in runs(p, tensors):
        assert np.isposinf(result).all(), setting


def test_zero_times_infinity_is_nan_where_it_happens():
    p = cases.parse_line('forward 1x1x1x2 1x1x1x1 1x1x1x3 s1x2 "a true product"')
    tensors = {"source": np.array([[[[0.0, 1]]]]), "weights": np.full((1, 1, 1, 1), np.inf)}
    for setting, result in runs(p.but(output=(1, 1, 1, 3)), tensors):
        assert np.array_equal(result.ravel(), [np.nan, 0, np.inf], equal_nan=True), setting


def test_subnormal_weights():
    # Reported elsewhere as 40 to 100 times slower, or flushed; here they are numbers like others.
    p = cases.parse_line('forward 1x16x12x12 16x8x3x3 1x8x25x25 s2x2 "subnormal"')
    tensors = {
        "source": cases.decode("mod:11", p.source),
        "weights": (cases.decode("mod:13", p.weights) * 1e-41).astype(np.float32),
    }
    assert np.abs(tensors["weights"]).max() < np.finfo(np.float32).smallest_normal
    check = Check(p, "float32", tensors)
    assert np.abs(check.oracle).max() > 0
    for algorithm, isa in product(UNIVERSAL, ISAS):
        setting = Setting(isa=isa, algorithm=algorithm)
        result = run(p, tensors, setting)
        assert check.complaint(result) is None, setting
        assert np.count_nonzero(result) > result.size // 2, setting


def test_overflow_to_infinity_is_not_nan():
    p = cases.parse_line('forward 1x2x1x1 2x1x1x1 1x1x1x1 "both terms overflow"')
    big = np.full(p.weights, 3e38)
    for algorithm in UNIVERSAL:
        result = run(
            p, {"source": np.full(p.source, 10.0), "weights": big}, Setting(algorithm=algorithm)
        )
        assert np.isposinf(result).all()
