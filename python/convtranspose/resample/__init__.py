# SPDX-License-Identifier: MIT
"""Image upsampling by a whole factor, as one depthwise transposed convolution.

The weights are computed from a formula; only the kernel ``"fsrcnn"`` learned from photographs. The
geometry is that of image software: pixels are areas, so result pixel ``o`` lies at source
position ``(o + 0.5) / scale - 0.5``, and outside the image its edge pixels go on for ever.
"""

from .image import METHODS, upsample, upsample_bands
from .weights import KERNELS, upsampling_weights

__all__ = ["KERNELS", "METHODS", "upsample", "upsample_bands", "upsampling_weights"]
