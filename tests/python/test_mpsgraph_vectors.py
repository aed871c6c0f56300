# SPDX-License-Identifier: MIT
"""Numbers that MPSGraph, TensorFlow or plain arithmetic give for small transposed convolutions."""

from __future__ import annotations

import numpy as np
import pytest

import convtranspose as ct
from cases import parse
from running import DTYPES, LAYOUTS, UNIVERSAL, Setting, run

VECTORS = parse("""\
forward 1x1x2x2 1x1x3x3 1x1x5x5 s2x2 "TensorFlow's published output, explicit padding"
  source -67 -77 -117 -127
  weights -1 2 -3 4 -5 6 -7 8 -9
forward 1x1x2x2 1x1x3x3 1x1x5x5 s2x2 TF_VALID "TensorFlow's published output, TF_VALID"
  source -67 -77 -117 -127
  weights -1 2 -3 4 -5 6 -7 8 -9
forward 1x1x2x2 1x1x3x3 1x1x4x4 s2x2 p0,1,0,1 TF_SAME "odd total, the extra one at the end"
  source arange1
  weights arange1
  result 1 2 5 4*2 5 14 10*2 14 36 24 12 15 34 20
forward 1x1x2x2 1x1x3x3 1x1x4x4 s2x2 p1,0,1,0 ONNX_SAME_LOWER "odd total, the extra one first"
  source arange1
  weights arange1
  result 5 14 10 12 14 36 24 30 15 34 20 24*2 55 32 36
forward 1x1x2x2 1x1x3x3 1x1x3x3 s2x2 p1,1,1,1 TF_SAME "the pad follows the output, upper"
  source arange1
  weights arange1
  result 5 14 10 14 36 24 15 34 20
forward 1x1x2x2 1x1x3x3 1x1x3x3 s2x2 p1,1,1,1 ONNX_SAME_LOWER "the pad follows the output, lower"
  source arange1
  weights arange1
  result 5 14 10 14 36 24 15 34 20
forward 1x1x1x3 1x1x1x3 1x1x1x7 s1x2 "one row"
  source 1 2 3
  weights 1 10 100
  result 1 10 102 20 203 30 300
forward 1x1x1x3 1x1x1x3 1x1x1x8 s1x2 "one more column than taps reach"
  source 1 2 3
  weights 1 10 100
  result 1 10 102 20 203 30 300 0
forward 1x1x1x3 1x1x1x3 1x1x1x6 s1x2 p0,0,1,0 "left padding"
  source 1 2 3
  weights 1 10 100
  result 10 102 20 203 30 300
forward 1x1x1x3 1x1x1x3 1x1x1x9 s1x2 d1x2 "dilation as wide as the stride"
  source 1 2 3
  weights 1 10 100
  result 1 0 12 0 123 0 230 0 300
forward 1x4x1x1 4x1x1x1 1x2x1x1 g2 "groups sum their own source channels"
  source arange1
  weights 1 10 100 1000
  result 21 4300
forward 1x2x1x1 2x2x1x1 1x4x1x1 g2 "groups write their own result channels"
  source arange1
  weights 1 10 100 1000
  result 1 10 200 2000
forward 1x1x1x2 1x1x1x2 1x1x1x4 "oversize, as seen on a device"
  source ones
  weights ones
  result 1 2 1 0
""")


@pytest.mark.parametrize("p", VECTORS, ids=lambda p: p.name)
@pytest.mark.parametrize("algorithm", UNIVERSAL)
def test_vector(p, algorithm):
    for dtype in DTYPES:
        for layouts in LAYOUTS:
            result = run(p, p.inputs(), Setting(dtype, *layouts, algorithm=algorithm))
            if "result" in p.attributes:
                assert np.array_equal(result, p.expected()), (dtype, layouts, result)
            else:
                assert result[0, 0, 0].tolist() == [67, -134, 278, -154, 231]
                assert result[0, 0, 4].tolist() == [819, -936, 1942, -1016, 1143]


def test_enum_values_are_apples():
    assert {style.name: style.value for style in ct.PaddingStyle} == {
        "EXPLICIT": 0,
        "TF_VALID": 1,
        "TF_SAME": 2,
        "EXPLICIT_OFFSET": 3,
        "ONNX_SAME_LOWER": 4,
    }
    assert [layout.name for layout in ct.TensorNamedDataLayout] == (
        ["NCHW", "NHWC", "OIHW", "HWIO", "CHW", "HWC", "HW", "NCDHW", "NDHWC", "OIDHW", "DHWIO"]
    )
    assert [layout.value for layout in ct.TensorNamedDataLayout] == list(range(11))
