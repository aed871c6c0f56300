# SPDX-License-Identifier: MIT
"""The convolution and its gradients: the transposed operations seen from the other side.

The keyword-only parameters are those of `convtranspose.operations`.
"""

from . import _core
from ._core import Algorithm, Convolution2DOpDescriptor
from .typing import Array, ArrayLike, FastMath, Shape

_AUTO = Algorithm.AUTO


def convolution_2d(
    source: ArrayLike,
    weights: ArrayLike,
    descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    out: Array | None = None,
    strict: bool = True,
    threads: int | None = None,
    algorithm: Algorithm = _AUTO,
    fast_math: FastMath | None = None,
) -> Array:
    """Convolution: MPSGraph's ``convolution2D``.

    ``result[n, o, y, x] = sum source[n, i, y*s + ky*d - top, x*s + kx*d - left] * weights[o, i, ky, kx]``
    with zeros outside the source.

    Parameters
    ----------
    source : array, shape (N, I * groups, H, W), or (N, H, W, I * groups) for NHWC
    weights : array, shape (O, I, kh, kw), or (kh, kw, I, O) for HWIO
    descriptor : Convolution2DOpDescriptor
    name, out, strict, threads, algorithm, fast_math
        See `convtranspose.operations`.

    Returns
    -------
    ndarray, shape (N, O, h, w), or (N, h, w, O) for NHWC
        ``h = floor((H + top + bottom - (kh - 1) * dilation - 1) / stride) + 1``, or
        ``ceil(H / stride)`` for the SAME styles.

    Raises
    ------
    ValueError, TypeError
        As `convolution_transpose_2d`.

    Examples
    --------
    >>> import numpy as np
    >>> from convtranspose import Convolution2DOpDescriptor, convolution_2d
    >>> source = np.arange(5, dtype=np.float32).reshape(1, 1, 1, 5)
    >>> weights = np.float32([1, 10, 100]).reshape(1, 1, 1, 3)
    >>> convolution_2d(source, weights, Convolution2DOpDescriptor(stride_in_x=2))
    array([[[[210., 432.]]]], dtype=float32)
    """
    return _core.convolution_2d(
        source,
        weights,
        descriptor,
        name,
        out=out,
        strict=strict,
        threads=threads,
        algorithm=algorithm,
        fast_math=fast_math,
    )


def convolution_2d_data_gradient(
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
    """Gradient of `convolution_2d` with respect to its source.

    The arithmetic is `convolution_transpose_2d`'s.

    Parameters
    ----------
    incoming_gradient : array, shape of the convolution's result
    weights : array, shape (O, I, kh, kw), or (kh, kw, I, O) for HWIO
    output_shape : sequence of 4 int
        The shape of the convolution's source.
    forward_convolution_descriptor : Convolution2DOpDescriptor
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
    >>> from convtranspose import Convolution2DOpDescriptor, convolution_2d_data_gradient
    >>> gradient = np.float32([1, 2]).reshape(1, 1, 1, 2)
    >>> weights = np.float32([1, 10, 100]).reshape(1, 1, 1, 3)
    >>> descriptor = Convolution2DOpDescriptor(stride_in_x=2)
    >>> convolution_2d_data_gradient(gradient, weights, (1, 1, 1, 5), descriptor)
    array([[[[  1.,  10., 102.,  20., 200.]]]], dtype=float32)
    """
    return _core.convolution_2d_data_gradient(
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


def convolution_2d_weights_gradient(
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
    """Gradient of `convolution_2d` with respect to its weights.

    Parameters
    ----------
    incoming_gradient : array, shape of the convolution's result
    source : array, shape (N, I * groups, H, W), or (N, H, W, I * groups) for NHWC
    output_shape : sequence of 4 int
        The weights' shape, in the weights layout.
    forward_convolution_descriptor : Convolution2DOpDescriptor
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
    >>> from convtranspose import Convolution2DOpDescriptor, convolution_2d_weights_gradient
    >>> gradient = np.float32([1, 2]).reshape(1, 1, 1, 2)
    >>> source = np.arange(5, dtype=np.float32).reshape(1, 1, 1, 5)
    >>> descriptor = Convolution2DOpDescriptor(stride_in_x=2)
    >>> convolution_2d_weights_gradient(gradient, source, (1, 1, 1, 3), descriptor)
    array([[[[ 4.,  7., 10.]]]], dtype=float32)
    """
    return _core.convolution_2d_weights_gradient(
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
