# SPDX-License-Identifier: MIT
"""`from_onnx` and back; the rules themselves are tested where nodes are run, in test_onnx.py."""

from __future__ import annotations

import numpy as np
import pytest

import convtranspose as ct
from convtranspose import converters
from layers import expected, random_case
from running import from_layout

D = ct.Convolution2DOpDescriptor


@pytest.mark.parametrize("seed", range(60))
def test_there_and_back(seed):
    rng = np.random.default_rng(seed)
    descriptor, source, weights, output_shape = random_case(rng)
    attributes = descriptor.to_onnx_attributes(source.shape, weights.shape, output_shape)
    x = from_layout(source, descriptor.data_layout.name)
    w = from_layout(weights, descriptor.weights_layout.name)
    shape = converters.onnx_output_shape(attributes, x.shape, w.shape)
    back = D.from_onnx(attributes)
    ours = from_layout(
        expected(descriptor, source, weights, output_shape), descriptor.data_layout.name
    )
    assert shape == ours.shape
    assert np.array_equal(expected(back, x, w, shape), ours)
    assert back.to_onnx_attributes(x.shape, w.shape, shape) == attributes


def test_a_node_of_one_dimension():
    node = pytest.importorskip("onnx").helper.make_node(
        "ConvTranspose", ["X", "W"], ["Y"], strides=[2], pads=[1, 0], dilations=[3], group=4
    )
    assert D.from_onnx(node) == D(stride_in_x=2, padding_left=1, dilation_rate_in_x=3, groups=4)
    assert converters.onnx_output_shape(node, (2, 8, 5), (8, 3, 2)) == (2, 12, 11)


def test_what_the_padding_depends_on_is_asked_for():
    with pytest.raises(ValueError, match=r"^from_onnx: weights_shape: expected one"):
        D.from_onnx({"auto_pad": "SAME_UPPER"})
    with pytest.raises(ValueError, match=r"^from_onnx: source_shape: expected one"):
        D.from_onnx({"output_shape": [8, 8], "kernel_shape": [3, 3]})
    given = D.from_onnx({"output_shape": [8, 8], "kernel_shape": [3, 3]}, source_shape=(1, 1, 7, 7))
    assert (given.padding_top, given.padding_bottom) == (1, 0)


def test_other_nodes_are_refused():
    with pytest.raises(TypeError, match=r"expected a ConvTranspose node or a mapping .* got int"):
        D.from_onnx(3)
    node = pytest.importorskip("onnx").helper.make_node("Conv", ["X", "W"], ["Y"])
    with pytest.raises(TypeError, match="got Conv"):
        D.from_onnx(node)


def test_what_onnx_cannot_say_is_refused():
    with pytest.raises(ValueError, match="output_shape: expected at most 7, got 8: ONNX's"):
        D(stride_in_x=2).to_onnx_attributes((1, 1, 1, 3), (1, 1, 1, 2), (1, 1, 1, 8))
