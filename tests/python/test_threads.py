# SPDX-License-Identifier: MIT
"""How many threads, who says so, and what other Python threads see."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cases
import convtranspose as ct
from refusal import refused
from running import Setting, call_raw, operands_in
from subprocesses import python

PROBLEM = cases.parse_line('forward 2x24x20x20 24x16x3x3 2x16x40x40 s2x2 p1,0,1,0 "some work"')
COUNT = "import convtranspose as ct; print(ct.get_num_threads())"


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_set_and_get(count):
    ct.set_num_threads(count)
    assert ct.get_num_threads() == count


@pytest.mark.parametrize("count", [0, -1])
def test_counts_below_one_are_refused(count):
    before = ct.get_num_threads()
    with refused(r"\w+", "1", str(count), by="set_num_threads"):
        ct.set_num_threads(count)
    assert ct.get_num_threads() == before


@pytest.mark.parametrize("count", [1.5, "2", None])
def test_other_types_are_refused(count):
    with pytest.raises(TypeError):
        ct.set_num_threads(count)


def test_environment():
    assert python(COUNT, CONVTRANSPOSE_NUM_THREADS="3").strip() == "3"
    assert python(COUNT, OMP_NUM_THREADS="4").strip() == "4"
    both = python(COUNT, CONVTRANSPOSE_NUM_THREADS="3", OMP_NUM_THREADS="4")
    assert both.strip() == "3"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="affinity is a Linux call")
def test_affinity():
    cpu = min(os.sched_getaffinity(0))
    script = f"import os; os.sched_setaffinity(0, {{{cpu}}}); {COUNT}"
    assert python(script).strip() == "1"


def test_set_num_threads_beats_the_environment():
    script = "import convtranspose as ct; ct.set_num_threads(5); print(ct.get_num_threads())"
    assert python(script, CONVTRANSPOSE_NUM_THREADS="3").strip() == "5"


def test_threads_of_a_call_leave_the_default_alone():
    given = operands_in(PROBLEM, PROBLEM.inputs(), Setting())
    ct.set_num_threads(2)
    call_raw(PROBLEM, given, Setting(), threads=3)
    assert ct.get_num_threads() == 2


def test_sixty_four_python_threads_at_once():
    problems = [
        PROBLEM.but(operation=operation, name=f"caller {caller}")
        for caller in range(64)
        for operation in cases.OPERATIONS
    ]
    given = [operands_in(p, p.inputs(), Setting()) for p in problems]
    alone = [call_raw(p, g, Setting()).tobytes() for p, g in zip(problems, given, strict=True)]
    start = threading.Barrier(64)

    def caller(number: int) -> list[bytes]:
        start.wait()
        mine = slice(3 * number, 3 * number + 3)
        return [
            call_raw(p, g, Setting(), threads=number % 4 + 1).tobytes()
            for _ in range(3)
            for p, g in zip(problems[mine], given[mine], strict=True)
        ]

    with ThreadPoolExecutor(64) as pool:
        for number, results in enumerate(pool.map(caller, range(64))):
            assert results == 3 * alone[3 * number : 3 * number + 3]


def test_count_may_change_while_others_work():
    given = operands_in(PROBLEM, PROBLEM.inputs(), Setting())
    expected = call_raw(PROBLEM, given, Setting()).tobytes()
    stop = threading.Event()

    def changer():
        while not stop.is_set():
            for count in (1, 4, 2, 3):
                ct.set_num_threads(count)

    thread = threading.Thread(target=changer)
    thread.start()
    try:
        for _ in range(100):
            assert call_raw(PROBLEM, given, Setting(), threads=None).tobytes() == expected
    finally:
        stop.set()
        thread.join()


def test_other_python_threads_run_during_a_call():
    p = cases.parse_line('forward 1x64x64x64 64x64x3x3 1x64x129x129 s2x2 "long enough to be seen"')
    given = operands_in(p, p.inputs(), Setting("float64"))
    ticks: list[float] = []
    stop = threading.Event()

    def clock():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=clock)
    thread.start()
    try:
        start = time.perf_counter()
        call_raw(p, given, Setting("float64", algorithm="REFERENCE"))
        end = time.perf_counter()
    finally:
        stop.set()
        thread.join()
    # A call that held the lock would let no tick through but at its very ends.
    inside = [t for t in ticks if start + (end - start) / 4 < t < end - (end - start) / 4]
    assert inside, f"no other thread ran in {end - start:.3f} s"


def test_nested_use_from_a_worker_of_another_pool():
    given = operands_in(PROBLEM, PROBLEM.integers(), Setting())
    expected = call_raw(PROBLEM, given, Setting())
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda _: call_raw(PROBLEM, given, Setting(), threads=7), range(8)))
    assert all(np.array_equal(result, expected) for result in results)
