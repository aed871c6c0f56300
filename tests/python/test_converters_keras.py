# SPDX-License-Identifier: MIT
from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import convtranspose as ct
from convtranspose import converters
from layers import expected, integers, random_case

D = ct.Convolution2DOpDescriptor


@pytest.fixture(scope="module")
def keras():
    """Keras on TensorFlow, whose CPU kernels take neither channels_first nor dilation here."""
    pytest.importorskip("tensorflow")
    keras = pytest.importorskip("keras")
    if keras.backend.backend() != "tensorflow":
        pytest.skip(f"Keras runs on {keras.backend.backend()}")
    return keras


def random_layer(keras, rng: np.random.Generator, padding: str, extra: bool):
    """A layer that TensorFlow, below Keras, takes, and a source for it."""
    while True:
        strides = tuple(map(int, rng.integers(1, 5, 2)))
        layer = keras.layers.Conv2DTranspose(
            2,
            tuple(map(int, rng.integers(1, 6, 2))),
            strides=strides,
            padding=padding,
            output_padding=tuple(int(rng.integers(0, s)) for s in strides) if extra else None,
            use_bias=False,
        )
        source = integers(rng, 2, *map(int, rng.integers(1, 7, 2)), 3)
        shape = layer.compute_output_shape(source.shape)
        sizes = zip(shape[1:3], strides, source.shape[1:3], strict=True)
        if min(shape) > 0 and (padding == "valid" or all(-(-d // s) == n for d, s, n in sizes)):
            return layer, source


@pytest.mark.parametrize("seed", range(60))
def test_from_keras_computes_what_keras_does(keras, seed):
    rng = np.random.default_rng(seed)
    layer, source = random_layer(keras, rng, ("valid", "same")[seed % 2], seed % 4 > 1)
    layer.build(source.shape)
    weights = integers(rng, *layer.kernel.shape)
    layer.kernel.assign(weights)
    theirs = np.asarray(layer(source))
    shape = converters.keras_output_shape(source.shape, weights.shape, layer)
    assert shape == theirs.shape
    descriptor = D.from_keras(layer)
    assert np.array_equal(ct.convolution_transpose_2d(source, weights, shape, descriptor), theirs)

    again = descriptor.to_keras_args(source.shape, weights.shape, shape)
    assert np.array_equal(keras.ops.conv_transpose(source, weights, **again), theirs)


def anything_fits(d: ct.Convolution2DOpDescriptor, source, weights, output_shape) -> bool:
    """Whether any of Keras's arguments mean this descriptor, by trying them all."""
    strides = d.stride_in_y, d.stride_in_x
    sizes = zip(output_shape[1:3], strides, source.shape[1:3], strict=True)
    same = all(-(-size // s) == n for size, s, n in sizes)  # else TensorFlow refuses it
    paddings = [None, *product(*map(range, strides))]
    for padding, extra in product(("valid", "same") if same else ("valid",), paddings):
        options = {"strides": strides, "padding": padding, "output_padding": extra}
        if converters.keras_output_shape(source.shape, weights.shape, **options) != output_shape:
            continue
        theirs = D.from_keras(kernel_size=weights.shape[:2], **options)
        mine = expected(d, source, weights, output_shape)
        if np.array_equal(mine, expected(theirs, source, weights, output_shape)):
            return True
    return False


@pytest.mark.parametrize("seed", range(60))
def test_to_keras_args_computes_what_the_descriptor_does_or_says_why_not(keras, seed):
    rng = np.random.default_rng(500 + seed)
    descriptor, source, weights, output_shape = random_case(
        rng,
        groups=1,
        dilation_rate_in_x=1,
        dilation_rate_in_y=1,
        data_layout=ct.TensorNamedDataLayout.NHWC,
        weights_layout=ct.TensorNamedDataLayout.HWIO,
        padding_left=int(rng.integers(0, 2)),
        padding_top=int(rng.integers(0, 2)),
    )
    source += 10 * (source == 0)  # so that no shift of it goes unseen
    weights += 10 * (weights == 0)
    if anything_fits(descriptor, source, weights, output_shape):
        arguments = descriptor.to_keras_args(source.shape, weights.shape, output_shape)
        theirs = np.asarray(keras.ops.conv_transpose(source, weights, **arguments))
        assert np.array_equal(theirs, expected(descriptor, source, weights, output_shape))
    else:
        with pytest.raises(ValueError, match="as Keras's valid or same"):
            descriptor.to_keras_args(source.shape, weights.shape, output_shape)


def test_styles_and_layouts():
    d = D.from_keras(kernel_size=3, strides=(2, 3), padding="same", data_format="channels_first")
    assert (d.stride_in_y, d.stride_in_x) == (2, 3)
    assert d.padding_style == ct.PaddingStyle.TF_SAME
    assert d.data_layout == ct.TensorNamedDataLayout.NCHW
    given = D.from_keras(kernel_size=5, strides=2, padding="same", output_padding=1)
    assert given.padding_style == ct.PaddingStyle.EXPLICIT
    assert (given.padding_left, given.padding_right) == (1, 2)


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({}, TypeError, "kernel_size"),
        ({"kernel_size": 0}, ValueError, "kernel_size"),
        ({"kernel_size": 3, "padding": "SAME"}, ValueError, "padding"),
        ({"kernel_size": 3, "data_format": "NHWC"}, ValueError, "data_format"),
        ({"kernel_size": 3, "strides": (1, 0)}, ValueError, "strides"),
    ],
)
def test_refusals_name_the_argument(arguments, error, named):
    with pytest.raises(error, match=f"^from_keras: {named}: expected .* got "):
        D.from_keras(**arguments)


def test_what_keras_cannot_say_is_refused():
    with pytest.raises(ValueError, match=r"^to_keras_args: groups"):
        D(groups=2).to_keras_args((1, 2, 3, 3), (2, 1, 1, 1), (1, 2, 3, 3))
    lower = D(stride_in_x=2, stride_in_y=2, padding_style=ct.PaddingStyle.ONNX_SAME_LOWER)
    with pytest.raises(ValueError, match=r"leading padding \[1, 1\]"):
        lower.to_keras_args((1, 1, 3, 3), (1, 1, 3, 3), (1, 1, 6, 6))
