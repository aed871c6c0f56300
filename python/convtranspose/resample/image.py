# SPDX-License-Identifier: MIT
"""Images made larger, band by band."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from .. import Convolution2DOpDescriptor, convolution_transpose_2d
from . import fsrcnn
from .weights import KERNELS, PROFILES, checked_scale, upsampling_weights

#: Names of all kernels of `upsample`.
METHODS: Final = (*KERNELS, "fsrcnn")

# Float buffers of one band. Large enough to keep every thread busy on a photograph, small beside
# the photograph itself.
_BAND_BYTES: Final = 32 << 20

# float32 holds every value and its rounding for types of up to 16 bits, float64 for the others.
_COMPUTE_TYPES: Final[dict[type[np.generic], type[np.floating[Any]]]] = {
    **dict.fromkeys((np.uint8, np.int8, np.uint16, np.int16, np.float32), np.float32),
    **dict.fromkeys((np.uint32, np.int32, np.float64), np.float64),
}


def upsample(
    array: NDArray[Any],
    scale: int,
    kernel: str = "bicubic",
    *,
    last_is_alpha: bool = False,
    threads: int | None = None,
) -> NDArray[Any]:
    """Return an image `scale` times as large in both directions.

    Parameters
    ----------
    array : ndarray, shape (height, width) or (height, width, channels)
        The image: integers of at most 32 bits, float32 or float64. It may be a view with any
        strides.
    scale : int
        Factor between source and result, at least 1.
    kernel : {"bilinear", "bicubic", "lanczos", "fsrcnn"}
        Interpolation kernel, see `upsampling_weights`; or ``"fsrcnn"`` for the bicubic one and
        detail that a network of `convtranspose.resample.fsrcnn` adds, at a scale of 3. It looks at
        the brightness of three channels, which are taken for RGB, or else at every channel.
    last_is_alpha : bool
        Whether the last channel is an opacity. Colours then count by their opacity, which keeps
        the colour of invisible pixels out of visible ones, and are 0 where the opacity is 0.
    threads : int, optional
        Threads to use, by default all of the library's.

    Returns
    -------
    ndarray, shape (scale * height, scale * width) or the same with channels
        New array of the dtype of `array`. Integers are rounded to nearest and clipped to the
        range of their type; floats may go beyond the range of the source where a kernel with
        negative lobes meets an edge.

    Raises
    ------
    TypeError
        If `array` or `scale` has an unsupported type.
    ValueError
        If `array` is empty or has another rank, `scale` is below 1, or not 3 for ``"fsrcnn"``, or
        `kernel` unknown.

    See Also
    --------
    upsample_bands : the same without the whole result in memory.

    Notes
    -----
    Outside the image its edge pixels are repeated, as OpenCV and PyTorch do. Pillow drops the
    taps outside and rescales the others instead, which differs within the kernel's support of
    the edge, except for the bilinear kernel, where the two are the same.

    Against Pillow 13 on the photograph ``docs/images/sample.png``, scales 2 to 8: in float32 the
    largest difference away from the edges is 9.2e-5 of 255, the mean 1e-5 or less, and at the
    edges up to 5.6 (Lanczos). In 8 bits it is at most 3 levels away from the edges, 0.27 in the
    mean, because Pillow rounds and clips between its two passes.

    Examples
    --------
    >>> import numpy as np
    >>> from convtranspose.resample import upsample
    >>> upsample(np.array([[0, 100], [200, 100]], np.uint8), 2, "bilinear")
    array([[  0,  25,  75, 100],
           [ 50,  62,  88, 100],
           [150, 138, 112, 100],
           [200, 175, 125, 100]], dtype=uint8)
    """
    bands = upsample_bands(array, scale, kernel, last_is_alpha=last_is_alpha, threads=threads)
    height, width, *channels = array.shape
    result = np.empty((height * scale, width * scale, *channels), array.dtype)
    for row, band in bands:
        result[row : row + len(band)] = band
    return result


def upsample_bands(
    array: NDArray[Any],
    scale: int,
    kernel: str = "bicubic",
    *,
    last_is_alpha: bool = False,
    threads: int | None = None,
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Return an iterator over the rows of `upsample`, in bands of bounded size.

    Takes the parameters and raises the errors of `upsample`.

    Returns
    -------
    iterator of (int, ndarray)
        Index of the first result row of the band, and the band: shape
        (rows, scale * width) or (rows, scale * width, channels).

    Examples
    --------
    >>> import numpy as np
    >>> from convtranspose.resample import upsample_bands
    >>> [(row, band.shape) for row, band in upsample_bands(np.ones((20, 30), np.float32), 3)]
    [(0, (60, 90))]
    """
    image = _checked_image(array)
    scale = checked_scale(scale)
    if kernel not in METHODS:
        raise ValueError(
            f"upsampling: kernel: expected one of {', '.join(METHODS)}, got {kernel!r}"
        )
    add_detail = kernel == "fsrcnn"
    if add_detail and scale != fsrcnn.SCALE:
        raise ValueError(
            f"upsampling: scale: expected {fsrcnn.SCALE} for the kernel 'fsrcnn', got {scale}"
        )
    profile = "bicubic" if add_detail else kernel
    compute_type = _COMPUTE_TYPES[image.dtype.type]
    weights = upsampling_weights(scale, profile, compute_type, channels=image.shape[2])
    reach = fsrcnn.REACH if add_detail else PROFILES[profile][0]
    upsampler = _Upsampler(image, scale, weights, reach, last_is_alpha, add_detail, threads)
    return ((row, band.reshape(len(band), -1, *array.shape[2:])) for row, band in upsampler)


