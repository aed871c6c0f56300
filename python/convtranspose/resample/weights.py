# SPDX-License-Identifier: MIT
"""Interpolation kernels, sampled into the weights of a transposed convolution."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

_Profile = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def _triangle(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1 - distance


def _catmull_rom(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    near = (1.5 * distance - 2.5) * distance**2 + 1
    far = ((-0.5 * distance + 2.5) * distance - 4) * distance + 2
    return np.where(distance < 1, near, far)


def _lanczos3(distance: NDArray[np.float64]) -> NDArray[np.float64]:
    # np.sinc is 4e-17 at whole numbers; an exact 0 there makes a scale of 1 the identity.
    whole = distance == np.rint(distance)
    return np.where(whole, distance == 0, np.sinc(distance) * np.sinc(distance / 3))


# Name -> (support in source pixels on either side, profile over the distance from the centre).
PROFILES: Final[dict[str, tuple[int, _Profile]]] = {
    "bilinear": (1, _triangle),
    "bicubic": (2, _catmull_rom),
    "lanczos": (3, _lanczos3),
}

#: Names of the interpolation kernels, by growing support.
KERNELS: Final = tuple(PROFILES)


def upsampling_weights(
    scale: int, kernel: str = "bicubic", dtype: DTypeLike = np.float32, *, channels: int = 1
) -> NDArray[Any]:
    """Return weights with which a transposed convolution of stride `scale` upsamples.

    Parameters
    ----------
    scale : int
        Factor between source and result, at least 1.
    kernel : {"bilinear", "bicubic", "lanczos"}
        Interpolation kernel: the triangle, Keys' cubic with a = -0.5 (Catmull-Rom), or Lanczos
        with three lobes.
    dtype : dtype
        Floating type of the result.
    channels : int
        Number of channels; use the weights with ``groups=channels``.

    Returns
    -------
    ndarray, shape (channels, 1, k, k)
        Weights in OIHW order. ``k`` is 2, 4 or 6 times `scale` by kernel, less 1 when `scale` is
        odd. Explicit padding of ``(k - scale) // 2`` on each side makes the result exactly
        `scale` times as large as the source.

    Raises
    ------
    TypeError
        If `scale` is no integer or `dtype` no floating type.
    ValueError
        If `scale` is below 1 or `kernel` unknown.

    Notes
    -----
    A result pixel is reached by the taps of one phase only: those whose two indices leave the
    same remainders on division by `scale`. The taps of each phase sum to 1 up to one rounding to
    `dtype` a tap, so a constant stays constant. The first two kernels keep linear ramps exactly;
    Lanczos departs from them by up to 0.02 of the step between neighbouring pixels.

    Examples
    --------
    >>> from convtranspose.resample import upsampling_weights
    >>> upsampling_weights(2, "bilinear")[0, 0]
    array([[0.0625, 0.1875, 0.1875, 0.0625],
           [0.1875, 0.5625, 0.5625, 0.1875],
           [0.1875, 0.5625, 0.5625, 0.1875],
           [0.0625, 0.1875, 0.1875, 0.0625]], dtype=float32)
    """
    element_type = np.dtype(dtype)
    if not np.issubdtype(element_type, np.floating):
        raise TypeError(
            f"upsampling_weights: dtype: expected a floating type, got {element_type.name}"
        )
    taps = _taps(checked_scale(scale), kernel)
    weights = np.outer(taps, taps).astype(element_type)
    return np.tile(weights, (channels, 1, 1, 1))


def _taps(scale: int, kernel: str) -> NDArray[np.float64]:
    """Return the one-dimensional weights; each phase sums to 1."""
    if kernel not in PROFILES:
        raise ValueError(
            f"upsampling: kernel: expected one of {', '.join(KERNELS)}, got {kernel!r}"
        )
    support, profile = PROFILES[kernel]
    length = 2 * support * scale - scale % 2
    index = np.arange(length)
    taps = profile(np.abs(index - (length - 1) / 2) / scale)
    phase = index % scale
    sums = np.bincount(phase, weights=taps)
    normalised: NDArray[np.float64] = taps / sums[phase]
    return normalised


def checked_scale(scale: int) -> int:
    """Return `scale` as an int, or raise."""
    try:
        factor = operator.index(scale)
    except TypeError:
        raise TypeError(f"upsampling: scale: expected an integer, got {scale!r}") from None
    if factor < 1:
        raise ValueError(f"upsampling: scale: expected at least 1, got {factor}")
    return factor
