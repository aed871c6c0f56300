# SPDX-License-Identifier: MIT
"""What a plan's call takes and refuses, for each of the three plans and each of its tensors."""

from __future__ import annotations

import re

import numpy as np
import pytest

import convtranspose as ct
import subprocesses
from refusal import refused

SOURCE, WEIGHTS, RESULT = (2, 4, 5, 6), (4, 5, 3, 3), (2, 5, 9, 11)
DESCRIPTOR = ct.Convolution2DOpDescriptor(
    stride_in_x=2, stride_in_y=2, padding_left=1, padding_right=1, padding_top=1, padding_bottom=1
)


def integers(shape, seed):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


source, weights, gradient = integers(SOURCE, 1), integers(WEIGHTS, 2), integers(RESULT, 3)
# Plan, inputs of a call by name, expected result.
CALLS = {
    "forward": (
        ct.ConvolutionTranspose2DPlan(SOURCE, weights, RESULT, DESCRIPTOR),
        {"source": source},
        ct.convolution_transpose_2d(source, weights, RESULT, DESCRIPTOR),
    ),
    "data_gradient": (
        ct.ConvolutionTranspose2DDataGradientPlan(RESULT, weights, SOURCE, DESCRIPTOR),
        {"incoming_gradient": gradient},
        ct.convolution_transpose_2d_data_gradient(gradient, weights, SOURCE, DESCRIPTOR),
    ),
    "weights_gradient": (
        ct.ConvolutionTranspose2DWeightsGradientPlan(RESULT, SOURCE, WEIGHTS, DESCRIPTOR),
        {"incoming_gradient": gradient, "source": source},
        ct.convolution_transpose_2d_weights_gradient(gradient, source, WEIGHTS, DESCRIPTOR),
    ),
}
each_plan = pytest.mark.parametrize("name", CALLS)


def spread(array):
    """The same elements, with gaps between them in every axis and the last axis reversed."""
    wide = np.full([3 * extent for extent in array.shape], np.nan, array.dtype)
    view = wide[::3, ::3, ::3, ::-3]
    view[...] = array
    return view


@each_plan
def test_strides_of_any_tensor_are_free(name):
    plan, inputs, expected = CALLS[name]
    for strided in inputs:
        given = {key: spread(value) if key == strided else value for key, value in inputs.items()}
        np.testing.assert_array_equal(plan(**given), expected)
    out = spread(np.full_like(expected, np.nan))
    around = out.base.copy()
    assert plan(**inputs, out=out) is out
    np.testing.assert_array_equal(out, expected)
    out[...] = np.nan
    np.testing.assert_array_equal(out.base, around)


@each_plan
def test_inputs_of_other_shapes_and_dtypes(name):
    plan, inputs, _ = CALLS[name]
    for wrong, value in inputs.items():
        for axis in range(4):
            with refused(wrong, "the plan's shape", kind=ValueError):
                plan(**{**inputs, wrong: np.repeat(value, 2, axis)})
        with refused(wrong, "the plan's dtype, float32", "float64", kind=TypeError):
            plan(**{**inputs, wrong: value.astype(np.float64)})
        with refused(wrong, "rank 4", kind=ValueError):
            plan(**{**inputs, wrong: value[0]})


@each_plan
def test_results_that_cannot_be_written(name):
    plan, inputs, expected = CALLS[name]
    locked = np.zeros_like(expected)
    locked.flags.writeable = False
    line = np.zeros(expected.shape[-1], np.float32)
    itself = np.lib.stride_tricks.as_strided(line, expected.shape, (0, 0, 0, 4))
    for out, why in (
        (locked, "a writeable array"),
        (itself, "elements do not share memory"),
        (np.zeros(expected.shape[1:], np.float32), "shape"),
        (np.zeros((*expected.shape[:3], 1), np.float32), "shape"),
    ):
        with refused("out", why, kind=ValueError):
            plan(**inputs, out=out)
    with refused("out", "dtype float32", "float64", kind=TypeError):
        plan(**inputs, out=np.zeros(expected.shape))
    assert not line.any()


