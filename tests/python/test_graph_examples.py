# SPDX-License-Identifier: MIT
"""The examples for graphs and for JAX run, and reach what they promise."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(script, *arguments):
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / script, *map(str, arguments)],
        env={**os.environ, "OMP_NUM_THREADS": "1", "CONVTRANSPOSE_JAX_BACKEND": ""},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_generator_learns_to_draw():
    said = run("graph_generator.py", "--steps", 100)
    first, last = map(float, re.search(r"loss (\S+) at first, (\S+) at last", said).groups())
    assert last < first / 10
    assert len(re.findall(r"^up \d: .* \+ bias \+ ", said, re.MULTILINE)) == 3


def test_jax_finds_the_weights():
    backends = pytest.importorskip("convtranspose.jax.backends", exc_type=ImportError)
    if backends.register() is not None:
        pytest.skip("without FFI handlers it warns")
    said = run("jax_train.py")
    assert float(re.search(r"largest error of a weight: (\S+)", said)[1]) < 1e-3
