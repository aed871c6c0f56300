# SPDX-License-Identifier: MIT
"""Upsampling of arrays by a transposed convolution, without Pillow."""

from __future__ import annotations

import doctest
import tracemalloc

import numpy as np
import pytest

import convtranspose.resample.image
import convtranspose.resample.weights
from convtranspose.resample import KERNELS, upsample, upsample_bands, upsampling_weights
from resampling import SCALES, SUPPORT, rounding

INTEGERS = [np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32]


@pytest.mark.parametrize(
    "module",
    [convtranspose.resample.image, convtranspose.resample.weights],
    ids=lambda m: m.__name__,
)
def test_doctests(module):
    result = doctest.testmod(module)
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scale", SCALES)
def test_weights_are_a_symmetric_partition_of_unity(scale, kernel, dtype):
    weights = upsampling_weights(scale, kernel, dtype, channels=3)
    length = 2 * SUPPORT[kernel] * scale - scale % 2
    assert weights.shape == (3, 1, length, length)
    assert weights.dtype == dtype
    assert (length - scale) % 2 == 0
    np.testing.assert_array_equal(weights, np.swapaxes(weights, 2, 3))
    np.testing.assert_allclose(weights, weights[:, :, ::-1, ::-1], atol=np.finfo(dtype).eps)
    for y in range(scale):
        for x in range(scale):
            phase = weights[0, 0, y::scale, x::scale].astype(np.float64)
            assert abs(phase.sum() - 1) <= rounding(kernel, dtype, scale)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scale", SCALES)
