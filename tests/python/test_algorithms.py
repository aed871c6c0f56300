# SPDX-License-Identifier: MIT
"""Each algorithm forced by name, for each instruction set, layout pair and dtype."""

from __future__ import annotations

from itertools import product

import pytest

import convtranspose as ct
from cases import OPERATIONS, parse_line
from running import ALGORITHMS, DTYPES, ISAS, LAYOUTS, UNIVERSAL, Check, Setting, attempt, run

PROBLEMS = [
    parse_line(line)
    for line in (
        'forward 2x5x6x7 5x7x3x2 2x7x13x14 s2x2 p0,1,1,0 "dense"',
        'forward 1x6x5x4 6x2x3x3 1x4x10x12 s2x3 p1,1,0,1 g2 "grouped"',
        'forward 1x19x6x5 19x1x4x4 1x19x12x10 s2x2 p1,1,1,1 g19 "depthwise"',
        'forward 1x9x4x5 9x4x2x2 1x4x8x10 s2x2 "no overlap"',
        'forward 1x16x9x9 16x8x3x3 1x8x9x9 p1,1,1,1 "stride one"',
        'forward 1x33x1x1 33x3x4x4 1x3x4x4 "one position"',
        'forward 1x4x3x3 4x3x3x3 1x3x12x12 s1x1 d5x5 p0,1,1,0 "dilated"',
        'forward 1x18x1x9 18x1x1x32 1x1x1x160 s1x16 "wide stride"',
        'forward 1x12x2x40 12x1x3x3 1x1x4x80 s2x2 p1,0,1,0 "one result channel"',
    )
]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_forced(operation, isa, algorithm):
    for dtype, layouts in product(DTYPES, LAYOUTS):
        setting = Setting(dtype, *layouts, isa, threads=2, algorithm=algorithm)
        ran = 0
        for p in PROBLEMS:
            check = Check(p.but(operation=operation), dtype)
            result = attempt(check.problem, check.tensors, setting)
            if result is not None:
                complaint = check.complaint(result, setting)
                assert complaint is None, f"{check.problem} {setting}: {complaint}"
                ran += 1
        assert ran == len(PROBLEMS) or algorithm not in UNIVERSAL, f"{ran} ran: {setting}"


@pytest.mark.parametrize("algorithm", [name for name in ALGORITHMS if name not in UNIVERSAL])
def test_every_special_algorithm_takes_some_problem(algorithm):
    refusals = []
    for p in (p.but(operation=o) for p, o in product(PROBLEMS, OPERATIONS)):
        try:
            run(p, p.integers(), Setting(algorithm=algorithm))
        except ValueError as error:
            refusals.append(str(error))
        else:
            return
    assert all("it has no kernel" in refusal for refusal in refusals), refusals
    pytest.skip(f"this build has the name {algorithm} and no kernel of it")


def test_members():
    assert [ct.Algorithm.AUTO, ct.Algorithm.REFERENCE, ct.Algorithm.GEMM] == [0, 1, 2]
    assert set(UNIVERSAL) <= set(ALGORITHMS)


def test_another_type_is_refused():
    p = PROBLEMS[0]
    with pytest.raises(TypeError):
        run(p, p.integers(), algorithm="GEMM")
