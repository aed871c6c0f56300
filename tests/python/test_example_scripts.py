# SPDX-License-Identifier: MIT
"""The scripts in examples/ do what they say, where what they need is installed."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the tests are not in their tree")


def run(monkeypatch, capsys, script: str, *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", [script, *arguments])
    runpy.run_path(str(EXAMPLES / script), run_name="__main__")
    return capsys.readouterr().out


def test_converters_layer(monkeypatch, capsys):
    out = run(monkeypatch, capsys, "converters_layer.py")
    assert "output shape: (1, 32, 32, 4)" in out
    assert "'padding': (1, 1), 'output_padding': (0, 0)" in out
    assert float(re.search(r"there and back: largest difference (\S+)", out).group(1)) < 1e-5
    assert "graph.convolutionTranspose2D(" in out
    assert "[graph\n    convolutionTranspose2DWithSourceTensor:source" in out


def test_onnx_model(monkeypatch, capsys):
    pytest.importorskip("onnx")
    out = run(monkeypatch, capsys, "onnx_model.py")
    assert float(re.search(r"largest difference (\S+)", out).group(1)) < 1e-5
    assert out.count("Convolution2DOpDescriptor(") == 3
    assert "[  1.  10. 102.  20. 203.  30. 300.   0.]" in out


def test_dask_upsample(monkeypatch, capsys, tmp_path):
    pytest.importorskip("dask.array")
    out = run(monkeypatch, capsys, "dask_upsample.py", "--size", "400", "--chunk", "60")
    assert "result (1, 3, 400, 400)" in out
    assert "100% Completed" in out
    assert re.search(r"peak memory \d+ MiB", out)
    zarr = pytest.importorskip("zarr")
    folder = str(tmp_path / "large.zarr")
    run(monkeypatch, capsys, "dask_upsample.py", "--size", "200", "--output", folder)
    stored = zarr.open_array(folder, mode="r")
    assert stored.shape == (1, 3, 200, 200)
    assert abs(stored[...]).max() <= 1
