# SPDX-License-Identifier: MIT
"""CONVTRANSPOSE_VERBOSE: a line a call, whose problem string the bench reads back."""

from __future__ import annotations

import pytest

import subprocesses
from convtranspose.bench.problem import Problem

SCRIPT = """
import os, sys
os.dup2(1, 2)  # the log goes to the error output
import numpy as np
import convtranspose as ct

same = ct.PaddingStyle.TF_SAME
nhwc, hwio = ct.TensorNamedDataLayout.NHWC, ct.TensorNamedDataLayout.HWIO
plain = ct.Convolution2DOpDescriptor(stride_in_x=2, padding_left=1, padding_top=2, groups=2)
other = ct.Convolution2DOpDescriptor(
    stride_in_y=3, dilation_rate_in_x=2, padding_style=same, data_layout=nhwc, weights_layout=hwio)
ones = lambda *shape: np.ones(shape, np.float32)
x, w, y = ones(1, 4, 3, 5), ones(4, 3, 3, 4), ones(1, 6, 3, 11)
ct.convolution_transpose_2d(x, w, y.shape, plain, "two words\\nand %s a line")
ct.convolution_transpose_2d_data_gradient(y, w, x.shape, plain)
ct.convolution_transpose_2d_weights_gradient(y, x, w.shape, plain, threads=1)
ct.ConvolutionTranspose2DPlan(x.shape, w, y.shape, plain)(x)
x, w, y = ones(2, 3, 5, 4), ones(3, 2, 6, 4), ones(2, 8, 5, 6)
ct.convolution_transpose_2d(x, w, y.shape, other)
ct.convolution_2d(y, w, other)
"""


@pytest.fixture(scope="module")
def lines() -> list[dict[str, str]]:
    text = subprocesses.python(SCRIPT, CONVTRANSPOSE_VERBOSE="1")
    heads, _, rest = zip(*(line.partition(": ") for line in text.splitlines()), strict=True)
    assert set(heads) == {"convtranspose"}
    return [dict(word.split("=", 1) for word in line.split(" ")) for line in rest]


def test_a_line_a_call(lines):
    assert [line["op"] for line in lines] == [
        "forward",
        "data_gradient",
        "weights_gradient",
        "forward",
        "forward",
        "data_gradient",
    ]
    assert lines[0]["name"] == "two_words_and_%s_a_line"
    assert lines[1]["name"] == "convolution_transpose_2d_data_gradient"
    assert lines[2]["threads"] == "1"
    assert {line["dtype"] for line in lines} == {"float32"}
    assert all(float(line["ms"]) > 0 and float(line["gflops"]) > 0 for line in lines)


def test_problems_read_back(lines):
    plain, other = Problem.parse(lines[0]["problem"]), Problem.parse(lines[4]["problem"])
    assert (plain.source_shape, plain.output_shape) == ((1, 4, 3, 5), (1, 6, 3, 11))
    assert (plain.kernel, plain.stride, plain.groups) == ((3, 4), (1, 2), 2)
    assert plain.padding == (1, 0, 2, 0)
    assert (other.source_shape, other.output_shape) == ((2, 4, 3, 5), (2, 6, 8, 5))
    assert (other.stride, other.dilation, other.padding) == ((3, 1), (1, 2), (1, 1, 0, 1))
    problems = [line["problem"] for line in lines]
    assert problems == [str(plain)] * 4 + [str(other)] * 2


def test_silent_unless_asked():
    assert subprocesses.python(SCRIPT, CONVTRANSPOSE_VERBOSE="") == ""
    assert subprocesses.python(SCRIPT, CONVTRANSPOSE_VERBOSE="0") == ""
