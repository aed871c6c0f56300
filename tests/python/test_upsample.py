# SPDX-License-Identifier: MIT
"""``convtranspose upsample`` on image files, and its agreement with Pillow's own resampler."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import convtranspose.cli.progress
from convtranspose.cli import main
from convtranspose.cli.progress import progress
from convtranspose.resample import KERNELS, upsample
from resampling import SCALES, SUPPORT, rounding

SAMPLE = Path(__file__).parents[2] / "docs" / "images" / "sample.png"
PILLOW_FILTERS = {
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos": Image.Resampling.LANCZOS,
}


@pytest.fixture(scope="module")
def photograph():
    return np.asarray(Image.open(SAMPLE))


@pytest.fixture
def command(tmp_path):
    """Return what enlarges an image through a file, and gives the result and its pixels."""

    def enlarge(image, *options, source="source.png", result="result.png", **saved):
        image.save(tmp_path / source, **saved)
        paths = [str(tmp_path / source), "-o", str(tmp_path / result)]
        assert main(["upsample", *paths, *map(str, options)]) == 0
        with Image.open(tmp_path / result) as written:
            written.load()
        return written, np.asarray(written)

    return enlarge


def pillow(pixels, scale, kernel):
    """Upsample a float32 image with Pillow, one channel after the other."""
    size = (pixels.shape[1] * scale, pixels.shape[0] * scale)
    channels = [
        Image.fromarray(np.ascontiguousarray(channel)).resize(size, PILLOW_FILTERS[kernel])
        for channel in np.moveaxis(pixels, 2, 0)
    ]
    return np.stack([np.asarray(channel) for channel in channels], axis=2)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scale", [1, 2, 3, 4, 7, 16])
def test_agrees_with_pillow_on_a_photograph(photograph, scale, kernel):
    pixels = photograph[30:80, 40:110].astype(np.float32)
    tolerance = 2 * 255 * rounding(kernel, np.float32, scale)  # ours and Pillow's
    ours = upsample(pixels, scale, kernel)

    # Away from the edges Pillow computes the same; at the edges it does so once they are repeated.
    edge = SUPPORT[kernel] * scale
    inside = np.s_[edge:-edge, edge:-edge]
    difference = np.abs(ours - pillow(pixels, scale, kernel))
    assert difference[inside].max() <= tolerance
    if kernel == "bilinear":
        assert difference.max() <= tolerance

    margin = SUPPORT[kernel]
    repeated = np.pad(pixels, [(margin, margin), (margin, margin), (0, 0)], mode="edge")
    expected = pillow(repeated, scale, kernel)[inside]
    assert np.abs(ours - expected).max() <= tolerance

    whole = upsample(photograph[30:80, 40:110], scale, kernel)
    assert np.abs(whole - np.clip(expected, 0, 255)).max() <= 0.5 + tolerance


@pytest.mark.parametrize("kernel", KERNELS)
def test_sample_photograph(tmp_path, photograph, kernel, capsys):
    output = tmp_path / "large.png"
    arguments = ["upsample", str(SAMPLE), "-o", str(output), "--scale", "4", "--kernel", kernel]
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"{output}: 896 x 672 RGB\n"
    with Image.open(output) as image:
        np.testing.assert_array_equal(np.asarray(image), upsample(photograph, 4, kernel))


CONSTANTS = {
    "L": 77,
    "LA": (77, 130),
    "RGB": (12, 200, 255),
    "RGBA": (12, 200, 255, 90),
    "I;16": 54321,
    "1": 1,
}


@pytest.mark.parametrize("mode", CONSTANTS)
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scale", SCALES)
def test_constants_stay_constant_in_every_mode(command, scale, kernel, mode):
    image = Image.new(mode, (4, 3), CONSTANTS[mode])
    result, pixels = command(image, "--scale", scale, "--kernel", kernel)
    assert result.mode == ("L" if mode == "1" else mode)
    assert result.size == (4 * scale, 3 * scale)
    expected = 255 if mode == "1" else CONSTANTS[mode]
    assert (pixels == expected).all()


def test_palettes_become_colours(command):
    image = Image.new("P", (4, 3), 2)
    image.putpalette([0, 0, 0, 255, 255, 255, 10, 20, 30])
    result, pixels = command(image, "--scale", 2)
    assert result.mode == "RGB"
    assert (pixels == (10, 20, 30)).all()


@pytest.mark.parametrize("mode", ["P", "RGB", "L"])
def test_transparent_colour_becomes_alpha(command, mode):
    image = Image.new("RGB", (8, 4), (200, 200, 200))
    image.paste((90, 90, 90), (4, 0, 8, 4))
    image = image.quantize(2) if mode == "P" else image.convert(mode)
    hidden = image.getpixel((0, 0))
    result, pixels = command(image, "--scale", 3, transparency=hidden)
    assert result.mode == ("LA" if mode == "L" else "RGBA")
    assert (pixels[:, :6, -1] == 0).all()
    assert (pixels[:, -6:, -1] == 255).all()
    assert (pixels[pixels[..., -1] > 0][:, 0] == 90).all()


def test_invisible_colours_do_not_bleed(command):
    image = Image.new("RGBA", (8, 8), (0, 255, 0, 0))
    image.paste((250, 40, 10, 255), (4, 0, 8, 8))
    for kernel in KERNELS:
        _, pixels = command(image, "--scale", 4, "--kernel", kernel)
        visible = pixels[pixels[..., 3] > 0]
        assert (visible[:, :3] == (250, 40, 10)).all()


def test_sixteen_bits_are_kept(command):
    values = np.random.default_rng(1).integers(0, 65536, (6, 5)).astype(np.uint16)
    _, pixels = command(Image.fromarray(values), "--scale", 3)
    np.testing.assert_array_equal(pixels, upsample(values, 3))


def test_floats_are_kept(command):
    values = np.random.default_rng(1).random((6, 5)).astype(np.float32) * 1e4
    files = {"source": "source.tiff", "result": "result.tiff"}
    _, pixels = command(Image.fromarray(values), "--scale", 3, **files)
    np.testing.assert_array_equal(pixels, upsample(values, 3))


def test_long_integers_that_fit_become_sixteen_bits(command, tmp_path, capsys):
    values = np.arange(20, dtype=np.int32).reshape(4, 5) * 3000
    _, pixels = command(Image.fromarray(values), "--scale", 2, source="source.tiff")
    np.testing.assert_array_equal(pixels, upsample(values.astype(np.uint16), 2))
    capsys.readouterr()
    Image.fromarray(values - 1).save(tmp_path / "negative.tiff")
    line = refused(capsys, tmp_path / "negative.tiff", "-o", tmp_path / "x.png", "--scale", 2)
    assert "grey values from 0 to 65535, got -1 to 56999" in line


def test_print_colours_become_rgb_without_their_profile(command):
    image = Image.new("CMYK", (4, 3), (0, 255, 255, 0))
    profile = b"not a profile of RGB"
    result, pixels = command(image, "--scale", 2, source="source.tiff", icc_profile=profile)
    assert result.mode == "RGB"
    assert (pixels == (255, 0, 0)).all()
    assert "icc_profile" not in result.info


def test_colour_profile_is_kept(command):
    profile = b"what the colours of this file mean"
    result, _ = command(Image.new("RGB", (4, 3)), "--scale", 2, icc_profile=profile)
    assert result.info["icc_profile"] == profile


def test_exif_orientation_is_applied(command, photograph):
    exif = Image.Exif()
    exif[0x0112] = 6  # turn clockwise by a quarter to see it upright
    result, pixels = command(Image.fromarray(photograph), "--scale", 2, exif=exif)
    np.testing.assert_array_equal(pixels, upsample(np.rot90(photograph, -1), 2))
    assert 0x0112 not in result.getexif()


def test_source_may_be_overwritten(tmp_path, photograph):
    path = tmp_path / "photograph.png"
    Image.fromarray(photograph).save(path)
    assert main(["upsample", str(path), "-o", str(path), "--scale", "2"]) == 0
    with Image.open(path) as image:
        np.testing.assert_array_equal(np.asarray(image), upsample(photograph, 2))


def refused(capsys, *arguments):
    """Run a command that must fail, and return the one line that it says."""
    try:
        code = main(["upsample", *map(str, arguments)])
    except SystemExit as stopped:
        code = stopped.code
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_unreadable_images(tmp_path, capsys):
    text = tmp_path / "text.png"
    text.write_text("not an image")
    truncated = tmp_path / "truncated.png"
    truncated.write_bytes(SAMPLE.read_bytes()[:30000])
    output = tmp_path / "result.png"
    for path, said in [
        (tmp_path / "absent.png", "No such file"),
        (tmp_path, "directory"),
        (text, "cannot identify image file"),
        (truncated, "truncated"),
    ]:
        assert said in refused(capsys, path, "-o", output, "--scale", 2)
    assert not output.exists()


def test_decompression_bombs(tmp_path, capsys, monkeypatch):
    output = tmp_path / "result.png"
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 224 * 168 // 2 - 1)
    assert "bomb" in refused(capsys, SAMPLE, "-o", output, "--scale", 2)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 224 * 168 - 1)  # Pillow would only warn
    assert main(["upsample", str(SAMPLE), "-o", str(output), "--scale", "2"]) == 0


def test_unwritable_results_are_refused_before_the_work(tmp_path, capsys, monkeypatch):
    def work(*arguments, **keywords):
        raise AssertionError

    monkeypatch.setattr("convtranspose.cli.upsample.upsample_bands", work)
    transparent = tmp_path / "transparent.png"
    Image.new("RGBA", (2, 2)).save(transparent)
    for source, output, said in [
        (SAMPLE, tmp_path / "result", "suffix"),
        (SAMPLE, tmp_path / "result.xyz", "suffix"),
        (SAMPLE, tmp_path / "absent" / "result.png", "existing directory"),
        (transparent, tmp_path / "result.jpg", "cannot write mode RGBA as JPEG"),
    ]:
        assert said in refused(capsys, source, "-o", output, "--scale", 2)


@pytest.mark.parametrize("scale", ["0", "17", "-1", "2.5", "two", "1_0"])
def test_bad_scale(tmp_path, capsys, scale):
    line = refused(capsys, SAMPLE, "-o", tmp_path / "result.png", f"--scale={scale}")
    assert f"expected a whole number from 1 to 16, got {scale!r}" in line


def test_bad_kernel_and_threads(tmp_path, capsys):
    arguments = [SAMPLE, "-o", tmp_path / "result.png", "--scale", 2]
    assert "invalid choice: 'nearest'" in refused(capsys, *arguments, "--kernel", "nearest")
    assert "threads" in refused(capsys, *arguments, "--threads", 0)


def test_without_pillow(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    line = refused(capsys, SAMPLE, "-o", tmp_path / "result.png", "--scale", 2)
    assert "pip install 'convtranspose[image]'" in line


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "delay", "shown"),
    [
        (Terminal(), 0, "\rlabel:  50 %\r            \r"),
        (Terminal(), 60, ""),
        (io.StringIO(), 0, ""),
    ],
    ids=["long work", "short work", "no terminal"],
)
def test_progress(monkeypatch, stream, delay, shown):
    monkeypatch.setattr(convtranspose.cli.progress, "_SECONDS_BEFORE_SHOWING", delay)
    with progress("label", 8, stream) as update:
        update(4)
    assert stream.getvalue() == shown
