# SPDX-License-Identifier: MIT
"""Operands that end, then begin, at a page nobody may touch: one byte too far is a crash."""

from __future__ import annotations

import sys

import pytest

from subprocesses import python

SCRIPT = """
import ctypes, mmap
from itertools import product
import numpy as np
import cases, oracle
from running import ALGORITHMS, DTYPES, ISAS, LAYOUTS, UNIVERSAL, Setting, call_raw
from running import instruction_set, operands_in, result_layout, shape_in, to_layout

libc = ctypes.CDLL(None, use_errno=True)
libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
PAGE = mmap.PAGESIZE
held = []

def guarded(array, at_end):
    size = -(-max(array.nbytes, 1) // PAGE) * PAGE
    memory = mmap.mmap(-1, size + 2 * PAGE)
    held.append(memory)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for address in (base, base + PAGE + size):
        if libc.mprotect(address, PAGE, 0):
            raise OSError(ctypes.get_errno(), "mprotect")
    start = PAGE + (size - array.nbytes if at_end else 0)
    view = np.frombuffer(memory, array.dtype, array.size, start).reshape(array.shape)
    view[...] = array
    return view

problems = [cases.parse_line(line) for line in (
    'forward 2x5x3x7 5x3x3x3 2x3x6x14 s2x2 p1,0,1,0 "dense"',
    'forward 1x17x2x5 17x1x4x4 1x17x4x10 s2x2 p1,1,1,1 g17 "depthwise"',
    'forward 1x3x4x9 3x9x2x2 1x9x8x18 s2x2 "no overlap"',
    'forward 1x33x1x1 33x7x2x3 1x7x2x3 "one position"',
    'forward 1x6x5x6 6x2x3x1 1x4x5x16 s1x3 p1,1,0,0 g2 "grouped"',
    'forward 1x2x3x3 2x1x1x3 1x1x3x11 d1x4 "one result channel"',
)]
runs = 0
for p, operation, at_end in product(problems, cases.OPERATIONS, (True, False)):
    p = p.but(operation=operation)
    tensors = p.integers()
    exact = oracle.compute(p, tensors)
    for dtype, layouts, isa, algorithm in product(DTYPES, LAYOUTS, ISAS, ALGORITHMS):
        setting = Setting(dtype, *layouts, isa, 2, algorithm)
        operands = {k: guarded(v, at_end) for k, v in operands_in(p, tensors, setting).items()}
        layout = result_layout(p, setting)
        out = guarded(np.full(shape_in(p.result, layout), np.nan, dtype), at_end)
        with instruction_set(isa):
            try:
                call_raw(p, operands, setting, out=out)
            except ValueError as error:
                assert algorithm not in UNIVERSAL, error
                continue
        assert np.array_equal(out, to_layout(exact, layout)), (p, setting)
        runs += 1
        del operands, out
        held.clear()
print(runs)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="mprotect by way of ctypes")
def test_no_access_beyond_any_operand():
    assert int(python(SCRIPT, timeout=120)) >= 6 * 3 * 2 * 2 * 4