@dataclass(frozen=True)
class _Upsampler:
    image: NDArray[Any]
    scale: int
    weights: NDArray[Any]
    reach: int
    last_is_alpha: bool
    add_detail: bool
    threads: int | None

    def __iter__(self) -> Iterator[tuple[int, NDArray[Any]]]:
        height, width, channels = self.image.shape
        bytes_of_a_source_row = channels * width * self.scale**2 * self.weights.itemsize
        step = max(1, _BAND_BYTES // bytes_of_a_source_row)
        for first in range(0, height, step):
            yield first * self.scale, self._band(first, min(first + step, height))

    def _band(self, first: int, last: int) -> NDArray[Any]:
        """Return what the source rows from `first` to `last` become."""
        height, width, channels = self.image.shape
        rows = _with_edges(first, last, height, self.reach)
        columns = _with_edges(0, width, width, self.reach)
        pixels = self.image[rows[:, np.newaxis], columns]
        source = np.moveaxis(pixels, 2, 0).astype(self.weights.dtype, order="C")
        if self.last_is_alpha:
            source[:-1] *= source[-1]
        output_shape = (1, channels, (last - first) * self.scale, width * self.scale)
        (result,) = convolution_transpose_2d(
            source[np.newaxis], self.weights, output_shape, self._descriptor(), threads=self.threads
        )
        if self.add_detail:
            colours = len(source) - self.last_is_alpha
            result[:colours] += fsrcnn.detail(_brightness(source[:colours]), self.threads)
        if self.last_is_alpha:
            _divide_by_alpha(result)
        return _pixels(result, self.image.dtype)

    def _descriptor(self) -> Convolution2DOpDescriptor:
        descriptor = Convolution2DOpDescriptor(
            stride_in_x=self.scale, stride_in_y=self.scale, groups=self.image.shape[2]
        )
        # Crops what the weights write around the image, and all that the repeated edges become.
        cropped = (self.weights.shape[-1] - self.scale) // 2 + self.reach * self.scale
        descriptor.set_explicit_padding(cropped, cropped, cropped, cropped)
        return descriptor


def _with_edges(first: int, last: int, size: int, reach: int) -> NDArray[np.intp]:
    """Return the indices from `first` to `last` and `reach` more on both sides, edges repeated."""
    return np.clip(np.arange(first - reach, last + reach), 0, size - 1)


def _brightness(colours: NDArray[Any]) -> NDArray[Any]:
    """Return the luma (ITU-R BT.601) of RGB as one plane, and other planes as they are."""
    if len(colours) != 3:
        return colours
    return np.tensordot(np.array([[0.299, 0.587, 0.114]], colours.dtype), colours, 1)


def _divide_by_alpha(planes: NDArray[Any]) -> None:
    # By the interpolated opacity before it is clipped: its overshoot is that of the colours, so
    # that a single colour comes out as itself on both sides of a sharp edge.
    colours, alpha = planes[:-1], planes[-1]
    visible = alpha > 0
    np.divide(colours, alpha, out=colours, where=visible)
    colours *= visible


def _pixels(planes: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the planes with the channel last, in the dtype of the image."""
    if not np.issubdtype(dtype, np.integer):
        return np.moveaxis(planes, 0, 2).astype(dtype, copy=False)
    limits = np.iinfo(dtype)
    np.clip(planes, limits.min, limits.max, out=planes)
    pixels = np.empty((*planes.shape[1:], len(planes)), dtype)
    # Rounds, narrows and interleaves in one pass over memory: apart they took twice as long.
    np.rint(planes, out=np.moveaxis(pixels, 2, 0), casting="unsafe")
    return pixels


def _checked_image(array: NDArray[Any]) -> NDArray[Any]:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"upsampling: array: expected a numpy array, got {type(array).__name__}")
    if array.dtype.type not in _COMPUTE_TYPES:
        supported = ", ".join(t.__name__ for t in _COMPUTE_TYPES)
        raise TypeError(f"upsampling: array: expected one of {supported}, got {array.dtype}")
    if array.ndim not in (2, 3) or array.size == 0:
        raise ValueError(
            "upsampling: array: expected a shape (height, width) or (height, width, channels) "
            f"without zeros, got {array.shape}"
        )
    return array if array.ndim == 3 else array[:, :, np.newaxis]
