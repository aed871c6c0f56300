# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest

import convtranspose as ct
from convtranspose import converters
from layers import expected, integers, random_case

D = ct.Convolution2DOpDescriptor


@pytest.fixture(scope="module")
def lax():
    return pytest.importorskip("jax").lax


@pytest.mark.parametrize("seed", range(24))
def test_from_jax_computes_what_jax_does(lax, seed):
    rng = np.random.default_rng(seed)
    data, layout = ("NHWC", "NCHW")[seed % 2], ("HWIO", "OIHW")[seed // 2 % 2]
    kernel = tuple(map(int, rng.integers(1, 6, 2)))
    dilation = tuple(map(int, rng.integers(1, 4, 2)))
    consistent = bool(rng.integers(0, 2))
    reach = [(k - 1) * d for k, d in zip(kernel, dilation, strict=True)]
    # Up to `reach` zeros before the source, and any number after it.
    padding = [
        [(int(rng.integers(0, r + 1)), int(rng.integers(0, r + 1))) for r in reach],
        "SAME",
        "VALID",
    ][seed % 3]
    common = {
        "rhs_dilation": dilation,
        "dimension_numbers": (data, layout, data),
        "use_consistent_padding": consistent,
    }
    stride = tuple(map(int, rng.integers(1, 5, 2)))
    size = tuple(map(int, rng.integers(3, 8, 2)))
    source = integers(rng, *((2, *size, 3) if data == "NHWC" else (2, 3, *size)))
    # JAX names the channel axes from the transposed side: I is the source's.
    weights = integers(rng, *((*kernel, 3, 2) if layout == "HWIO" else (2, 3, *kernel)))
    theirs = np.asarray(lax.conv_transpose(source, weights, stride, padding, **common))

    descriptor = D.from_jax(stride, padding, kernel_size=kernel, **common)
    ours = converters.weights_from_jax(weights, common["dimension_numbers"])
    shape = converters.jax_output_shape(source.shape, ours.shape, stride, padding, **common)
    assert shape == theirs.shape
    # Explicit zeros after the source may make a size that no forward convolution comes back from.
    result = ct.convolution_transpose_2d(source, ours, shape, descriptor, strict=False)
    assert np.array_equal(result, theirs)
    back = converters.weights_from_jax(ours, common["dimension_numbers"])
    assert np.array_equal(back, weights)


@pytest.mark.parametrize("seed", range(24))
def test_to_jax_args_computes_what_the_descriptor_does(lax, seed):
    rng = np.random.default_rng(700 + seed)
    descriptor, source, weights, output_shape = random_case(rng, groups=1)
    arguments = descriptor.to_jax_args(source.shape, weights.shape, output_shape)
    theirs = np.asarray(lax.conv_transpose(source, weights, **arguments))
    assert np.array_equal(theirs, expected(descriptor, source, weights, output_shape))

    arguments["kernel_size"] = tuple(
        weights.shape[descriptor.weights_layout.name.index(letter)] for letter in "HW"
    )
    assert arguments.pop("transpose_kernel")
    back = D.from_jax(**arguments)
    assert (
        back.to_jax_args(source.shape, weights.shape, output_shape)["padding"]
        == (arguments["padding"])
    )


def test_transposed_kernels_pass_as_they_are():
    kernel = np.zeros((3, 3, 2, 4), np.float32)
    assert converters.weights_from_jax(kernel, transpose_kernel=True) is kernel
    assert np.shares_memory(converters.weights_from_jax(kernel), kernel)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"strides": (0, 1), "padding": "SAME"}, "strides"),
        ({"strides": 1, "padding": "same"}, "padding"),
        ({"strides": 1, "padding": [(0, 0)]}, "padding"),
        ({"strides": 1, "padding": [(3, 0), (0, 0)]}, "padding: expected at most 2 zeros"),
        ({"strides": 1, "padding": "SAME", "rhs_dilation": 0}, "rhs_dilation"),
        (
            {"strides": 1, "padding": "SAME", "dimension_numbers": ("NHWC", "HWIO", "NCHW")},
            "dimension_numbers",
        ),
    ],
)
def test_refusals_name_the_argument(arguments, named):
    with pytest.raises(ValueError, match=f"^from_jax: {named}.* got "):
        D.from_jax(**arguments, kernel_size=3)


def test_groups_are_refused():
    with pytest.raises(ValueError, match=r"^to_jax_args: groups"):
        D(groups=2).to_jax_args((1, 2, 3, 3), (2, 1, 1, 1), (1, 2, 3, 3))