def test_constants_stay_constant_everywhere(scale, kernel):
    for dtype in INTEGERS:
        limits = np.iinfo(dtype)
        for value in (limits.min, limits.max // 3, limits.max):
            result = upsample(np.full((3, 4, 2), value, dtype), scale, kernel)
            assert result.shape == (3 * scale, 4 * scale, 2)
            assert result.dtype == dtype
            assert (result == value).all()
    for dtype in (np.float32, np.float64):
        result = upsample(np.full((2, 5), 0.1, dtype), scale, kernel)
        assert result.dtype == dtype
        np.testing.assert_allclose(result, dtype(0.1), rtol=rounding(kernel, dtype, scale))


@pytest.mark.parametrize("kernel", ["bilinear", "bicubic"])  # Lanczos does not reproduce ramps
@pytest.mark.parametrize("scale", SCALES)
def test_linear_ramps_stay_linear_away_from_the_edges(scale, kernel):
    rows, columns = np.mgrid[0:9, 0:11].astype(np.float64)
    result = upsample(3 * columns - 2 * rows, scale, kernel)
    y, x = ((np.arange(scale * size) + 0.5) / scale - 0.5 for size in (9, 11))
    expected = 3 * x - 2 * y[:, np.newaxis]
    edge = SUPPORT[kernel] * scale
    inside = np.s_[edge:-edge, edge:-edge]
    tolerance = 50 * rounding(kernel, np.float64, scale)  # 50 exceeds the ramp
    np.testing.assert_allclose(result[inside], expected[inside], rtol=0, atol=tolerance)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("dtype", [*INTEGERS, np.float32, np.float64])
def test_scale_1_is_the_identity(kernel, dtype):
    image = np.random.default_rng(1).integers(0, 128, (7, 9, 3)).astype(dtype)
    np.testing.assert_array_equal(upsample(image, 1, kernel), image)


@pytest.mark.parametrize("shape", [(1, 1), (1, 7, 3), (7, 1, 4)])
@pytest.mark.parametrize("kernel", KERNELS)
def test_images_smaller_than_the_kernel(kernel, shape):
    image = np.random.default_rng(2).random(shape)
    height, width, *channels = shape
    edges = [(4, 4), (4, 4), *[(0, 0)] * len(channels)]
    larger = upsample(np.pad(image, edges, mode="edge"), 5, kernel)
    expected = larger[20 : 20 + 5 * height, 20 : 20 + 5 * width]
    tolerance = rounding(kernel, np.float64, 5)
    np.testing.assert_allclose(upsample(image, 5, kernel), expected, rtol=0, atol=tolerance)


def test_overshoot_is_clipped_for_integers_and_kept_for_floats():
    step = np.zeros((6, 8), np.uint8)
    step[:, 4:] = 255
    whole = upsample(step, 4, "lanczos")
    exact = upsample(step.astype(np.float64), 4, "lanczos")
    assert exact.max() > 255
    assert exact.min() < 0
    np.testing.assert_array_equal(whole, np.clip(np.rint(exact), 0, 255))


def test_channels_do_not_mix():
    image = np.random.default_rng(3).random((5, 6, 3))
    together = upsample(image, 3)
    for channel in range(3):
        np.testing.assert_array_equal(together[..., channel], upsample(image[..., channel], 3))


def test_any_strides_and_byte_order():
    image = np.random.default_rng(4).integers(0, 65536, (12, 10, 4)).astype(np.uint16)
    view = image[::-2, 1:9:3, ::2]
    view.flags.writeable = False
    expected = upsample(view.copy(), 2)
    np.testing.assert_array_equal(upsample(view, 2), expected)
    swapped = view.astype(view.dtype.newbyteorder())
    np.testing.assert_array_equal(upsample(swapped, 2), expected)


@pytest.mark.parametrize("kernel", KERNELS)
def test_bands_join_up(monkeypatch, kernel):
    image = np.random.default_rng(5).random((23, 9, 3)).astype(np.float32)
    expected = upsample(image, 3, kernel)
    monkeypatch.setattr(convtranspose.resample.image, "_BAND_BYTES", 9 * 9 * 3 * 4 * 5)
    bands = list(upsample_bands(image, 3, kernel))
    assert [row for row, _ in bands] == [0, 15, 30, 45, 60]
    joined = np.concatenate([band for _, band in bands])
    np.testing.assert_allclose(joined, expected, rtol=0, atol=2 * rounding(kernel, np.float32, 3))


def test_working_memory_does_not_grow_with_the_height(monkeypatch):
    band_bytes = 1 << 20
    monkeypatch.setattr(convtranspose.resample.image, "_BAND_BYTES", band_bytes)
    image = np.zeros((4000, 50, 3), np.uint8)  # 38 MB as a float32 result
    tracemalloc.start()
    for _ in upsample_bands(image, 4):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * band_bytes


def test_colours_count_by_their_opacity():
    image = np.zeros((6, 6, 4))
    image[:, :3] = (0.8, 0.4, 0.2, 1.0)
    image[:, 3:] = (0.0, 1.0, 0.0, 0.0)  # a green that nobody sees
    for kernel in KERNELS:
        result = upsample(image, 4, kernel, last_is_alpha=True)
        visible = result[..., 3] > 1e-3
        assert 0 < visible.mean() < 1
        colours = result[visible][:, :3]
        np.testing.assert_allclose(colours, np.full_like(colours, (0.8, 0.4, 0.2)), rtol=1e-12)
        assert not result[result[..., 3] <= 0][:, :3].any()


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        (([[1.0]], 2), TypeError, "array: expected a numpy array, got list"),
        ((np.zeros((2, 2), bool), 2), TypeError, "got bool"),
        ((np.zeros((2, 2), np.int64), 2), TypeError, "got int64"),
        ((np.zeros((2, 2), complex), 2), TypeError, "got complex128"),
        ((np.zeros(3), 2), ValueError, r"got \(3,\)"),
        ((np.zeros((0, 3)), 2), ValueError, r"got \(0, 3\)"),
        ((np.zeros((2, 2, 0)), 2), ValueError, r"got \(2, 2, 0\)"),
        ((np.zeros((2, 2)), 0), ValueError, "scale: expected at least 1, got 0"),
        ((np.zeros((2, 2)), 1.5), TypeError, "scale: expected an integer, got 1.5"),
        ((np.zeros((2, 2)), 2, "nearest"), ValueError, "kernel: .* got 'nearest'"),
    ],
)
def test_bad_arguments(arguments, error, said):
    with pytest.raises(error, match=said):
        upsample(*arguments)
    with pytest.raises(error, match=said):
        upsample_bands(*arguments)


def test_weights_of_no_floating_type():
    with pytest.raises(TypeError, match="dtype: expected a floating type, got int32"):
        upsampling_weights(2, "bicubic", np.int32)
