# SPDX-License-Identifier: MIT
"""The forward family: shapes from the descriptor, values from the oracle, errors of its own."""

from __future__ import annotations

import numpy as np
import pytest

import cases
import convtranspose as ct
from refusal import refused
from running import DTYPES, LAYOUTS, Check, Setting

ROWS = [p for p in cases.load_corpora() if p.consistent and p.operation != "forward"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layouts", LAYOUTS, ids="-".join)
def test_gradient_rows_are_convolutions(layouts, dtype):
    turn = DTYPES.index(dtype) * len(LAYOUTS) + LAYOUTS.index(layouts)
    for p in ROWS[turn :: len(DTYPES) * len(LAYOUTS)]:
        complaint = Check(p, dtype).run(Setting(dtype, *layouts), family="convolution")
        assert complaint is None, f"{p}: {complaint}"


@pytest.mark.parametrize("style", ["TF_SAME", "ONNX_SAME_LOWER", "TF_VALID"])
def test_result_shape_of_a_style(style):
    x, w = np.ones((1, 1, 7, 9), np.float32), np.ones((1, 1, 3, 2), np.float32)
    descriptor = ct.Convolution2DOpDescriptor(
        stride_in_x=2, stride_in_y=3, padding_style=ct.PaddingStyle[style]
    )
    expected = (1, 1, 2, 4) if style == "TF_VALID" else (1, 1, 3, 5)
    assert ct.convolution_2d(x, w, descriptor).shape == expected


def test_kernel_larger_than_the_padded_source_is_refused():
    x, w = np.ones((1, 1, 2, 5), np.float32), np.ones((1, 1, 3, 2), np.float32)
    with refused("source", "3", "(1, 1, 2, 5)", by="convolution_2d"):
        ct.convolution_2d(x, w, ct.Convolution2DOpDescriptor())


def test_channel_mismatch_is_refused():
    x, w = np.ones((1, 3, 4, 4), np.float32), np.ones((2, 4, 3, 3), np.float32)
    with refused("source", "4", "3", by="convolution_2d"):
        ct.convolution_2d(x, w, ct.Convolution2DOpDescriptor())


@pytest.mark.parametrize("operation", ["data_gradient", "weights_gradient"])
def test_strict_relation_of_the_gradients(operation):
    descriptor = ct.Convolution2DOpDescriptor(stride_in_x=2)
    incoming = np.ones((1, 1, 1, 3), np.float32)
    function = getattr(ct, f"convolution_2d_{operation}")
    for extent in range(1, 10):
        other = (1, 1, 1, extent)
        if operation == "data_gradient":
            arguments = (incoming, np.ones((1, 1, 1, 3), np.float32), other)
        else:
            arguments = (incoming, np.ones(other, np.float32), (1, 1, 1, 3))
        if extent in (7, 8):
            function(*arguments, descriptor)
        else:
            argument = "output_shape" if operation == "data_gradient" else "source"
            with refused(argument, "7", "8", by=f"convolution_2d_{operation}"):
                function(*arguments, descriptor)
            function(*arguments, descriptor, strict=False)
