# SPDX-License-Identifier: MIT
"""What README.md shows is true: its Python runs, its C++ is the compiled example, its links exist."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def fenced(language: str) -> str:
    """All code blocks of a language, joined: later blocks use the names of earlier ones."""
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE))


def test_python_runs_and_prints_what_is_shown() -> None:
    example = doctest.DocTestParser().get_doctest(fenced("python"), {}, "README.md", None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    runner.run(example, out=report.append)
    assert len(example.examples) >= 8
    assert not report, "".join(report)


def test_cpp_is_the_compiled_example() -> None:
    program = (ROOT / "examples" / "readme.cpp").read_text(encoding="utf-8")
    licence, _, shown = program.partition("\n")
    assert licence.startswith("// SPDX")
    assert fenced("cpp") == shown


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_relative_links_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert not [link for link in links if not (ROOT / link).exists()]
