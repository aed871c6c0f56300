# SPDX-License-Identifier: MIT
"""Photographs that ship inside Python packages, split into those to learn from and those held out.

pip install scikit-image scikit-learn matplotlib pillow

========== ============ ==========================================================================
name       package      licence, as the package states it
========== ============ ==========================================================================
astronaut  scikit-image public domain, NASA
brick      scikit-image CC0, CC0Textures
coins      scikit-image no known copyright restrictions, Brooklyn Museum
grass      scikit-image CC0
gravel     scikit-image CC0, CC0Textures
retina     scikit-image CC0, Mikael Häggström
rocket     scikit-image public domain, SpaceX
china      scikit-learn CC BY 2.0, danielbuechele
hopper     matplotlib   public domain, United States Navy
========== ============ ==========================================================================

Held out: camera (CC0, Lav Varshney), chelsea (CC0, Stéfan van der Walt) and coffee (CC0, Rachel
Michetti) of scikit-image, flower (CC BY 2.0, vultilion) of scikit-learn.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np
from PIL import Image

_PLACES = {
    "astronaut": ("skimage", "data/astronaut.png"),
    "brick": ("skimage", "data/brick.png"),
    "coins": ("skimage", "data/coins.png"),
    "grass": ("skimage", "data/grass.png"),
    "gravel": ("skimage", "data/gravel.png"),
    "retina": ("skimage", "data/retina.jpg"),
    "rocket": ("skimage", "data/rocket.jpg"),
    "china": ("sklearn", "datasets/images/china.jpg"),
    "hopper": ("matplotlib", "mpl-data/sample_data/grace_hopper.jpg"),
    "camera": ("skimage", "data/camera.png"),
    "chelsea": ("skimage", "data/chelsea.png"),
    "coffee": ("skimage", "data/coffee.png"),
    "flower": ("sklearn", "datasets/images/flower.jpg"),
}
HELD_OUT = ("camera", "chelsea", "coffee", "flower")
TRAINING = tuple(name for name in _PLACES if name not in HELD_OUT)


def photograph(name: str) -> Image.Image:
    """Return a photograph in RGB."""
    package, path = _PLACES[name]
    with files(package).joinpath(path).open("rb") as file:
        return Image.open(file).convert("RGB")


def reduced(image: Image.Image, scale: int) -> tuple[Image.Image, Image.Image]:
    """Return an image cropped to a multiple of `scale`, and reduced by it.

    Pillow's bicubic filter widens with the reduction, as MATLAB's ``imresize`` does.
    """
    width, height = (size // scale * scale for size in image.size)
    cropped = image.crop((0, 0, width, height))
    small = (width // scale, height // scale)
    return cropped, cropped.resize(small, Image.Resampling.BICUBIC)


def luma(pixels: np.ndarray) -> np.ndarray:
    """Y of 8-bit RGB as super-resolution papers measure it: ITU-R BT.601, 16 to 235."""
    return 16 + pixels.astype(np.float64) @ (np.array([65.481, 128.553, 24.966]) / 255)


def psnr(one: np.ndarray, other: np.ndarray, border: int) -> float:
    """Peak signal-to-noise ratio in dB of two luma planes, without their borders."""
    inside = np.s_[border:-border, border:-border]
    return float(10 * np.log10(255**2 / np.mean((one[inside] - other[inside]) ** 2)))
