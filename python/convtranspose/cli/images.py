# SPDX-License-Identifier: MIT
"""Image files as arrays that can be interpolated, and back."""

from __future__ import annotations

import io
import struct
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from ..command_line import UserError, reported

# Everything the readers of Pillow raise for a damaged or hostile file.
_READ_ERRORS = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    struct.error,
    MemoryError,
    Image.DecompressionBombError,
)

# Interpolating between palette entries, bits or hues means nothing: these modes go to one that can.
_CONVERSIONS = {
    "1": "L",
    "P": "RGB",
    "PA": "RGBA",
    "La": "LA",
    "RGBa": "RGBA",
    "RGBX": "RGB",
    "CMYK": "RGB",
    "YCbCr": "RGB",
    "LAB": "RGB",
    "HSV": "RGB",
}
_ADD_ALPHA = {"L": "LA", "RGB": "RGBA"}


@dataclass(frozen=True)
class Photograph:
    """Pixels ready for interpolation, and what the file said about them."""

    pixels: NDArray[Any]
    mode: str
    icc_profile: bytes | None

    @property
    def last_is_alpha(self) -> bool:
        """Whether the last channel is an opacity."""
        return self.mode in ("LA", "RGBA")


def read(path: Path) -> Photograph:
    """Read the first frame of an image file, upright whatever its EXIF orientation."""
    with reported(*_READ_ERRORS, prefix=f"{path}: "), warnings.catch_warnings():
        # Pillow warns from 89 megapixels on, and refuses from 179: the refusal is enough.
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        with Image.open(path) as file:
            image = ImageOps.exif_transpose(file)
    profile = image.info.get("icc_profile")
    if image.mode.startswith("I"):
        return Photograph(_sixteen_bits(np.asarray(image), path), "I;16", profile)
    mode = _CONVERSIONS.get(image.mode, image.mode)
    if "transparency" in image.info:
        mode = _ADD_ALPHA.get(mode, mode)
    if mode != image.mode:
        # The profile of CMYK or Lab colours does not describe the RGB they become.
        profile = profile if image.mode in ("1", "P", "PA", "L", "RGB") else None
        image = image.convert(mode)
    return Photograph(np.asarray(image), mode, profile)


def _sixteen_bits(pixels: NDArray[Any], path: Path) -> NDArray[np.uint16]:
    lowest, highest = int(pixels.min()), int(pixels.max())
    limits = np.iinfo(np.uint16)
    if lowest < limits.min or highest > limits.max:
        raise UserError(
            f"{path}: expected grey values from 0 to {limits.max}, got {lowest} to {highest}"
        )
    return pixels.astype(np.uint16)


def check_writable(path: Path, mode: str) -> None:
    """Refuse a result that could not be written, before any work is done."""
    format_name = Image.registered_extensions().get(path.suffix.lower())
    if format_name is None:
        raise UserError(f"{path}: expected a suffix that names an image format, such as .png")
    if not path.parent.is_dir():
        raise UserError(f"{path}: expected an existing directory, got {path.parent}")
    with reported(OSError, ValueError, KeyError, prefix=f"{path}: "):
        Image.new(mode, (1, 1)).save(io.BytesIO(), format_name)


def write(image: Image.Image, path: Path, icc_profile: bytes | None) -> None:
    """Write an image in the format that the suffix names."""
    # 95 is the highest JPEG and WebP quality that Pillow advises; lossless formats ignore it.
    options: dict[str, Any] = {"quality": 95}
    if icc_profile:
        options["icc_profile"] = icc_profile
    with reported(OSError, ValueError, MemoryError, prefix=f"{path}: "):
        image.save(path, **options)
