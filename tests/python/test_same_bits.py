# SPDX-License-Identifier: MIT
"""Results that must not depend on how they were computed, down to the last bit."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import cases
import oracle
from running import ALGORITHMS, DTYPES, ISAS, LAYOUTS, Setting, attempt, run

PROBLEMS = [
    cases.parse_line(line)
    for line in (
        'forward 4x37x9x11 37x19x3x3 4x19x18x22 s2x2 p1,1,1,1 "as reported to oneDNN and PyTorch"',
        'forward 2x24x17x5 24x1x4x4 2x24x34x10 s2x2 p1,1,1,1 g24 "depthwise"',
        'forward 1x8x12x13 8x5x3x2 1x10x13x28 s1x2 d1x3 p0,1,1,0 g2 "grouped, dilated"',
        'forward 3x16x7x40 16x33x1x5 3x33x7x44 "wide rows"',
        'forward 1x64x2x2 64x48x4x4 1x48x4x4 s2x2 p1,1,1,1 "few positions"',
    )
]
THREADS = (1, 2, 3, 7)


@pytest.mark.parametrize("p", PROBLEMS, ids=lambda p: p.name)
@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_integers_agree_across_everything(p, operation):
    p = p.but(operation=operation)
    tensors = p.integers()
    exact = oracle.compute(p, tensors)
    for dtype, layouts in product(DTYPES, LAYOUTS):
        expected = (exact + 0.0).astype(dtype).tobytes()
        for isa, algorithm, threads in product(ISAS, ALGORITHMS, THREADS):
            setting = Setting(dtype, *layouts, isa, threads, algorithm)
            result = attempt(p, tensors, setting)
            if result is None:
                continue
            assert np.array_equal(result, exact), setting
            assert result.tobytes() == expected, f"sign of a zero: {setting}"


@pytest.mark.parametrize("p", PROBLEMS, ids=lambda p: p.name)
@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_runs_and_thread_counts(p, operation):
    p = p.but(operation=operation)
    tensors = p.inputs()
    for dtype, layouts, isa in product(DTYPES, LAYOUTS, ISAS):
        first = run(p, tensors, Setting(dtype, *layouts, isa)).tobytes()
        for threads in (1, 2, 3, 4, 7, 2, 1):
            setting = Setting(dtype, *layouts, isa, threads)
            assert run(p, tensors, setting).tobytes() == first, setting


@pytest.mark.parametrize("p", PROBLEMS, ids=lambda p: p.name)
@pytest.mark.parametrize("operation", ["forward", "data_gradient"])
def test_batch_items_do_not_know_their_neighbours(p, operation):
    p = p.but(operation=operation, source=(5, *p.source[1:]), output=(5, *p.output[1:]))
    alone = p.but(source=(1, *p.source[1:]), output=(1, *p.output[1:]))
    tensors = p.inputs()
    batched = [name for name in p.operands if name != "weights"]
    for dtype, layouts, threads in product(DTYPES, LAYOUTS, (1, 3)):
        setting = Setting(dtype, *layouts, threads=threads)
        together = run(p, tensors, setting)
        for item in range(5):
            one = {**tensors, **{name: tensors[name][item : item + 1] for name in batched}}
            assert run(alone, one, setting).tobytes() == together[item].tobytes(), (item, setting)
