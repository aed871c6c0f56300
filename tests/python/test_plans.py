# SPDX-License-Identifier: MIT
"""Plans give the operations' bits, with bias and activation on top, and refuse what does not fit."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import convtranspose as ct

DESCRIPTOR = ct.Convolution2DOpDescriptor(
    stride_in_x=2, stride_in_y=2, padding_left=1, padding_right=1, padding_top=1, padding_bottom=1
)
SOURCE, WEIGHTS, RESULT = (2, 6, 5, 7), (6, 20, 4, 4), (2, 20, 10, 14)
ACTIVATIONS = {
    "none": (None, lambda v: v),
    "relu": ("relu", lambda v: np.maximum(v, 0)),
    "leaky_relu": (("leaky_relu", 0.25), lambda v: np.where(v < 0, v / 4, v)),
    "clamp": (("clamp", -8, 8), lambda v: np.clip(v, -8, 8)),
}


def integers(shape, seed, dtype=np.float32):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_forward_plan_equals_the_operation(name, dtype):
    activation, function = ACTIVATIONS[name]
    source, weights = integers(SOURCE, 1, dtype), integers(WEIGHTS, 2, dtype)
    bias = integers(20, 3, dtype)
    plan = ct.ConvolutionTranspose2DPlan(
        SOURCE, weights, RESULT, DESCRIPTOR, bias=bias, activation=activation
    )
    plain = ct.convolution_transpose_2d(source, weights, RESULT, DESCRIPTOR)
    expected = function(plain.astype(np.float64) + bias.astype(np.float64)[:, None, None])
    out = np.full(RESULT, np.nan, dtype)
    assert plan(source, out) is out
    np.testing.assert_array_equal(out, expected.astype(dtype))
    np.testing.assert_array_equal(plan(source[::-1])[::-1], out)  # strides of its own


def test_gradient_plans_equal_the_operations():
    source, weights, gradient = integers(SOURCE, 1), integers(WEIGHTS, 2), integers(RESULT, 3)
    data = ct.ConvolutionTranspose2DDataGradientPlan(RESULT, weights, SOURCE, DESCRIPTOR)
    np.testing.assert_array_equal(
        data(gradient),
        ct.convolution_transpose_2d_data_gradient(gradient, weights, SOURCE, DESCRIPTOR),
    )
    dw = ct.ConvolutionTranspose2DWeightsGradientPlan(RESULT, SOURCE, WEIGHTS, DESCRIPTOR)
    np.testing.assert_array_equal(
        dw(gradient, source),
        ct.convolution_transpose_2d_weights_gradient(gradient, source, WEIGHTS, DESCRIPTOR),
    )


def test_facts():
    weights = integers(WEIGHTS, 2)
    plan = ct.ConvolutionTranspose2DPlan(SOURCE, weights, RESULT, DESCRIPTOR, "upsample")
    assert plan.algorithm in ct.Algorithm
    assert plan.algorithm not in (ct.Algorithm.AUTO, ct.Algorithm.REFERENCE)
    assert plan.isa == ct.active_isa()
    assert plan.flops == 2 * 2 * 6 * 20 * 5 * 7 * 16
    assert plan.output_shape == RESULT
    assert plan.workspace_bytes > 0
    assert plan.packed_bytes >= weights.nbytes
    assert plan.explain().startswith("upsample: ")
    assert plan.reason in plan.explain()


def test_weights_are_copied():
    source, weights = integers(SOURCE, 1), integers(WEIGHTS, 2)
    for algorithm in (ct.Algorithm.AUTO, ct.Algorithm.GEMM, ct.Algorithm.REFERENCE):
        mine = weights.copy()
        plan = ct.ConvolutionTranspose2DPlan(SOURCE, mine, RESULT, DESCRIPTOR, algorithm=algorithm)
        mine[:] = np.nan
        expected = ct.convolution_transpose_2d(source, weights, RESULT, DESCRIPTOR)
        np.testing.assert_array_equal(plan(source), expected)


def test_many_threads_share_a_plan():
    source = integers(SOURCE, 1)
    plan = ct.ConvolutionTranspose2DPlan(SOURCE, integers(WEIGHTS, 2), RESULT, DESCRIPTOR)
    expected, wrong = plan(source), []

    def work():
        wrong.extend(1 for _ in range(50) if not np.array_equal(plan(source), expected))

    threads = [threading.Thread(target=work) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (
            {"bias": np.zeros(3, np.float32)},
            ValueError,
            r"bias: expected shape \(20,\).*got \(3,\)",
        ),
        (
            {"bias": np.zeros(20)},
            TypeError,
            "bias: expected the dtype of weights, float32, got float64",
        ),
        ({"bias": [0.0] * 20}, TypeError, "bias: expected a numpy array or None, got list"),
        ({"activation": "swish"}, ValueError, "activation: expected None, 'relu'.*got 'swish'"),
        ({"activation": ("clamp", 2, 1)}, ValueError, "low <= high"),
        ({"threads": 0}, ValueError, "threads: expected at least 1, got 0"),
    ],
)
def test_wrong_options_are_refused(change, error, text):
    with pytest.raises(error, match=text):
        ct.ConvolutionTranspose2DPlan(SOURCE, integers(WEIGHTS, 2), RESULT, DESCRIPTOR, **change)


def test_wrong_calls_are_refused():
    plan = ct.ConvolutionTranspose2DPlan(SOURCE, integers(WEIGHTS, 2), RESULT, DESCRIPTOR)
    with pytest.raises(ValueError, match="source: expected the plan's shape"):
        plan(np.zeros((2, 6, 5, 8), np.float32))
    with pytest.raises(TypeError, match="expected the plan's dtype, float32, got float64"):
        plan(np.zeros(SOURCE))
    with pytest.raises(ValueError, match="out: expected shape"):
        plan(np.zeros(SOURCE, np.float32), np.zeros((2, 20, 10, 15), np.float32))
