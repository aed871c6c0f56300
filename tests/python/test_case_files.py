# SPDX-License-Identifier: MIT
"""The data files: canonical form, self-consistency, and the numbers that their sources assert."""

from __future__ import annotations

import numpy as np
import pytest

import cases
import oracle
import tolerance

FUNCTIONAL = [*cases.corpus_files(), cases.DATA / "reported_faults.txt"]
ALL = [*FUNCTIONAL, cases.DATA / "refused.txt"]


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_a_parsed_file_formats_back_to_itself(path):
    text = path.read_text(encoding="utf-8")
    comments = "".join(line for line in text.splitlines(True) if line.startswith("#"))
    assert comments + cases.format_problems(cases.parse(text)) == text


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_numbers_are_in_their_shortest_form(path):
    for p in cases.load(path):
        for key in ("source", "weights", "gradient", "result"):
            text = p.attributes.get(key, "ones")
            if not cases.FILLS.fullmatch(text):
                shape = p.result if key == "result" else p.shapes[key]
                assert cases.encode(cases.decode(text, shape)) == text, p


@pytest.mark.parametrize("path", FUNCTIONAL, ids=lambda path: path.stem)
def test_functional_rows_are_well_formed(path):
    for p in cases.load(path):
        assert p.provenance, p
        assert p.source[0] == p.output[0], p
        assert p.source[1] == p.weights[0], p
        assert p.weights[1] * p.groups == p.output[1], p
        assert p.source[1] % p.groups == 0, p
        assert min(p.slack) >= 0, p
        if p.style != "EXPLICIT":
            assert oracle.style_padding(p) == p.padding, p


@pytest.mark.parametrize("path", FUNCTIONAL, ids=lambda path: path.stem)
def test_asserted_numbers_agree_with_the_oracle(path):
    for p in cases.load(path):
        tensors = p.inputs()
        asserted = p.expected()
        if asserted is not None and np.isfinite(asserted).all():
            values = oracle.compute(p, tensors)
            if all(np.array_equal(t, np.rint(t)) for t in tensors.values()):
                assert np.array_equal(values, asserted), p
            else:  # their source computed and printed float32, some of it with a bias
                bias = float(p.attributes.get("bias", 0))
                complaint = tolerance.mismatch(
                    asserted.astype(np.float32),
                    values,
                    oracle.absolute_sum(p, tensors) + abs(bias),
                    oracle.terms(p) + 1,
                )
                assert complaint is None, f"{p}: {complaint}"
        if p.checksum() is not None:
            assert cases.weighted_sums(oracle.compute(p, tensors)) == p.checksum(), p


def test_fills():
    assert cases.decode("mod:5", (6,)).tolist() == [1, -2, 0, 2, -1, 1]
    assert cases.decode("arange1", (2, 2)).tolist() == [[1, 2], [3, 4]]
    assert cases.decode("0*2 -3 4*1", (4,)).tolist() == [0, 0, -3, 4]
    assert cases.encode(np.array([0, 0, -3, 4.5])) == "0*2 -3 4.5"
    with pytest.raises(ValueError, match="3 values"):
        cases.decode("0*3", (4,))


def test_wrong_lines_are_refused():
    with pytest.raises(ValueError, match="unknown operation"):
        cases.parse_line('sideways 1x1x1x1 1x1x1x1 1x1x1x1 "x"')
    with pytest.raises(KeyError):
        cases.parse_line('forward 1x1x1x1 1x1x1x1 1x1x1x1 t2x2 "x"')