@each_plan
def test_results_over_an_input(name):
    plan, inputs, expected = CALLS[name]
    for over, value in inputs.items():
        memory = np.zeros(value.size + expected.size, np.float32)
        inside = memory[: value.size].reshape(value.shape)
        inside[...] = value
        out = memory[value.size - 1 : -1].reshape(expected.shape)
        with refused("out", "memory of its own", kind=ValueError):
            plan(**{**inputs, over: inside}, out=out)
        np.testing.assert_array_equal(inside, value)
        out = memory[value.size :].reshape(expected.shape)
        np.testing.assert_array_equal(plan(**{**inputs, over: inside}, out=out), expected)


def test_biases_may_have_gaps_and_are_copied():
    wide = integers((10,), 4)
    bias = wide[::2]
    assert not bias.flags.c_contiguous
    expected = CALLS["forward"][2] + bias[:, None, None]
    plan = ct.ConvolutionTranspose2DPlan(SOURCE, weights, RESULT, DESCRIPTOR, bias=bias)
    wide[:] = np.nan
    np.testing.assert_array_equal(plan(source), expected)


def test_threads_bound_the_calls_of_plans_and_functions():
    script = """
import os
os.dup2(1, 2)  # the log goes to the error output
import numpy as np
import convtranspose as ct
ct.set_num_threads(3)
source, weights = np.ones((4, 8, 32, 32), np.float32), np.ones((8, 8, 4, 4), np.float32)
shape, descriptor = (4, 8, 35, 35), ct.Convolution2DOpDescriptor()
for threads in (1, 2, None):
    ct.ConvolutionTranspose2DPlan(
        source.shape, weights, shape, descriptor, threads=threads)(source)
    ct.convolution_transpose_2d(source, weights, shape, descriptor, threads=threads)
"""
    lines = subprocesses.python(script, CONVTRANSPOSE_VERBOSE="1")
    assert re.findall(r"threads=(\d+)", lines) == ["1", "1", "2", "2", "3", "3"]


@pytest.mark.parametrize("algorithm", ["AUTO", "GEMM", "DIRECT", "FEW_OUTPUT"])
def test_weights_too_large_to_be_packed_in_one_piece(algorithm):
    data, taps = integers((1, 640, 2, 3), 7), integers((640, 720, 3, 3), 8)  # 16 MB
    shape = (1, 720, 4, 5)
    options = {"algorithm": ct.Algorithm[algorithm]}
    plain = ct.Convolution2DOpDescriptor()
    plan = ct.ConvolutionTranspose2DPlan(data.shape, taps, shape, plain, **options)
    # Each tap adds a product of matrices.
    columns = np.einsum("ncyx,cokl->noyxkl", data, taps, optimize=True)
    expected = np.zeros(shape, np.float32)
    for y, x in np.ndindex(3, 3):
        expected[:, :, y : y + 2, x : x + 3] += columns[..., y, x]
    np.testing.assert_array_equal(plan(data), expected)
    np.testing.assert_array_equal(
        ct.convolution_transpose_2d(data, taps, shape, plain, **options), expected
    )


def channels_last(array):
    """The same array with its channels side by side in memory."""
    return np.ascontiguousarray(array.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)


@pytest.mark.parametrize(
    ("channels", "per_group", "groups"),
    [(8, 24, 1), (32, 1, 32), (16, 2, 16), (24, 3, 1), (3, 1, 1)],
)
@pytest.mark.parametrize("algorithm", ct.Algorithm)
def test_memory_of_another_order_than_the_plan_packed_its_weights_for(
    algorithm, channels, per_group, groups
):
    descriptor = DESCRIPTOR.replace(groups=groups)
    small, large = (2, channels, 6, 7), (2, per_group * groups, 11, 13)
    taps = integers((channels, per_group, 3, 3), 5)
    for plan_type, function, given, result in (
        (ct.ConvolutionTranspose2DPlan, ct.convolution_transpose_2d, small, large),
        (
            ct.ConvolutionTranspose2DDataGradientPlan,
            ct.convolution_transpose_2d_data_gradient,
            large,
            small,
        ),
    ):
        try:
            plan = plan_type(given, taps, result, descriptor, algorithm=algorithm)
        except ValueError as error:
            if "algorithm" not in str(error):
                raise
            continue
        data = integers(given, 6)
        expected = function(data, taps, result, descriptor)
        for source in (data, channels_last(data)):
            for out in (None, channels_last(np.full(result, np.nan, np.float32))):
                np.testing.assert_array_equal(plan(source, out), expected)
