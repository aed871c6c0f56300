# SPDX-License-Identifier: MIT
"""Both gradients of the transposed convolution, chunk by chunk."""

from __future__ import annotations

from fractions import Fraction
from operator import index
from typing import Any

import dask.array as da
import numpy as np

from .. import (
    Algorithm,
    Convolution2DOpDescriptor,
    ConvolutionTranspose2DDataGradientPlan,
    ConvolutionTranspose2DWeightsGradientPlan,
    TensorNamedDataLayout,
    operations,
)
from ..axes import POSITIONS
from ..converters.shapes import sized_axes
from ..typing import Array, Shape
from .blocks import ResultBlock, WeightsGradientBlock
from .division import DaskArray, check_array, check_dtype, follow, normalized
from .results import result
from .windows import output_windows, windowed


def convolution_transpose_2d_data_gradient(
    incoming_gradient: DaskArray,
    weights: Array,
    output_shape: Shape,
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    chunks: Any = None,
    strict: bool = True,
    threads: int = 1,
    algorithm: Algorithm = Algorithm.AUTO,
) -> DaskArray:
    """Gradient of `convolution_transpose_2d` with respect to its source, as a Dask array.

    Parameters
    ----------
    incoming_gradient : dask.array.Array, shape of the transposed convolution's result
    weights : ndarray
    output_shape : sequence of 4 int
        The shape of the transposed convolution's source.
    forward_convolution_descriptor : Convolution2DOpDescriptor
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
        As `convtranspose.convolution_transpose_2d_data_gradient`, when called.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> import convtranspose as ct
    >>> import convtranspose.dask
    >>> gradient = da.ones((1, 1, 40, 60), chunks=(1, 1, 20, 20), dtype=np.float32)
    >>> weights = np.ones((1, 1, 2, 2), np.float32)
    >>> descriptor = ct.Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2)
    >>> result = convtranspose.dask.convolution_transpose_2d_data_gradient(
    ...     gradient, weights, (1, 1, 20, 30), descriptor)
    >>> result.chunksize, float(result.mean())
    ((1, 1, 10, 10), 4.0)
    """
    label = name or "convolution_transpose_2d_data_gradient"
    descriptor = forward_convolution_descriptor
    check_array(label, "incoming_gradient", incoming_gradient)
    plan = ConvolutionTranspose2DDataGradientPlan(
        incoming_gradient.shape,
        weights,
        output_shape,
        descriptor,
        label,
        strict=strict,
        algorithm=algorithm,
    )
    check_dtype(label, "incoming_gradient", incoming_gradient, plan.dtype)
    sized = sized_axes(label, descriptor, output_shape, weights.shape, incoming_gradient.shape)
    _, _, *spatial = POSITIONS[descriptor.data_layout]
    if chunks is None:
        heights, widths = (
            follow(incoming_gradient.chunks[at], source, Fraction(1, axis.stride))
            for at, (axis, source, _) in zip(spatial, sized, strict=True)
        )
    else:
        heights, widths = normalized(chunks, sized, 1, incoming_gradient.dtype)
    rows, columns = (
        output_windows(size, axis, whole)
        for size, (axis, _, whole) in zip((heights, widths), sized, strict=True)
    )
    block = ResultBlock(
        descriptor,
        rows,
        columns,
        label,
        strict,
        threads,
        plan.algorithm,
        operations.convolution_transpose_2d_data_gradient,
        heights,
        widths,
        index(output_shape[POSITIONS[descriptor.data_layout][1]]),
    )
    return result(block, incoming_gradient, weights)


def convolution_transpose_2d_weights_gradient(
    incoming_gradient: DaskArray,
    source: DaskArray,
    output_shape: Shape,
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    strict: bool = True,
    threads: int = 1,
    algorithm: Algorithm = Algorithm.AUTO,
) -> DaskArray:
    """Gradient of `convolution_transpose_2d` with respect to its weights, as a Dask array.

    Parameters
    ----------
    incoming_gradient : dask.array.Array, shape of the transposed convolution's result
    source : dask.array.Array
        The transposed convolution's source. The work is divided as it is.
    output_shape : sequence of 4 int
        The weights' shape, in the weights layout.
    forward_convolution_descriptor : Convolution2DOpDescriptor
    name, strict, algorithm
        See `convtranspose.operations`.
    threads
        See `convtranspose.dask`.

    Returns
    -------
    dask.array.Array, shape `output_shape`
        In one chunk.

    Raises
    ------
    ValueError, TypeError
        As `convtranspose.convolution_transpose_2d_weights_gradient`, when called.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> import convtranspose as ct
    >>> import convtranspose.dask
    >>> source = da.ones((1, 1, 20, 30), chunks=(1, 1, 7, 11), dtype=np.float32)
    >>> gradient = da.ones((1, 1, 40, 60), chunks=(1, 1, 40, 10), dtype=np.float32)
    >>> descriptor = ct.Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2)
    >>> convtranspose.dask.convolution_transpose_2d_weights_gradient(
    ...     gradient, source, (1, 1, 2, 2), descriptor).compute()
    array([[[[600., 600.],
             [600., 600.]]]], dtype=float32)
    """
    label = name or "convolution_transpose_2d_weights_gradient"
    descriptor = forward_convolution_descriptor
    check_array(label, "incoming_gradient", incoming_gradient)
    check_array(label, "source", source)
    plan = ConvolutionTranspose2DWeightsGradientPlan(
        incoming_gradient.shape,
        source.shape,
        output_shape,
        descriptor,
        label,
        dtype=source.dtype,
        strict=strict,
        algorithm=algorithm,
    )
    check_dtype(label, "incoming_gradient", incoming_gradient, plan.dtype)
    weights_shape = tuple(index(size) for size in output_shape)
    sized = sized_axes(label, descriptor, source.shape, weights_shape, incoming_gradient.shape)
    batch, channels, *spatial = POSITIONS[descriptor.data_layout]
    source = source.rechunk({channels: -1}, method="tasks")
    rows, columns = (
        output_windows(source.chunks[at], axis, whole)
        for at, (axis, _, whole) in zip(spatial, sized, strict=True)
    )
    gradient = incoming_gradient.rechunk(
        {batch: source.chunks[batch], channels: -1}, method="tasks"
    )
    gradient = windowed(windowed(gradient, spatial[0], rows), spatial[1], columns)
    block = WeightsGradientBlock(
        descriptor, rows, columns, label, strict, threads, plan.algorithm, weights_shape
    )
    axes = "ncyx" if descriptor.data_layout == TensorNamedDataLayout.NCHW else "nyxc"
    partials = da.blockwise(
        block,
        axes + "oijk",
        source,
        axes,
        gradient,
        axes,
        # Its place, which tells a block its windows: blockwise does not.
        *(da.arange(len(rows), chunks=1), "y"),
        *(da.arange(len(columns), chunks=1), "x"),
        new_axes=dict(zip("oijk", weights_shape, strict=True)),
        adjust_chunks=dict.fromkeys("ncyx", 1),
        align_arrays=False,
        dtype=np.float64,
        meta=np.empty((0,) * 8, np.float64),
    )
    return partials.sum(axis=(0, 1, 2, 3)).astype(plan.dtype)
