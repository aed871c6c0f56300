# SPDX-License-Identifier: MIT
"""``convtranspose upsample``: enlarge an image with one depthwise transposed convolution."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ..command_line import UserError, reported, whole_number
from ..resample import METHODS, upsample_bands
from .progress import progress

_LARGEST_SCALE = 16


def add_parser(subcommands: Any) -> None:
    """Register the subcommand."""
    parser: argparse.ArgumentParser = subcommands.add_parser(
        "upsample",
        help="enlarge an image by a whole factor",
        description="Enlarge an image by a whole factor. Edge pixels are repeated outside the "
        "image, colours count by their opacity, an EXIF orientation is applied, and of an "
        "animation the first frame is taken. Needs Pillow: pip install 'convtranspose[image]'.",
    )
    parser.add_argument("image", type=Path, metavar="IMAGE", help="any file that Pillow reads")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="OUT.png",
        help="file to write; its suffix names the format",
    )
    parser.add_argument(
        "--scale",
        type=whole_number(1, _LARGEST_SCALE),
        required=True,
        metavar="N",
        help=f"1 to {_LARGEST_SCALE}",
    )
    parser.add_argument(
        "--kernel",
        choices=METHODS,
        default="bicubic",
        help="default: bicubic; fsrcnn adds detail learned from photographs and needs --scale 3",
    )
    parser.add_argument("--threads", type=int, metavar="N", help="default: the library's")
    parser.set_defaults(command=_upsample)


def _upsample(options: argparse.Namespace) -> None:
    try:
        from PIL import Image

        from . import images
    except ImportError as error:
        raise UserError(
            f"upsample needs Pillow ({error}): pip install 'convtranspose[image]'"
        ) from None
    photograph = images.read(options.image)
    images.check_writable(options.output, photograph.mode)
    height, width = (options.scale * size for size in photograph.pixels.shape[:2])
    with reported(ValueError, TypeError, OverflowError, MemoryError):
        result = Image.new(photograph.mode, (width, height))
        bands = upsample_bands(
            photograph.pixels,
            options.scale,
            options.kernel,
            last_is_alpha=photograph.last_is_alpha,
            threads=options.threads,
        )
        with progress("upsample", height) as update:
            for row, band in bands:
                result.paste(Image.fromarray(band), (0, row))
                update(row + len(band))
    images.write(result, options.output, photograph.icc_profile)
    print(f"{options.output}: {width} x {height} {photograph.mode}")
