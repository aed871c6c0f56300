# SPDX-License-Identifier: MIT
"""The package and its stubs under mypy; a stub that differs from the extension is an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import convtranspose as ct

pytest.importorskip("mypy")

CONFIG = Path(__file__).resolve().parents[2] / "pyproject.toml"
# Marks of pybind11 that no stub has a word for: a capsule in every enum, the metaclass of classes.
# And what is there only where the build found jaxlib's headers, hence the question mark.
PYBIND11_OWN = r"""
convtranspose\._core\.\w+\.__pybind11_native_enum__
convtranspose\._core\.Convolution\w+
(convtranspose\._core\.jax_ffi_\w+)?
"""
USER = """
import numpy as np
import convtranspose as ct

x = np.ones((1, 2, 3, 3), np.float32)
w = np.ones((2, 4, 2, 2), np.float32)
d = ct.Convolution2DOpDescriptor(stride_in_x=2, padding_style=ct.PaddingStyle.TF_SAME)
d.stride_in_y = 2
e: ct.Convolution2DOpDescriptor = d.replace(groups=1)
y = ct.convolution_transpose_2d(x, w, (1, 4, 6, 6), e, "up", strict=False, threads=2)
z = ct.convolution_2d(y, w, e, algorithm=ct.Algorithm.GEMM)
low, high = ct.output_shape_range(x.shape, w.shape, d)
isas: tuple[str, ...] = ct.available_isas()
total: np.float32 = (y + z[:, :1, :1, :1]).sum()
"""
MISUSE = """
import numpy as np
import convtranspose as ct

ct.Convolution2DOpDescriptor(2)
ct.set_num_threads("2")
ct.convolution_transpose_2d(np.ones(4), np.ones(4), "shape")
ct.convolution_transpose_3d()
"""


def mypy(*arguments: str, cache: Path, module: str = "mypy") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=cache,
        capture_output=True,
        text=True,
        check=False,
    )


def test_package_is_strictly_typed(tmp_path):
    assert (Path(ct.__file__).parent / "py.typed").is_file()
    done = mypy("--config-file", str(CONFIG), "--strict", "-p", "convtranspose", cache=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_match_the_extension(tmp_path):
    allowed = tmp_path / "allowed.txt"
    allowed.write_text(PYBIND11_OWN, encoding="utf-8")
    done = mypy(
        "convtranspose._core", "--allowlist", str(allowed), cache=tmp_path, module="mypy.stubtest"
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_users_are_checked(tmp_path):
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(USER, encoding="utf-8")
    wrong.write_text(MISUSE, encoding="utf-8")
    done = mypy("--strict", str(right), cache=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    done = mypy("--strict", str(wrong), cache=tmp_path)
    lines = {line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line}
    assert lines == {"5", "6", "7", "8"}, done.stdout
