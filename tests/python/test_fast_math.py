# SPDX-License-Identifier: MIT
"""The levels of fast math: the argument and the process's default."""

from __future__ import annotations

import pytest

import convtranspose as ct
from cases import parse_line
from running import Setting, call_raw, operands_in
from subprocesses import python

P = parse_line('forward 1x16x24x24 16x32x4x4 1x32x48x48 s2x2 p1,1,1,1 "wide enough"')


@pytest.fixture
def default():
    before = ct.get_fast_math()
    yield
    ct.set_fast_math(before)


@pytest.mark.parametrize("level", [False, True, "aggressive"])
def test_default_of_the_process(default, level):
    ct.set_fast_math(level)
    assert ct.get_fast_math() == level
    assert type(ct.get_fast_math()) is type(level)


@pytest.mark.parametrize(
    ("level", "error"), [("fast", ValueError), (1, TypeError), (2.0, TypeError), (None, TypeError)]
)
def test_wrong_levels(default, level, error):
    with pytest.raises(error, match=r"set_fast_math: level: expected"):
        ct.set_fast_math(level)
    if level is not None:
        operands = operands_in(P, P.integers(), Setting())
        with pytest.raises(error, match=r"fast_math: expected False, True, 'aggressive' or None"):
            call_raw(P, operands, Setting(), fast_math=level)


@pytest.mark.parametrize(
    ("value", "level"), [("", "False"), ("0", "False"), ("1", "True"), ("aggressive", "aggressive")]
)
def test_environment(value, level):
    code = "import convtranspose as ct; print(ct.get_fast_math())"
    assert python(code, CONVTRANSPOSE_FAST_MATH=value).strip() == level


def test_wrong_environment():
    code = """
import convtranspose as ct
try:
    ct.get_fast_math()
except ValueError as error:
    print(error)
"""
    printed = python(code, CONVTRANSPOSE_FAST_MATH="yes").strip()
    assert printed == "CONVTRANSPOSE_FAST_MATH: expected 0, 1 or aggressive, got 'yes'"
