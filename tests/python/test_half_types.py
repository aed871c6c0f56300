# SPDX-License-Identifier: MIT
"""float16 and bfloat16: sums in float32 and one rounding, or a refusal that names the type."""

from __future__ import annotations

import numpy as np
import pytest

import cases
import convtranspose as ct
import oracle
import tolerance
from running import LAYOUTS, Setting, call_raw, from_layout, operands_in, result_layout


def half_type(name: str) -> np.dtype:
    if name == "bfloat16":
        return np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    return np.dtype(name)


def epsilon(dtype: np.dtype) -> float:
    return 2.0**-7 if dtype.name == "bfloat16" else float(np.finfo(dtype).eps)


def result_or_refusal(p, tensors, dtype, layouts):
    setting = Setting(dtype.name, *layouts)
    operands = {
        name: value.astype(dtype)
        for name, value in operands_in(p, tensors, Setting("float64", *layouts)).items()
    }
    try:
        result = call_raw(p, operands, setting)
    except TypeError as error:
        if not all(name in str(error) for name in (dtype.name, "float32")):
            raise
        return None
    assert result.dtype == dtype
    return from_layout(result, result_layout(p, setting)).astype(np.float64)


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_half_types_are_right_or_refused_by_name(operation, name):
    dtype = half_type(name)
    line = f'{operation} 2x6x5x4 6x4x3x3 2x8x10x8 s2x2 p1,0,0,1 g2 "half"'
    p = cases.parse_line(line)
    tensors = {k: v.astype(dtype).astype(np.float64) for k, v in p.inputs().items()}
    exact = oracle.compute(p, tensors)
    sums = tolerance.bound(np.float32, oracle.absolute_sum(p, tensors), oracle.terms(p))
    for layouts in LAYOUTS:
        result = result_or_refusal(p, tensors, dtype, layouts)
        if result is not None:
            rounding = epsilon(dtype) / 2 * (np.abs(exact) + sums)
            assert (np.abs(result - exact) <= sums + rounding).all(), layouts


def test_cancellation_is_not_nan():
    p = cases.parse_line('forward 1x2x1x1 2x1x1x1 1x1x1x1 "120000 - 120000 in float16"')
    for source, weights, expected in (((6e4, -6e4), 2.0, 0.0), ((6e4, 6e4), 1.0, np.inf)):
        tensors = {
            "source": np.array(source).reshape(p.source),
            "weights": np.full(p.weights, weights),
        }
        result = result_or_refusal(p, tensors, np.dtype(np.float16), LAYOUTS[0])
        assert result is None or result.item() == expected


def test_mixed_with_single_precision_is_refused():
    x, w = np.ones((1, 1, 2, 2), np.float16), np.ones((1, 1, 2, 2), np.float32)
    with pytest.raises(TypeError, match=r"float32.*float16|float16.*float32"):
        ct.convolution_transpose_2d(x, w, (1, 1, 3, 3), ct.Convolution2DOpDescriptor())
