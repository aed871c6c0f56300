# SPDX-License-Identifier: MIT
"""The C++ library inside the installed package: found, and used by a CMake project."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
from pathlib import Path

import pytest

import convtranspose as ct
from subprocesses import python

CONSUMER = Path(__file__).parents[1] / "consume"


def test_paths_exist():
    assert Path(ct.get_include(), "convtranspose", "convtranspose.hpp").is_file()
    assert Path(ct.get_cmake_dir(), "convtransposeConfig.cmake").is_file()


def test_command_prints_the_cmake_dir():
    script = "import runpy, sys; sys.argv[1:] = ['--cmake-dir']; runpy.run_module('convtranspose')"
    with_main = script.replace("'convtranspose')", "'convtranspose', run_name='__main__')")
    assert python(with_main).strip() == ct.get_cmake_dir()


def test_entry_point_names_the_package():
    (entry,) = importlib.metadata.entry_points(group="cmake.root", name="convtranspose")
    assert entry.load() is ct


def test_missing_files_are_an_import_error(monkeypatch, tmp_path):
    monkeypatch.setattr(ct._core, "__file__", str(tmp_path / "_core.so"))
    with pytest.raises(ImportError, match=r"convtranspose: expected the C\+\+ library's .* got"):
        ct.get_include()
    with pytest.raises(ImportError, match=r"convtransposeConfig\.cmake"):
        ct.get_cmake_dir()


@pytest.mark.skipif(
    not (shutil.which("cmake") and (shutil.which("c++") or shutil.which("cl"))),
    reason="needs CMake and a C++ compiler",
)
def test_project_builds_with_the_package(tmp_path):
    options = [f"-Dconvtranspose_DIR={ct.get_cmake_dir()}", "-DCMAKE_BUILD_TYPE=Release"]
    for command in (
        ["cmake", "-S", CONSUMER, "-B", tmp_path, *options],
        ["cmake", "--build", tmp_path, "--config", "Release"],
    ):
        subprocess.run(command, check=True, capture_output=True, text=True)
    (program,) = (p for p in tmp_path.rglob("consume*") if p.stem == "consume" and p.is_file())
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert f"convtranspose {ct.__version__}" in printed
    assert "right" in printed
