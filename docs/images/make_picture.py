# SPDX-License-Identifier: MIT
"""Draw the picture of the README: ``python docs/images/make_picture.py``."""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from convtranspose.resample import upsample

HERE = Path(__file__).parent
SCALE = 4
DETAIL = (54, 38, 129, 113)  # left, top, right, bottom: the eye
GAP = 12
LABEL_HEIGHT = 26


def main() -> None:
    """Set the sample beside its enlarged detail, and label the three."""
    photograph = Image.open(HERE / "sample.png")
    enlarged = Image.fromarray(upsample(np.asarray(photograph), SCALE, "lanczos"))
    detail = photograph.crop(DETAIL)
    enlarged_size = (detail.width * SCALE, detail.height * SCALE)

    marked = photograph.copy()
    ImageDraw.Draw(marked).rectangle(DETAIL, outline="white")
    panels = {
        f"input, {photograph.width} x {photograph.height}": marked,
        f"nearest neighbour, {SCALE}x": detail.resize(enlarged_size, Image.Resampling.NEAREST),
        f"convtranspose, {SCALE}x lanczos": enlarged.crop(tuple(SCALE * side for side in DETAIL)),
    }

    width = sum(panel.width for panel in panels.values()) + GAP * (len(panels) - 1)
    picture = Image.new("RGB", (width, enlarged_size[1] + LABEL_HEIGHT), "white")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(15)
    left = 0
    for label, panel in panels.items():
        top = (enlarged_size[1] - panel.height) // 2
        picture.paste(panel, (left, top))
        middle = left + panel.width // 2
        draw.text((middle, top + panel.height + 6), label, "black", font, anchor="mt")
        left += panel.width + GAP
    picture.save(HERE / "upsample.png", optimize=True)


if __name__ == "__main__":
    main()
