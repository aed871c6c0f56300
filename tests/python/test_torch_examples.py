# SPDX-License-Identifier: MIT
"""The examples for PyTorch run, and say what they promise."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", minversion="2.4")

ROOT = Path(__file__).resolve().parents[2]


def run(script, *arguments):
    done = subprocess.run(
        [sys.executable, "-W", "error", ROOT / "examples" / script, *map(str, arguments)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def number(pattern, text):
    return float(re.search(pattern, text)[1])


def test_accelerate():
    said = run("torch_accelerate.py", "--threads", 1, "--seconds", 0.2)
    assert re.findall(r"(\d+) swapped, 0 kept", said) == ["5", "1", "1"]
    pairs = re.findall(r"largest difference (\S+), largest result (\S+)", said)
    assert len(pairs) == 3
    for difference, largest in pairs:
        assert float(difference) < 1e-5 * float(largest)
    assert len(re.findall(r"training: .* x", said)) == 3


def test_descriptor():
    assert number(r"largest error of a weight: (\S+)", run("torch_descriptor.py")) < 1e-3


def test_two_processes_average_their_gradients():
    said = run("torch_distributed.py", "--processes", 2, "--steps", 4)
    assert "the 2 processes agree: True" in said
    moved = number(r"weights moved by up to (\S+)", said)
    assert 0 <= number(r"largest difference from one process: (\S+)", said) < 1e-4 * moved


def test_super_resolution_trains(tmp_path):
    pytest.importorskip("PIL")
    pytest.importorskip("rich")
    photograph = ROOT / "docs" / "images" / "upsample.png"
    if not photograph.exists():
        pytest.skip("the picture is not part of the sdist")
    output = tmp_path / "weights.npz"
    arguments = ["--steps", 3, "--threads", 1, "-o", output, photograph]
    said = run("super_resolution/train.py", *arguments)
    assert "3/3" in said
    with np.load(output) as arrays:
        kernels = {name: arrays[name].shape for name in arrays.files}
        assert abs(arrays["feature"].sum((1, 2, 3))).max() < 1e-5
    from convtranspose.resample import fsrcnn

    assert kernels == {name: array.shape for name, array in fsrcnn._weights().items()}
    first = output.read_bytes()
    run("super_resolution/train.py", *arguments)
    assert output.read_bytes() == first


def test_super_resolution_measures():
    pytest.importorskip("PIL")
    said = run("super_resolution/psnr.py", ROOT / "docs" / "images" / "sample.png")
    bicubic, network = re.search(r"\| sample.png \|.*?\| (\S+) \| (\S+) \|", said).groups()
    assert float(network) > float(bicubic)
