# SPDX-License-Identifier: MIT
"""Every case of the corpora in both dtypes and all layouts.

Instruction set, threads and algorithm take turns from run to run, so that every combination of them
is met with every dtype, layout and operation; ``--exhaustive`` runs the whole product.
"""

from __future__ import annotations

from itertools import product

import pytest

import cases
from running import ALGORITHMS, DTYPES, ISAS, LAYOUTS, Check, Setting

CHUNK = 120
THREADS = (1, 2)
ENGINES = tuple(product(ISAS, THREADS, ALGORITHMS))
CHUNKS = [
    pytest.param(path, start, id=f"{path.stem}-{start}")
    for path in cases.corpus_files()
    for start in range(0, len(cases.load(path)), CHUNK)
]


def settings(index: int, dtype: str, exhaustive: bool):
    for turn, layouts in enumerate(LAYOUTS):
        first = index + turn * (len(ENGINES) // len(LAYOUTS)) + DTYPES.index(dtype)
        for step in range(len(ENGINES) if exhaustive else 1):
            isa, threads, algorithm = ENGINES[(first + step) % len(ENGINES)]
            yield Setting(dtype, *layouts, isa, threads, algorithm)


@pytest.mark.parametrize(("path", "start"), CHUNKS)
def test_cases(path, start, exhaustive):
    complaints = []
    for index, p in enumerate(cases.load(path)[start : start + CHUNK], start):
        for dtype in DTYPES:
            check = Check(p, dtype)
            for setting in settings(index, dtype, exhaustive):
                complaint = check.run(setting)
                if complaint:
                    complaints.append(f"{p}\n    {setting}\n    {complaint}")
    assert not complaints, f"{len(complaints)} wrong, the first ones:\n" + "\n".join(complaints[:5])


def test_turns_cover_every_class():
    met = {
        (p.operation, setting)
        for path in cases.corpus_files()
        for index, p in enumerate(cases.load(path))
        for dtype in DTYPES
        for setting in settings(index, dtype, exhaustive=False)
    }
    every = {
        (operation, Setting(dtype, *layouts, *engine))
        for operation in cases.OPERATIONS
        for dtype in DTYPES
        for layouts in LAYOUTS
        for engine in ENGINES
    }
    assert met == every
