# SPDX-License-Identifier: MIT
"""Arguments of a wrong type are refused in the package's words, not in those of the binding."""

from __future__ import annotations

import numpy as np
import pytest

import convtranspose as ct
from refusal import refused

SOURCE, WEIGHTS = np.ones((1, 1, 3, 3), np.float32), np.ones((1, 1, 2, 2), np.float32)
SMALL, LARGE = (1, 1, 3, 3), (1, 1, 4, 4)
DESCRIPTOR = ct.Convolution2DOpDescriptor()
PLAN = "ConvolutionTranspose2DPlan"
WEIGHTS_PLAN = "ConvolutionTranspose2DWeightsGradientPlan"
ARGUMENTS = {
    "convolution_transpose_2d": (SOURCE, WEIGHTS, LARGE),
    "convolution_2d": (SOURCE, WEIGHTS),
    "convolution_transpose_2d_data_gradient": (np.ones(LARGE, np.float32), WEIGHTS, SMALL),
    PLAN: (SMALL, WEIGHTS, LARGE),
    "ConvolutionTranspose2DDataGradientPlan": (LARGE, WEIGHTS, SMALL),
    WEIGHTS_PLAN: (LARGE, SMALL, WEIGHTS.shape),
}


def call(function, *, descriptor=DESCRIPTOR, **options):
    return getattr(ct, function)(*ARGUMENTS[function], descriptor, **options)


@pytest.mark.parametrize("function", ARGUMENTS)
def test_the_calls_themselves_are_right(function):
    call(function, name="a name", strict=np.bool_(True), algorithm=ct.Algorithm.GEMM, threads=1)


@pytest.mark.parametrize(
    ("argument", "value", "expected", "got"),
    [
        ("algorithm", "GEMM", "a member of Algorithm", "'GEMM'"),
        ("algorithm", None, "a member of Algorithm", "None"),
        ("algorithm", 2, "a member of Algorithm", "2"),
        ("algorithm", ct.PaddingStyle.TF_SAME, "a member of Algorithm", "PaddingStyle.TF_SAME"),
        ("strict", None, "True or False", "NoneType"),
        ("strict", "no", "True or False", "str"),
        ("strict", 0, "True or False", "int"),
        ("name", 3, "a string", "int"),
        ("name", b"name", "a string", "bytes"),
        ("threads", "two", "an integer", "str"),
        ("descriptor", None, "a Convolution2DOpDescriptor", "NoneType"),
        ("descriptor", {}, "a Convolution2DOpDescriptor", "dict"),
        ("descriptor", ct.Convolution2DOpDescriptor, "a Convolution2DOpDescriptor", "type"),
    ],
)
@pytest.mark.parametrize("function", ARGUMENTS)
def test_wrong_types(function, argument, value, expected, got):
    with refused(f"{argument}|forward_convolution_{argument}", expected, got, kind=TypeError):
        call(function, **{argument: value})


def test_output_shape_range_needs_a_descriptor():
    with refused("descriptor", "Convolution2DOpDescriptor", "str", by="output_shape_range"):
        ct.output_shape_range(SMALL, WEIGHTS.shape, "descriptor")


@pytest.mark.parametrize("name", [None, 3, b"avx2", ["avx2"]])
def test_names_of_instruction_sets_are_strings(name):
    with refused("name", "a string", type(name).__name__, kind=TypeError, by="set_isa"):
        ct.set_isa(name)


@pytest.mark.parametrize("count", [None, "x", 1.5])
def test_numbers_of_threads_are_integers(count):
    with refused("count", "an integer", type(count).__name__, kind=TypeError, by="set_num_threads"):
        ct.set_num_threads(count)


@pytest.mark.parametrize("dtype", [None, "float31", int, "int32", ">f4", object(), "f4,f4"])
def test_dtypes_of_plans(dtype):
    with refused("dtype", "float32, float64, float16 or bfloat16", kind=TypeError):
        call(WEIGHTS_PLAN, dtype=dtype)


@pytest.mark.parametrize("dtype", ["float32", np.float64, np.dtype("f2"), float, "<f4"])
def test_dtypes_that_numpy_knows_by_other_names(dtype):
    assert call(WEIGHTS_PLAN, dtype=dtype).dtype == np.dtype(dtype)


@pytest.mark.parametrize("slope", [np.nan, np.inf, -np.inf, 1e400])
def test_slopes_are_finite(slope):
    with refused("activation", "finite slope", str(slope), kind=ValueError):
        call(PLAN, activation=("leaky_relu", slope))


@pytest.mark.parametrize("limits", [(np.nan, 1.0), (0.0, np.nan), (2.0, 1.0)])
def test_limits_are_in_order(limits):
    with refused("activation", "low <= high", kind=ValueError):
        call(PLAN, activation=("clamp", *limits))


def test_a_limit_may_be_infinite():
    plan = call(PLAN, activation=("clamp", -np.inf, 1.5))
    assert plan(-SOURCE).min() == -4
    assert plan(SOURCE).max() == 1.5


@pytest.mark.parametrize("activation", [3, (), ("relu", 1.0), ("clamp", 1.0), ("clamp", "a", "b")])
def test_activations_of_other_forms(activation):
    with refused("activation", "('leaky_relu', slope)", repr(activation), kind=ValueError):
        call(PLAN, activation=activation)


def test_biases_without_a_mask():
    with refused("bias", "a numpy array or None", "MaskedArray", kind=TypeError):
        call(PLAN, bias=np.ma.ones(1, np.float32))
