# SPDX-License-Identifier: MIT
"""The kernel ``fsrcnn``: bicubic interpolation and learned detail."""

from __future__ import annotations

import doctest
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from convtranspose.resample import METHODS, fsrcnn, upsample, upsample_bands
from convtranspose.resample.fsrcnn import REACH, SCALE, detail

SAMPLE = Path(__file__).parents[2] / "docs" / "images" / "sample.png"
LAYERS = ("feature", "shrink", "map1", "map2", "map3", "map4", "expand")


def network(plane):
    """Return the detail of one plane in float64, tap by tap."""
    weights = {name: array.astype(np.float64) for name, array in fsrcnn._weights().items()}
    planes = plane[np.newaxis].astype(np.float64)
    for name, slope in zip(LAYERS, weights["slopes"], strict=True):
        kernel = weights[name]
        windows = np.lib.stride_tricks.sliding_window_view(planes, kernel.shape[2:], (1, 2))
        planes = np.einsum("iyxkl,oikl->oyx", windows, kernel)
        planes = np.where(planes > 0, planes, slope * planes)
    kernel = weights["deconvolution"][:, 0]
    height, width = planes.shape[1:]
    result = np.zeros((SCALE * height + 6, SCALE * width + 6))
    for y in range(height):
        for x in range(width):
            stamp = np.tensordot(planes[:, y, x], kernel, 1)
            result[SCALE * y : SCALE * y + 9, SCALE * x : SCALE * x + 9] += stamp
    return result[6:-6, 6:-6]


@pytest.fixture(scope="module")
def plane():
    return np.random.default_rng(1).random((13 + 2 * REACH, 17 + 2 * REACH))


def test_doctests():
    result = doctest.testmod(fsrcnn)
    assert result.attempted
    assert not result.failed


def test_agrees_with_the_network_in_float64(plane):
    expected = network(plane)
    (ours,) = detail(plane[np.newaxis])
    assert ours.shape == expected.shape == (13 * SCALE, 17 * SCALE)
    assert abs(expected).max() > 0.1
    np.testing.assert_allclose(ours, expected, rtol=0, atol=2e-6)


def test_detail_scales_with_the_image_and_ignores_its_level(plane):
    one = detail(plane[np.newaxis])
    np.testing.assert_array_equal(detail(1024 * plane[np.newaxis]), 1024 * one)
    np.testing.assert_allclose(detail(plane[np.newaxis] + 1), one, atol=1e-5)
    assert not detail(np.zeros((1, 40, 40))).any()


def test_tiles_join_up(plane, monkeypatch):
    whole = detail(plane[np.newaxis])
    monkeypatch.setattr(fsrcnn, "_TILE", 5)
    np.testing.assert_allclose(detail(plane[np.newaxis]), whole, rtol=0, atol=2e-6)


def test_threads_change_no_bit(plane):
    np.testing.assert_array_equal(detail(plane[np.newaxis], 3), detail(plane[np.newaxis], 1))


def test_beats_bicubic_on_a_photograph_it_never_saw():
    image_module = pytest.importorskip("PIL.Image")
    with image_module.open(SAMPLE) as file:
        image = file.convert("RGB")
    width, height = (size // SCALE * SCALE for size in image.size)
    image = image.crop((0, 0, width, height))
    small = image.resize((width // SCALE, height // SCALE), image_module.Resampling.BICUBIC)
    truth = np.asarray(image, np.float64) @ (0.299, 0.587, 0.114)

    def psnr(kernel):
        luma = upsample(np.asarray(small), SCALE, kernel) @ np.array([0.299, 0.587, 0.114])
        inside = np.s_[SCALE:-SCALE, SCALE:-SCALE]
        return 10 * np.log10(255**2 / np.mean((luma - truth)[inside] ** 2))

    assert psnr("fsrcnn") > psnr("bicubic") + 0.3


@pytest.mark.parametrize("shape", [(9, 8), (9, 8, 1), (9, 8, 2), (9, 8, 3), (9, 8, 4)])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
def test_every_kind_of_image(shape, dtype):
    image = np.random.default_rng(2).integers(0, 128, shape).astype(dtype)
    result = upsample(image, SCALE, "fsrcnn")
    assert result.dtype == dtype
    assert result.shape == (27, 24, *shape[2:])
    difference = result.astype(np.float64) - upsample(image, SCALE, "bicubic")
    assert np.abs(difference).max() > 1
    if shape[2:] == (3,) and dtype == np.float64:
        # One detail for all three: the colour's hue is the interpolated one.
        np.testing.assert_allclose(difference, difference[..., :1] * np.ones(3), atol=1e-9)


def test_constants_stay_constant():
    for dtype, value in ((np.uint8, 255), (np.uint16, 65535), (np.int32, -(2**31))):
        for channels in (1, 3):
            result = upsample(np.full((5, 4, channels), value, dtype), SCALE, "fsrcnn")
            if dtype == np.int32:
                np.testing.assert_allclose(result, value, rtol=1e-6)
            else:
                assert (result == value).all()


def test_invisible_colours_do_not_bleed():
    image = np.zeros((8, 8, 4))
    image[:, :4] = (0.8, 0.4, 0.2, 1.0)
    image[:, 4:] = (0.0, 1.0, 0.0, 0.0)
    other = image.copy()
    other[:, 4:, :3] = 0.5
    ours, same = (upsample(each, SCALE, "fsrcnn", last_is_alpha=True) for each in (image, other))
    np.testing.assert_array_equal(ours, same)


def test_bands_are_bounded(monkeypatch):
    monkeypatch.setattr("convtranspose.resample.image._BAND_BYTES", 1 << 20)
    image = np.random.default_rng(3).integers(0, 256, (1500, 60, 3)).astype(np.uint8)
    tracemalloc.start()
    bands = [len(band) for _, band in upsample_bands(image, SCALE, "fsrcnn")]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sum(bands) == 4500
    assert len(bands) > 5
    # The planes between two layers of a tile, in and out, and a band's own.
    assert peak < 2 * 56 * 4 * (fsrcnn._TILE + 2 * REACH) ** 2 + (6 << 20)


def test_refusals():
    assert METHODS[-1] == "fsrcnn"
    image = np.zeros((3, 3), np.uint8)
    with pytest.raises(ValueError, match="scale: expected 3 for the kernel 'fsrcnn', got 2"):
        upsample(image, 2, "fsrcnn")
    with pytest.raises(ValueError, match=r"kernel: expected one of .*, fsrcnn, got 'srcnn'"):
        upsample(image, 3, "srcnn")


def test_command(tmp_path, capsys):
    image_module = pytest.importorskip("PIL.Image")
    from convtranspose.cli import main

    output = tmp_path / "large.png"
    arguments = ["upsample", str(SAMPLE), "-o", str(output), "--kernel", "fsrcnn", "--scale"]
    assert main([*arguments, "3"]) == 0
    with image_module.open(SAMPLE) as small, image_module.open(output) as large:
        expected = upsample(np.asarray(small), SCALE, "fsrcnn")
        np.testing.assert_array_equal(np.asarray(large), expected)
    capsys.readouterr()
    assert main([*arguments, "4"]) == 2
    assert "expected 3 for the kernel 'fsrcnn', got 4" in capsys.readouterr().err
