# SPDX-License-Identifier: MIT
"""Compare ``convtranspose upsample --kernel fsrcnn`` with bicubic interpolation on photographs.

    pip install 'convtranspose[image]' scikit-image scikit-learn
    python psnr.py

The usual protocol: photographs cropped to a multiple of three and reduced by Pillow's bicubic
filter to 8 bits, enlarged to 8 bits, compared in luma without a border of three pixels.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from photographs import HELD_OUT, luma, photograph, psnr, reduced
from PIL import Image

from convtranspose.resample import upsample

SCALE = 3


def compare(image: Image.Image) -> list[float]:
    """Return the PSNR of Pillow's bicubic enlargement, of ours, and of the network's."""
    large, small = reduced(image, SCALE)
    truth, pixels = luma(np.asarray(large)), np.asarray(small)
    results = [np.asarray(small.resize(large.size, Image.Resampling.BICUBIC))]
    results += [upsample(pixels, SCALE, kernel) for kernel in ("bicubic", "fsrcnn")]
    return [psnr(luma(result), truth, SCALE) for result in results]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("photographs", nargs="*", type=Path, help="default: those held out")
    options = parser.parse_args()
    images = {path.name: Image.open(path).convert("RGB") for path in options.photographs}
    images = images or {name: photograph(name) for name in HELD_OUT}
    rows = {name: compare(image) for name, image in images.items()}
    rows["mean"] = list(np.mean(list(rows.values()), axis=0))
    print("| PSNR of luma in dB | Pillow bicubic | bicubic | fsrcnn | gain |")
    print("| ------------------ | -------------- | ------- | ------ | ---- |")
    for name, (pillow, bicubic, network) in rows.items():
        gain = network - bicubic
        print(f"| {name} | {pillow:.2f} | {bicubic:.2f} | {network:.2f} | {gain:+.2f} |")


if __name__ == "__main__":
    main()
