# SPDX-License-Identifier: MIT
"""Weights in other orders, and weights that interpolate. No function copies what it is given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._core import TensorNamedDataLayout
from ..axes import POSITIONS, to_layout
from ..typing import Array

OIHW = TensorNamedDataLayout.OIHW
HWIO = TensorNamedDataLayout.HWIO


def convert_weights(
    weights: Array, source_layout: TensorNamedDataLayout, target_layout: TensorNamedDataLayout
) -> Array:
    """A view of `weights` in another weights layout.

    PyTorch's and ONNX's weights are OIHW, TensorFlow's and Keras's HWIO; for JAX's see
    `weights_from_jax`.

    Parameters
    ----------
    weights : array of 4 axes
    source_layout, target_layout : TensorNamedDataLayout
        OIHW or HWIO.

    Returns
    -------
    ndarray
        A view; ``np.ascontiguousarray`` packs it.

    Raises
    ------
    ValueError
        If `weights` has not 4 axes, or a layout is none of weights.

    Examples
    --------
    >>> import numpy as np
    >>> from convtranspose import TensorNamedDataLayout
    >>> from convtranspose.converters import convert_weights
    >>> oihw = np.zeros((8, 4, 3, 5), np.float32)
    >>> convert_weights(oihw, TensorNamedDataLayout.OIHW, TensorNamedDataLayout.HWIO).shape
    (3, 5, 4, 8)
    """
    array = np.asarray(weights)
    for name, layout in (("source_layout", source_layout), ("target_layout", target_layout)):
        if layout not in (OIHW, HWIO):
            raise ValueError(f"convert_weights: {name}: expected OIHW or HWIO, got {layout!r}")
    if array.ndim != 4:
        raise ValueError(f"convert_weights: weights: expected 4 axes, got {array.ndim}")
    return array.transpose(to_layout(target_layout, POSITIONS[source_layout]))


def flip_kernel(weights: Array, layout: TensorNamedDataLayout) -> Array:
    """A view with the kernel turned around and the channel axes swapped; its own inverse."""
    o, i, y, x = POSITIONS[layout]
    return np.flip(np.asarray(weights), (y, x)).swapaxes(o, i)


def bilinear_weights(
    scale: int,
    channels: int = 1,
    *,
    groups: int | None = None,
    dtype: DTypeLike = np.float32,
    layout: TensorNamedDataLayout = OIHW,
) -> NDArray[Any]:
    """Weights with which a transposed convolution of stride `scale` interpolates bilinearly.

    Parameters
    ----------
    scale : int
    channels : int, default 1
    groups : int, optional
        By default `channels`, a depthwise operation; with fewer, channels do not mix either, and
        the weights between different channels are 0, as segmentation networks are initialised.
    dtype : dtype, default float32
    layout : TensorNamedDataLayout, default OIHW

    Returns
    -------
    ndarray, shape (channels, channels / groups, k, k), or its HWIO order
        ``k = 2 * scale - scale % 2``. Padding of ``(k - scale) // 2`` on each side makes the
        result `scale` times as large as the source.

    Raises
    ------
    ValueError, TypeError
        As `convtranspose.resample.upsampling_weights`, and if `groups` does not divide `channels`.

    Examples
    --------
    >>> from convtranspose.converters import bilinear_weights
    >>> bilinear_weights(2)[0, 0]
    array([[0.0625, 0.1875, 0.1875, 0.0625],
           [0.1875, 0.5625, 0.5625, 0.1875],
           [0.1875, 0.5625, 0.5625, 0.1875],
           [0.0625, 0.1875, 0.1875, 0.0625]], dtype=float32)
    """
    from ..resample import upsampling_weights  # which imports the package, and that imports this

    groups = channels if groups is None else groups
    if channels < 1 or groups < 1 or channels % groups:
        raise ValueError(
            f"bilinear_weights: groups: expected a divisor of {channels} channels, got {groups}"
        )
    taps = upsampling_weights(scale, "bilinear", dtype)[0, 0]
    per_group = channels // groups
    weights = np.zeros((channels, per_group, *taps.shape), taps.dtype)
    channel = np.arange(channels)
    weights[channel, channel % per_group] = taps
    return np.ascontiguousarray(convert_weights(weights, OIHW, layout))
