# SPDX-License-Identifier: MIT
"""A padding style only says which numbers: it gives the bits that those numbers give."""

from __future__ import annotations

import numpy as np
import pytest

import cases
import convtranspose as ct
import oracle
from refusal import refused
from running import DTYPES, LAYOUTS, Setting, descriptor_of, run

STYLED = [p for p in cases.load_corpora() if p.style != "EXPLICIT"]


@pytest.mark.parametrize("style", cases.STYLES)
def test_style_equals_resolved_numbers(style):
    rows = [p for p in STYLED if p.style == style]
    assert len(rows) >= 22
    for index, p in enumerate(rows):
        setting = Setting(DTYPES[index % 2], *LAYOUTS[index % 4])
        by_style = run(p, p.inputs(), setting)
        by_numbers = run(p.but(style="EXPLICIT"), p.inputs(), setting)
        assert by_style.tobytes() == by_numbers.tobytes(), p


@pytest.mark.parametrize("style", ["TF_SAME", "ONNX_SAME_LOWER"])
@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_same_styles_over_kernels_strides_and_extents(style, operation):
    for kernel, stride, dilation, extent in np.ndindex(6, 5, 3, 7):
        kernel, stride, dilation, extent = kernel + 1, stride + 1, dilation + 1, extent + 1
        small = -(-extent // stride)
        p = cases.Problem(
            operation,
            (1, 2, 3, small),
            (2, 1, 1, kernel),
            (1, 1, 3, extent),
            (1, stride),
            (1, dilation),
            style=style,
            name="same",
        )
        numbers = p.but(padding=oracle.style_padding(p), style="EXPLICIT")
        tensors = p.integers()
        assert np.array_equal(run(p, tensors, strict=True), oracle.compute(numbers, tensors)), p


def test_styles_ignore_the_explicit_numbers():
    p = next(p for p in STYLED if p.style == "TF_SAME")
    descriptor = descriptor_of(p).replace(padding_left=7, padding_top=5)
    tensors = {name: value.astype(np.float32) for name, value in p.inputs().items()}
    operands = [tensors[name] for name in p.operands]
    plain = ct.convolution_transpose_2d(*operands, p.output, descriptor_of(p))
    assert plain.tobytes() == ct.convolution_transpose_2d(*operands, p.output, descriptor).tobytes()


@pytest.mark.parametrize("style", ["TF_SAME", "ONNX_SAME_LOWER"])
def test_strict_same_needs_the_source_extent_to_be_the_quotient(style):
    # 5 positions into 8 at stride 2: 4 is the quotient, though padding numbers could be found.
    p = cases.parse_line(f'forward 1x1x1x5 1x1x1x3 1x1x1x8 s1x2 {style} "not the quotient"')
    with refused("output_shape", "8"):
        run(p, p.integers(), strict=True)
    numbers = p.but(padding=oracle.style_padding(p), style="EXPLICIT")
    assert np.array_equal(run(p, p.integers(), strict=False), oracle.compute(numbers, p.integers()))


def test_explicit_offset_is_refused_with_a_reason():
    x = np.ones((1, 1, 2, 2), np.float32)
    w = np.ones((1, 1, 2, 2), np.float32)
    with refused("padding_style", "EXPLICIT_OFFSET"):
        descriptor = ct.Convolution2DOpDescriptor(padding_style=ct.PaddingStyle.EXPLICIT_OFFSET)
        ct.convolution_transpose_2d(x, w, (1, 1, 3, 3), descriptor)
