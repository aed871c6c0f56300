# SPDX-License-Identifier: MIT
"""Ctrl-C during a long call: it is an exception, and the process goes on."""

from __future__ import annotations

import os

import pytest

from subprocesses import python

SCRIPT = """
import os, signal, sys, threading, time
import numpy as np
import cases, oracle
import convtranspose as ct
from running import Setting, call_raw, operands_in

ct.set_num_threads(4)
threads, algorithm = int(sys.argv[1]), sys.argv[2]
small = cases.parse_line('forward 2x16x12x12 16x16x3x3 2x16x25x25 s2x2 "checked"')
exact = oracle.compute(small, small.integers())
large = cases.parse_line('forward 1x32x48x48 32x32x4x4 1x32x96x96 s2x2 p1,1,1,1 "long"')
given = operands_in(large, large.inputs(), Setting())
slow = Setting(algorithm=algorithm)
undisturbed = call_raw(large, given, slow, threads=threads).tobytes()
before = len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 0

interrupts = 0
for _ in range(5):
    started = threading.Event()

    def interrupt():
        started.wait()
        time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        started.set()
        while True:  # the signal comes within one of these
            out = call_raw(large, given, slow, threads=threads)
    except KeyboardInterrupt:
        interrupts += 1
    thread.join()
    assert np.array_equal(
        call_raw(small, operands_in(small, small.integers(), Setting()), Setting(), threads=4),
        exact,
    )
assert call_raw(large, given, slow, threads=threads).tobytes() == undisturbed
if before:
    assert len(os.listdir("/proc/self/task")) <= max(before, 4), "threads left behind"
print(interrupts)
"""


@pytest.mark.skipif(os.name == "nt", reason="os.kill ends a process there")
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("algorithm", ["AUTO", "REFERENCE"])
def test_interrupts_leave_the_process_usable(threads, algorithm):
    assert python(SCRIPT, str(threads), algorithm).strip() == "5"
