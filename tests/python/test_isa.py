# SPDX-License-Identifier: MIT
from __future__ import annotations

import pytest

import convtranspose as ct
from refusal import refused
from running import ISAS
from subprocesses import python

ACTIVE = "import convtranspose as ct; print(ct.active_isa())"


def test_names_from_worst_to_best():
    order = ["baseline", "avx2", "avx512", "neon"]
    assert isinstance(ct.available_isas(), tuple)
    assert list(ISAS) == sorted(ISAS, key=order.index)
    assert len(set(ISAS)) == len(ISAS) >= 1


def test_the_best_one_is_the_default():
    assert python(ACTIVE).strip() == ISAS[-1]


@pytest.mark.parametrize("isa", ISAS)
def test_forced_by_function_and_by_environment(isa):
    ct.set_isa(isa)
    assert ct.active_isa() == isa
    assert python(ACTIVE, CONVTRANSPOSE_ISA=isa).strip() == isa


@pytest.mark.parametrize("name", ["", "sse9", "AVX2", "avx2 "])
def test_unknown_names_are_refused_with_the_list(name):
    before = ct.active_isa()
    with refused(r"\w+", *ISAS, repr(name), by="set_isa"):
        ct.set_isa(name)
    assert ct.active_isa() == before


def test_unsupported_names_are_refused():
    for name in {"baseline", "avx2", "avx512", "neon"} - set(ISAS):
        with refused(r"\w+", repr(name), by="set_isa"):
            ct.set_isa(name)


def test_unknown_name_in_the_environment_is_an_error_not_a_fallback():
    script = """
import convtranspose as ct
import numpy as np
x = np.ones((1, 1, 1, 1), np.float32)
for use in (ct.active_isa, lambda: ct.convolution_transpose_2d(
        x, x, (1, 1, 1, 1), ct.Convolution2DOpDescriptor())):
    try:
        use()
    except ValueError as error:
        assert "sse9" in str(error) and "CONVTRANSPOSE_ISA" in str(error), error
    else:
        raise SystemExit("accepted")
print("refused")
"""
    assert python(script, CONVTRANSPOSE_ISA="sse9").strip() == "refused"


def test_build_info():
    info = ct.build_info()
    assert info["version"] == ct.__version__
    assert {"compiler", "eigen"} <= info.keys()
    assert all(isinstance(value, str) and value for value in info.values())
