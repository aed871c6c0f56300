# SPDX-License-Identifier: MIT
"""The transposed convolution and its gradients; `convtranspose.convolution` has the convolution.

Names, their order and their meaning are MPSGraph's; the keyword-only parameters are ours and mean
the same everywhere:

out : ndarray, optional
    Where to put the result: a writable array of its shape and dtype, with any strides, that
    overlaps no input. It is what is returned.
strict : bool, default True
    Refuse sizes that no forward convolution relates. ``False`` does what MPSGraph was seen to do:
    crop or zero-fill at the trailing end.
threads : int, optional
    At most so many threads; by default `get_num_threads`. The result does not depend on it.
algorithm : Algorithm, default AUTO
    Anything but ``AUTO`` is used, or refused with a ValueError. ``WINOGRAD`` implies fast math.
fast_math : bool or "aggressive", optional
    The counterpart of MPSGraph's ``reducedPrecisionFastMath``; by default `get_fast_math`, which is
    False unless set. ``True`` allows Winograd's minimal filtering where it is faster: it may change
    the rounding of sums (errors stay those of an ordinary float32 sum, about), and NaN or infinity
    may spread over the few pixels a side that are computed with them. It never changes shapes or
    sums of small whole numbers, nor do threads, runs or the values of other batch items change the
    result; but the size of the batch may decide which algorithm is the faster one.
    ``"aggressive"`` allows larger tiles, whose errors are some ten times as large, also for whole
    numbers. ``docs/accuracy.md`` has the distributions.

Arrays are float32, float64, float16 or (with ``ml_dtypes``) bfloat16, all of one dtype, with any
strides; they are read where they lie. Sums are kept in float32 (float64 for float64) and rounded
once.
"""

from . import _core
from ._core import Algorithm, Convolution2DOpDescriptor
from .typing import Array, ArrayLike, FastMath, Shape

_AUTO = Algorithm.AUTO


def convolution_transpose_2d(
    source: ArrayLike,
    weights: ArrayLike,
    output_shape: Shape,
    descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    out: Array | None = None,
    strict: bool = True,
    threads: int | None = None,
    algorithm: Algorithm = _AUTO,
    fast_math: FastMath | None = None,
) -> Array:
    """Transposed convolution: MPSGraph's ``convolutionTranspose2D``.

    Every source element adds the whole kernel, times its value, to the result:
    ``result[n, i, y*s + ky*d - top, x*s + kx*d - left] += source[n, o, y, x] * weights[o, i, ky, kx]``
    The kernel is not flipped.

    Parameters
    ----------
    source : array, shape (N, O, h, w), or (N, h, w, O) for NHWC
    weights : array, shape (O, I, kh, kw), or (kh, kw, I, O) for HWIO
        The names are the forward convolution's: O counts the *source's* channels.
    output_shape : sequence of 4 int
        The result's shape in the data layout: (N, I * groups, H, W) for NCHW, with
        ``(h - 1) * stride + (kh - 1) * dilation + 1 <= H + top + bottom <= the same + stride - 1``
        (``h = ceil(H / stride)`` for the SAME styles); likewise for the width.
    descriptor : Convolution2DOpDescriptor
    name : str, optional
        The operation's name: leads error messages.
    out, strict, threads, algorithm, fast_math
        See `convtranspose.operations`.

    Returns
    -------
    ndarray, shape `output_shape`
        Elements that no tap reaches are 0.

    Raises
    ------
    ValueError
        If shapes, descriptor and `output_shape` do not go together, or `out` does not fit.
    TypeError
        If an argument is no array, or of a dtype that is unsupported or not the other's.

    Examples
    --------
    >>> import numpy as np
    >>> from convtranspose import Convolution2DOpDescriptor, convolution_transpose_2d
    >>> source = np.float32([1, 2, 3]).reshape(1, 1, 1, 3)
    >>> weights = np.float32([1, 10, 100]).reshape(1, 1, 1, 3)
    >>> descriptor = Convolution2DOpDescriptor(stride_in_x=2)
    >>> convolution_transpose_2d(source, weights, (1, 1, 1, 7), descriptor)
    array([[[[  1.,  10., 102.,  20., 203.,  30., 300.]]]], dtype=float32)
    """
    return _core.convolution_transpose_2d(
        source,
        weights,
        output_shape,
        descriptor,
        name,
        out=out,
        strict=strict,
        threads=threads,
        algorithm=algorithm,
        fast_math=fast_math,
    )


