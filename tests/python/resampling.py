# SPDX-License-Identifier: MIT
"""What the tests of upsampling share."""

from __future__ import annotations

import numpy as np

from convtranspose.resample import upsampling_weights
from tolerance import gamma

SUPPORT = {"bilinear": 1, "bicubic": 2, "lanczos": 3}
SCALES = range(1, 17)


def rounding(kernel, dtype, scale=2):
    """Error of one result pixel, in units of the largest source pixel; the taps are rounded too."""
    weights = np.abs(upsampling_weights(scale, kernel, np.float64))[0, 0]
    largest = max(weights[y::scale, x::scale].sum() for y in range(scale) for x in range(scale))
    return gamma((2 * SUPPORT[kernel]) ** 2 + 2, dtype) * largest
