# SPDX-License-Identifier: MIT
"""Faults that users reported elsewhere.

Rows with numbers and rows to refuse are data files; the other reports ask for a property, and this
file names the test of each.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import cases
import oracle
from refusal import refused
from running import ALGORITHMS, DTYPES, ISAS, LAYOUTS, UNIVERSAL, Check, Setting, attempt, run

ROWS = cases.load(cases.DATA / "reported_faults.txt")
REFUSED = cases.load(cases.DATA / "refused.txt")

PROPERTIES = {
    "adjoint-shape-ambiguity": "test_adjoint.py::test_strided_convolution_with_a_remainder",
    "double-backward-identities": "test_adjoint.py::test_second_derivatives",
    "f16-cancel-not-nan": "test_half_types.py::test_cancellation_is_not_nan",
    "fork-after-use": "test_fork.py::test_child_of_a_process_that_used_the_pool",
    "half-types-on-cpu": "test_half_types.py::test_half_types_are_right_or_refused_by_name",
    "int32-product-wrap": "test_strictness.py::test_output_shape_range_of_reported_faults",
    "output-size-with-dilation": "test_strictness.py::test_output_shape_range_of_reported_faults",
    "packed-weight-size-wrap": "test_errors.py::test_sizes_beyond_63_bits",
    "run-to-run-and-thread-count": "test_same_bits.py::test_runs_and_thread_counts",
    "variable-shape-memory-growth": "test_memory.py::test_changing_shapes_leave_nothing_behind",
    "variable-shape-setup-cost": "test_memory.py::test_a_new_shape_costs_no_set_up",
    "weights-denormal-slow": "test_nonfinite.py::test_subnormal_weights",
    "workspace-blow-up": "test_memory.py::test_extra_memory_of_one_call",
}


@pytest.mark.parametrize("p", ROWS, ids=lambda p: f"{p.name}-{p.operation}")
def test_values(p):
    tensors, asserted = p.inputs(), p.expected()
    if asserted is None:
        asserted = oracle.compute(p, tensors)
        assert cases.weighted_sums(asserted) == p.checksum()
    for dtype, layouts, isa, algorithm in product(DTYPES, LAYOUTS, ISAS, UNIVERSAL):
        setting = Setting(dtype, *layouts, isa, 2, algorithm)
        assert np.array_equal(run(p, tensors, setting), asserted), setting


@pytest.mark.parametrize("p", REFUSED, ids=lambda p: f"{p.name}-{p.operation}")
def test_refused(p):
    argument, _, _ = p.attributes["refused"].partition(":")
    operands = {name: np.ones(p.shapes[name]) for name in p.operands}
    for dtype, layouts in product(DTYPES, LAYOUTS):
        with refused(argument):
            run(p, operands, Setting(dtype, *layouts), strict=True)


def test_every_report_is_covered():
    named = {p.name.partition("/")[0] for p in [*ROWS, *REFUSED]} | PROPERTIES.keys()
    assert len(named) == 58 + 19
    for name, test in PROPERTIES.items():
        path, function = test.split("::")
        text = (Path(__file__).parent / path).read_text(encoding="utf-8")
        assert f"def {function}(" in text, f"{name}: no {test}"


def test_other_algorithms_agree_or_refuse():
    for p in ROWS:
        for algorithm in set(ALGORITHMS) - set(UNIVERSAL):
            setting = Setting(algorithm=algorithm)
            result = attempt(p, p.inputs(), setting)
            if result is not None and np.isfinite(result).all():
                assert Check(p, "float32").complaint(result, setting) is None, p
