# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest

import convtranspose as ct
from convtranspose import converters
from layers import Layout, expected, integers, random_case

D = ct.Convolution2DOpDescriptor
# TensorFlow's CPU kernels refuse NCHW and dilation in this operation.
ON_CPU = {
    "groups": 1,
    "dilation_rate_in_x": 1,
    "dilation_rate_in_y": 1,
    "data_layout": Layout.NHWC,
    "weights_layout": Layout.HWIO,
}


@pytest.fixture(scope="module")
def tf():
    return pytest.importorskip("tensorflow")


@pytest.mark.parametrize("seed", range(60))
def test_to_tensorflow_args_computes_what_the_descriptor_does(tf, seed):
    rng = np.random.default_rng(seed)
    styles = [ct.PaddingStyle.EXPLICIT, ct.PaddingStyle.TF_VALID, ct.PaddingStyle.TF_SAME]
    descriptor, source, weights, output_shape = random_case(
        rng, **ON_CPU, padding_style=styles[seed % 3]
    )
    arguments = descriptor.to_tensorflow_args(source.shape, weights.shape, output_shape)
    theirs = tf.nn.conv2d_transpose(source, weights, **arguments).numpy()
    assert np.array_equal(theirs, expected(descriptor, source, weights, output_shape))
    back = D.from_tensorflow(
        arguments["strides"],
        arguments["padding"],
        arguments["data_format"],
        arguments["dilations"],
    )
    if descriptor.padding_style == ct.PaddingStyle.EXPLICIT:
        assert back == descriptor
    else:  # of the other styles the four numbers mean nothing
        zeros = dict.fromkeys(("padding_left", "padding_right", "padding_top", "padding_bottom"), 0)
        assert back == descriptor.replace(**zeros)


@pytest.mark.parametrize("seed", range(30))
def test_from_tensorflow_computes_what_tensorflow_does(tf, seed):
    rng = np.random.default_rng(100 + seed)
    stride = tuple(map(int, rng.integers(1, 5, 2)))
    kernel = tuple(map(int, rng.integers(1, 6, 2)))
    # SAME: any size whose ceil(D / s) is the source's; here not only multiples of the stride.
    size = tuple(map(int, rng.integers(1, 15, 2)))
    source = integers(rng, 2, *(-(-d // s) for d, s in zip(size, stride, strict=True)), 3)
    weights = integers(rng, *kernel, 2, 3)
    output_shape = (2, *size, 2)
    theirs = tf.nn.conv2d_transpose(source, weights, output_shape, stride, "SAME").numpy()
    descriptor = D.from_tensorflow(stride, "SAME")
    ours = ct.convolution_transpose_2d(source, weights, output_shape, descriptor)
    assert np.array_equal(ours, theirs)


def test_the_forms_of_strides_and_padding():
    two = D.from_tensorflow((2, 3), [[0, 0], [1, 2], [3, 4], [0, 0]], dilations=[1, 5, 6, 1])
    assert two == D(
        stride_in_y=2,
        stride_in_x=3,
        padding_top=1,
        padding_bottom=2,
        padding_left=3,
        padding_right=4,
        dilation_rate_in_y=5,
        dilation_rate_in_x=6,
        data_layout=Layout.NHWC,
        weights_layout=Layout.HWIO,
    )
    nchw = D.from_tensorflow([1, 1, 2, 3], [[0, 0], [0, 0], [1, 2], [3, 4]], "NCHW", (5, 6))
    assert nchw == two.replace(data_layout=Layout.NCHW)
    assert D.from_tensorflow([4]).stride_in_x == D.from_tensorflow(4).stride_in_y == 4


def test_what_tensorflow_cannot_say_is_refused():
    shapes = (1, 2, 3, 3), (2, 1, 1, 1), (1, 2, 3, 3)
    with pytest.raises(ValueError, match=r"^to_tensorflow_args: groups: expected 1, .* got 2"):
        D(groups=2).to_tensorflow_args(*shapes)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((0,), "strides"),
        (([2, 1, 1, 1],), "strides"),
        ((1, "same"), "padding"),
        ((1, [[1, 1], [0, 0], [0, 0], [0, 0]]), "padding"),
        ((1, [[0, 0], [0, -1], [0, 0], [0, 0]]), "padding"),
        ((1, "SAME", "CHWN"), "data_format"),
        ((1, "SAME", "NHWC", [1, 2, 3]), "dilations"),
    ],
)
def test_refusals_name_the_argument(arguments, named):
    with pytest.raises(ValueError, match=f"^from_tensorflow: {named}: expected .* got "):
        D.from_tensorflow(*arguments)


def test_weights_pass_as_they_are():
    hwio = np.zeros((3, 5, 4, 8), np.float32)
    oihw = converters.convert_weights(hwio, Layout.HWIO, Layout.OIHW)
    assert oihw.shape == (8, 4, 3, 5)
    assert np.shares_memory(oihw, hwio)
    assert converters.convert_weights(oihw, Layout.OIHW, Layout.HWIO).shape == hwio.shape