def convolution_transpose_2d_data_gradient(
    incoming_gradient: ArrayLike,
    weights: ArrayLike,
    output_shape: Shape,
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    out: Array | None = None,
    strict: bool = True,
    threads: int | None = None,
    algorithm: Algorithm = _AUTO,
    fast_math: FastMath | None = None,
) -> Array:
    """Gradient of `convolution_transpose_2d` with respect to its source.

    Parameters
    ----------
    incoming_gradient : array, shape of the transposed convolution's result
    weights : array, shape (O, I, kh, kw), or (kh, kw, I, O) for HWIO
    output_shape : sequence of 4 int
        The shape of the transposed convolution's source.
    forward_convolution_descriptor : Convolution2DOpDescriptor
        The same one that the transposed convolution was given.
    name, out, strict, threads, algorithm, fast_math
        See `convtranspose.operations`.

    Returns
    -------
    ndarray, shape `output_shape`

    Raises
    ------
    ValueError, TypeError
        As `convolution_transpose_2d`.

    Examples
    --------
    >>> import numpy as np
    >>> import convtranspose as ct
    >>> gradient = np.ones((1, 1, 1, 7), np.float32)
    >>> weights = np.float32([1, 10, 100]).reshape(1, 1, 1, 3)
    >>> descriptor = ct.Convolution2DOpDescriptor(stride_in_x=2)
    >>> ct.convolution_transpose_2d_data_gradient(gradient, weights, (1, 1, 1, 3), descriptor)
    array([[[[111., 111., 111.]]]], dtype=float32)
    """
    return _core.convolution_transpose_2d_data_gradient(
        incoming_gradient,
        weights,
        output_shape,
        forward_convolution_descriptor,
        name,
        out=out,
        strict=strict,
        threads=threads,
        algorithm=algorithm,
        fast_math=fast_math,
    )


def convolution_transpose_2d_weights_gradient(
    incoming_gradient: ArrayLike,
    source: ArrayLike,
    output_shape: Shape,
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    out: Array | None = None,
    strict: bool = True,
    threads: int | None = None,
    algorithm: Algorithm = _AUTO,
    fast_math: FastMath | None = None,
) -> Array:
    """Gradient of `convolution_transpose_2d` with respect to its weights.

    Parameters
    ----------
    incoming_gradient : array, shape of the transposed convolution's result
    source : array, shape (N, O, h, w), or (N, h, w, O) for NHWC
        The transposed convolution's source.
    output_shape : sequence of 4 int
        The weights' shape, in the weights layout.
    forward_convolution_descriptor : Convolution2DOpDescriptor
        The same one that the transposed convolution was given.
    name, out, strict, threads, algorithm, fast_math
        See `convtranspose.operations`.

    Returns
    -------
    ndarray, shape `output_shape`

    Raises
    ------
    ValueError, TypeError
        As `convolution_transpose_2d`.

    Examples
    --------
    >>> import numpy as np
    >>> import convtranspose as ct
    >>> gradient = np.arange(7, dtype=np.float32).reshape(1, 1, 1, 7)
    >>> source = np.float32([1, 2, 3]).reshape(1, 1, 1, 3)
    >>> descriptor = ct.Convolution2DOpDescriptor(stride_in_x=2)
    >>> ct.convolution_transpose_2d_weights_gradient(gradient, source, (1, 1, 1, 3), descriptor)
    array([[[[16., 22., 28.]]]], dtype=float32)
    """
    return _core.convolution_transpose_2d_weights_gradient(
        incoming_gradient,
        source,
        output_shape,
        forward_convolution_descriptor,
        name,
        out=out,
        strict=strict,
        threads=threads,
        algorithm=algorithm,
        fast_math=fast_math,
    )


def output_shape_range(
    source_shape: Shape, weights_shape: Shape, descriptor: Convolution2DOpDescriptor
) -> tuple[tuple[int, int, int, int], tuple[int, int, int, int]]:
    """Smallest and largest result shape that `convolution_transpose_2d` accepts.

    Parameters
    ----------
    source_shape : sequence of 4 int
        In the data layout.
    weights_shape : sequence of 4 int
        In the weights layout.
    descriptor : Convolution2DOpDescriptor

    Returns
    -------
    smallest, largest : tuple of 4 int
        In the data layout. Sizes between them are accepted too.

    Raises
    ------
    ValueError
        As `convolution_transpose_2d`, and if the paddings leave no result at all.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor, output_shape_range
    >>> descriptor = Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2)
    >>> output_shape_range((1, 8, 10, 10), (8, 3, 3, 3), descriptor)
    ((1, 3, 21, 21), (1, 3, 22, 22))
    """
    return _core.output_shape_range(source_shape, weights_shape, descriptor)
