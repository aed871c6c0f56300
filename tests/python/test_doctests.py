# SPDX-License-Identifier: MIT
"""Every public function has an example in its documentation, and every example is true."""

from __future__ import annotations

import doctest
import inspect
import re

import numpy as np
import pytest

import convtranspose as ct

FUNCTIONS = sorted(name for name in ct.__all__ if inspect.isroutine(getattr(ct, name)))
DOCUMENTED = sorted(name for name in ct.__all__ if callable(getattr(ct, name)))


@pytest.mark.parametrize("name", DOCUMENTED)
def test_examples(name):
    text = inspect.getdoc(getattr(ct, name)) or ""
    names = {"convtranspose": ct, "ct": ct, "np": np}
    example = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(
        example, out=report.append
    )
    assert not report, "".join(report)
    assert example.examples or name not in FUNCTIONS, f"{name} has no example"


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name.startswith("convolution")])
def test_operations_document_arguments_and_errors(name):
    function = getattr(ct, name)
    text = inspect.getdoc(function) or ""
    for section in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"{section}\n{'-' * len(section)}" in text, section
    documented = text.partition("Parameters\n")[2].partition("Returns\n")[0]
    for argument in inspect.signature(function).parameters:
        assert re.search(rf"^[\w, ]*\b{argument}\b", documented, re.MULTILINE), argument
