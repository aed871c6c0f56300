# SPDX-License-Identifier: MIT
"""The transposed convolution, chunk by chunk."""

from __future__ import annotations

from fractions import Fraction
from operator import index
from typing import Any

from .. import Algorithm, Convolution2DOpDescriptor, ConvolutionTranspose2DPlan, operations
from ..axes import POSITIONS
from ..converters.shapes import sized_axes
from ..typing import Array, Shape
from .blocks import ResultBlock
from .division import DaskArray, check_array, check_dtype, follow, normalized
from .results import result
from .windows import source_windows


def convolution_transpose_2d(
    source: DaskArray,
    weights: Array,
    output_shape: Shape,
    descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    chunks: Any = None,
    strict: bool = True,
    threads: int = 1,
    algorithm: Algorithm = Algorithm.AUTO,
) -> DaskArray:
    """Transposed convolution of a Dask array.

    Parameters
    ----------
    source : dask.array.Array, shape (N, O, h, w), or (N, h, w, O) for NHWC
    weights : ndarray, shape (O, I, kh, kw), or (kh, kw, I, O) for HWIO
    output_shape : sequence of 4 int
    descriptor : Convolution2DOpDescriptor
    name, strict, algorithm
        See `convtranspose.operations`.
    chunks, threads
        See `convtranspose.dask`.

    Returns
    -------
    dask.array.Array, shape `output_shape`

    Raises
    ------
    ValueError, TypeError
        As `convtranspose.convolution_transpose_2d`, when called.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> import convtranspose as ct
    >>> import convtranspose.dask
    >>> source = da.ones((1, 1, 400, 600), chunks=(1, 1, 100, 100), dtype=np.float32)
    >>> weights = ct.converters.bilinear_weights(2)
    >>> descriptor = ct.Convolution2DOpDescriptor.from_torch(stride=2, padding=1)
    >>> result = convtranspose.dask.convolution_transpose_2d(
    ...     source, weights, (1, 1, 800, 1200), descriptor)
    >>> result.chunksize
    (1, 1, 200, 200)
    >>> result[0, 0, 398:402, 1].compute()
    array([1., 1., 1., 1.], dtype=float32)
    """
    label = name or "convolution_transpose_2d"
    check_array(label, "source", source)
    plan = ConvolutionTranspose2DPlan(
        source.shape, weights, output_shape, descriptor, label, strict=strict, algorithm=algorithm
    )
    check_dtype(label, "source", source, plan.dtype)
    sized = sized_axes(label, descriptor, source.shape, weights.shape, output_shape)
    _, _, *spatial = POSITIONS[descriptor.data_layout]
    if chunks is None:
        heights, widths = (
            follow(source.chunks[at], output, Fraction(axis.stride))
            for at, (axis, _, output) in zip(spatial, sized, strict=True)
        )
    else:
        heights, widths = normalized(chunks, sized, 2, source.dtype)
    rows, columns = (
        source_windows(size, axis, whole)
        for size, (axis, whole, _) in zip((heights, widths), sized, strict=True)
    )
    block = ResultBlock(
        descriptor,
        rows,
        columns,
        label,
        strict,
        threads,
        plan.algorithm,
        operations.convolution_transpose_2d,
        heights,
        widths,
        index(output_shape[POSITIONS[descriptor.data_layout][1]]),
    )
    return result(block, source, weights)
