# SPDX-License-Identifier: MIT
"""The pages of docs/ are true: their examples run, where what they need is installed."""

from __future__ import annotations

import doctest
import re
import runpy
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the tests are not in their tree")

NEEDS = {
    "dask.md": "dask.array",
    "jax.md": "jax",
    "keras.md": "keras",
    "onnx.md": "onnx.reference",
    "pytorch.md": "torch",
    "tensorflow.md": "tensorflow",
}
PAGES = [
    page.relative_to(DOCS).as_posix()
    for page in sorted(DOCS.rglob("*.md"))
    if "\n>>> " in page.read_text(encoding="utf-8")
]


@pytest.mark.filterwarnings("default")  # the frameworks' own
@pytest.mark.parametrize("page", PAGES)
def test_examples(page: str) -> None:
    path = DOCS / page
    pytest.importorskip(NEEDS.get(path.name, "numpy"))
    failed, tried = doctest.testfile(str(path), module_relative=False, encoding="utf-8")
    assert tried
    assert not failed


def test_no_python_is_only_shown() -> None:
    programs = {"mpi.md", "ray.md"}  # test_recipes.py runs them
    shown = {
        page.name
        for page in DOCS.rglob("*.md")
        if re.search(r"^```python\n(?!>>>)", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert shown == programs


def test_drawings_are_what_the_script_draws() -> None:
    drawn = runpy.run_path(str(DOCS / "drawings" / "draw.py"))["drawings"]()
    files = {path.name: path.read_text("utf-8") for path in (DOCS / "drawings").glob("*.svg")}
    assert files == drawn
