# SPDX-License-Identifier: MIT
from __future__ import annotations

import os

import pytest

from subprocesses import python

SCRIPT = """
import os, signal, sys
import numpy as np
import cases, oracle
import convtranspose as ct
from running import Setting, call_raw, operands_in

p = cases.parse_line('forward 4x16x12x12 16x16x3x3 4x16x25x25 s2x2 "as reported"')
work = [
    (q, operands_in(q, q.integers(), Setting()), oracle.compute(q, q.integers()))
    for q in (p.but(operation=operation) for operation in cases.OPERATIONS)
]

def right(threads):
    return all(
        np.array_equal(call_raw(q, given, Setting(), threads=threads), exact)
        for q, given, exact in work
    )

ct.set_num_threads(4)
if sys.argv[1] == "used":
    assert right(4)
for generation in range(3):
    child = os.fork()
    if child == 0:
        signal.alarm(10)  # a child that hangs ends here
        good = right(4) and right(1) and right(3)
        if generation == 2:
            grandchild = os.fork()
            if grandchild == 0:
                signal.alarm(10)
                os._exit(0 if right(4) else 3)
            good = good and os.waitpid(grandchild, 0)[1] == 0
        os._exit(0 if good else 2)
    status = os.waitpid(child, 0)[1]
    assert status == 0, f"child ended with {status}"
    assert right(4), "the parent's pool is damaged"
print("right")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("parent", ["used", "fresh"])
def test_child_of_a_process_that_used_the_pool(parent):
    assert python(SCRIPT, parent).strip() == "right"
