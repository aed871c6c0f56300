# SPDX-License-Identifier: MIT
"""Detail that bicubic interpolation by three lacks, from a network trained on photographs.

``examples/super_resolution`` holds the code that made the weights and says which photographs they
come from. The network is FSRCNN(56, 12, 4) of Dong, Loy and Tang (2016) without biases, and the
kernels of its first layer sum to zero: the detail of a constant is 0, and that of a multiple of an
image is the multiple of its detail, whatever the range of the pixels.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .. import (
    Convolution2DOpDescriptor,
    ConvolutionTranspose2DDataGradientPlan,
    ConvolutionTranspose2DPlan,
)

SCALE: Final = 3
#: Pixels around a source pixel that its detail depends on.
REACH: Final = 7

_LAYERS: Final = ("feature", "shrink", "map1", "map2", "map3", "map4", "expand")
# Source pixels on a side. Between two layers a pixel has 56 floats: 2.7 MB a tile, whatever the
# size of the image.
_TILE: Final = 96

_Planes = NDArray[np.float32]


def detail(planes: NDArray[Any], threads: int | None = None) -> _Planes:
    """Return what the bicubic enlargement of planes lacks.

    Parameters
    ----------
    planes : ndarray, shape (planes, height + 2 * REACH, width + 2 * REACH)
        Brightness, with the pixels around that part of it whose detail is asked for.
    threads : int, optional

    Returns
    -------
    ndarray of float32, shape (planes, SCALE * height, SCALE * width)

    Examples
    --------
    >>> import numpy as np
    >>> from convtranspose.resample.fsrcnn import REACH, detail
    >>> step = np.repeat([0, 100], REACH + 2) * np.ones((1, 2 * REACH + 1, 1))
    >>> bool(abs(detail(step)).max() > 1)
    True
    """
    count, *around = planes.shape
    height, width = (size - 2 * REACH for size in around)
    result = np.empty((count, SCALE * height, SCALE * width), np.float32)
    for plane, large in zip(planes, result, strict=True):
        for y in range(0, height, _TILE):
            for x in range(0, width, _TILE):
                tile = plane[y : y + _TILE + 2 * REACH, x : x + _TILE + 2 * REACH]
                part = np.s_[y * SCALE : (y + _TILE) * SCALE, x * SCALE : (x + _TILE) * SCALE]
                large[part] = _of_tile(tile.astype(np.float32), threads)
    return result


def _of_tile(tile: _Planes, threads: int | None) -> _Planes:
    height, width = tile.shape
    planes: _Planes = tile[np.newaxis, np.newaxis]
    for plan in _plans(height, width, threads):
        planes = plan(planes)
    result: _Planes = planes[0, 0]
    return result


@lru_cache(maxsize=8)  # a whole tile, one at the right, below and in the corner; one image after
def _plans(
    height: int, width: int, threads: int | None
) -> list[ConvolutionTranspose2DDataGradientPlan | ConvolutionTranspose2DPlan]:
    """Return the layers for tiles of one size."""
    weights = _weights()
    plain = Convolution2DOpDescriptor()
    plans: list[ConvolutionTranspose2DDataGradientPlan | ConvolutionTranspose2DPlan] = []
    for name, slope in zip(_LAYERS, weights["slopes"], strict=True):
        kernel = weights[name]
        outputs, inputs, extent, _ = kernel.shape
        source = 1, inputs, height, width
        height, width = height - extent + 1, width - extent + 1
        # A convolution is the data gradient of a transposed one.
        plan = ConvolutionTranspose2DDataGradientPlan(
            source,
            kernel,
            (1, outputs, height, width),
            plain,
            activation=("leaky_relu", float(slope)),
            threads=threads,
        )
        plans.append(plan)
    kernel = weights["deconvolution"]
    descriptor = Convolution2DOpDescriptor(stride_in_x=SCALE, stride_in_y=SCALE)
    descriptor.set_explicit_padding(*(2 * SCALE,) * 4)  # keeps what all its taps reach
    source = 1, len(kernel), height, width
    output = 1, 1, SCALE * (height - 2), SCALE * (width - 2)
    return [
        *plans,
        ConvolutionTranspose2DPlan(source, kernel, output, descriptor, threads=threads),
    ]


@lru_cache(maxsize=1)
def _weights() -> dict[str, _Planes]:
    with files(__package__).joinpath("fsrcnn_x3.npz").open("rb") as file, np.load(file) as arrays:
        return dict(arrays)
