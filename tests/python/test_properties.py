# SPDX-License-Identifier: MIT
"""Problems that nobody wrote down: Hypothesis draws them, the oracle judges them."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import convtranspose as ct
import oracle
from cases import OPERATIONS, Problem
from running import ALGORITHMS, DTYPES, ISAS, LAYOUTS, Check, Setting, descriptor_of, run

small = st.integers(1, 5)
pad = st.integers(0, 4)


@st.composite
def problems(draw, styles: tuple[str, ...] = ("EXPLICIT",)) -> Problem:
    batch, groups = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    sources, results = groups * draw(small), draw(small)
    source = draw(st.tuples(small, small))
    p = Problem(
        draw(st.sampled_from(OPERATIONS)),
        (batch, sources, *source),
        (sources, results, draw(small), draw(small)),
        (batch, results * groups, *draw(st.tuples(st.integers(0, 24), st.integers(0, 24)))),
        draw(st.tuples(small, small)),
        draw(st.tuples(small, small)),
        draw(st.tuples(pad, pad, pad, pad)),
        groups,
        draw(st.sampled_from(styles)),
        "drawn",
    )
    return p if p.style == "EXPLICIT" else p.but(padding=oracle.style_padding(p))


engines = st.builds(
    lambda dtype, layouts, isa, threads, algorithm: Setting(
        dtype, *layouts, isa, threads, algorithm
    ),
    st.sampled_from(DTYPES),
    st.sampled_from(LAYOUTS),
    st.sampled_from(ISAS),
    st.integers(1, 4),
    st.sampled_from(ALGORITHMS),
)


@given(problems(("EXPLICIT", "TF_VALID", "TF_SAME", "ONNX_SAME_LOWER")), engines, st.booleans())
@settings(max_examples=600, deadline=None)
def test_any_problem_without_strictness(p, setting, whole_numbers):
    check = Check(p, setting.dtype, p.integers() if whole_numbers else None)
    complaint = check.run(setting, strict=False)
    assert complaint is None, f"{p} {setting}: {complaint}"


@given(problems(), engines)
@settings(max_examples=300, deadline=None)
def test_strict_agrees_with_output_shape_range_and_the_relation(p, setting):
    setting = Setting(setting.dtype, threads=setting.threads)
    try:
        smallest, largest = ct.output_shape_range(p.source, p.weights, descriptor_of(p))
    except ValueError:
        within = False
    else:
        within = all(
            low <= extent <= high
            for low, extent, high in zip(smallest, p.output, largest, strict=True)
        )
    assert within == p.consistent
    try:
        run(p, p.integers(), setting, strict=True)
    except ValueError:
        assert not p.consistent
    else:
        assert p.consistent


@given(problems(), st.data())
@settings(max_examples=200, deadline=None)
def test_adjoint(p, data):
    setting = Setting("float64", *data.draw(st.sampled_from(LAYOUTS)))
    tensors = {}
    for operation in OPERATIONS:
        tensors.update(p.but(operation=operation).integers())
    y, dx, dw = (
        run(p.but(operation=operation), tensors, setting, strict=False) for operation in OPERATIONS
    )
    along = (y * tensors["gradient"]).sum()
    assert along == (dx * tensors["source"]).sum()
    assert along == (dw * tensors["weights"]).sum()
