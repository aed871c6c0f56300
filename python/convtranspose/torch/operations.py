# SPDX-License-Identifier: MIT
"""MPSGraph's operations on tensors: those of `convtranspose.operations`, differentiable.

Parameters and errors are the same, and in messages shapes are (N, C, H, W) and (O, I, kh, kw).
Tensors are float32, float64, float16 or bfloat16, all of one dtype, on the CPU (a RuntimeError
otherwise); with ``data_layout`` NHWC their logical shape is (N, H, W, C).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from .. import Convolution2DOpDescriptor
from ..typing import FastMath
from . import library
from .checks import check_on_cpu
from .layouts import Layouts, convolved_shape


def convolution_transpose_2d(
    source: torch.Tensor,
    weights: torch.Tensor,
    output_shape: Sequence[int],
    descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    strict: bool = True,
    fast_math: FastMath | None = None,
) -> torch.Tensor:
    """Transposed convolution: `convtranspose.convolution_transpose_2d`.

    Parameters
    ----------
    source : Tensor, shape (N, O, h, w), or (N, h, w, O) for NHWC
    weights : Tensor, shape (O, I, kh, kw), or (kh, kw, I, O) for HWIO
    output_shape : sequence of 4 int
        The result's shape in the data layout.
    descriptor : Convolution2DOpDescriptor
    name : str, optional
        Leads error messages.
    strict : bool, default True
    fast_math : bool or "aggressive", optional
        See `convtranspose.operations`; gradients are computed with the same.

    Returns
    -------
    Tensor, shape `output_shape`

    Raises
    ------
    ValueError, TypeError, RuntimeError
        See `convtranspose.torch.operations`.

    Examples
    --------
    >>> import torch
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> from convtranspose.torch import convolution_transpose_2d
    >>> source = torch.tensor([1.0, 2, 3]).reshape(1, 1, 1, 3).requires_grad_()
    >>> weights = torch.tensor([1.0, 10, 100]).reshape(1, 1, 1, 3)
    >>> descriptor = Convolution2DOpDescriptor(stride_in_x=2)
    >>> result = convolution_transpose_2d(source, weights, (1, 1, 1, 7), descriptor)
    >>> result.tolist()
    [[[[1.0, 10.0, 102.0, 20.0, 203.0, 30.0, 300.0]]]]
    >>> result.sum().backward()
    >>> source.grad.tolist()
    [[[[111.0, 111.0, 111.0]]]]
    """
    name = name or "convolution_transpose_2d"
    check_on_cpu(name, source=source, weights=weights)
    layouts, fields = Layouts.of(descriptor)
    result = library.forward(
        layouts.planes(source),
        layouts.canonical_weights(weights),
        None,
        layouts.planar_shape(output_shape),
        fields,
        strict,
        name,
        library.fast_math_index(name, fast_math),
        0,
    )
    return layouts.data(result)


def convolution_transpose_2d_data_gradient(
    incoming_gradient: torch.Tensor,
    weights: torch.Tensor,
    output_shape: Sequence[int],
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    strict: bool = True,
    fast_math: FastMath | None = None,
) -> torch.Tensor:
    """Gradient of `convolution_transpose_2d` with respect to its source.

    Parameters
    ----------
    incoming_gradient : Tensor, shape of the transposed convolution's result
    weights : Tensor, shape (O, I, kh, kw), or (kh, kw, I, O) for HWIO
    output_shape : sequence of 4 int
        The shape of the transposed convolution's source.
    forward_convolution_descriptor : Convolution2DOpDescriptor
        The same one that the transposed convolution was given.
    name : str, optional
    strict : bool, default True
    fast_math : bool or "aggressive", optional
        See `convtranspose.operations`; gradients are computed with the same.

    Returns
    -------
    Tensor, shape `output_shape`

    Raises
    ------
    ValueError, TypeError, RuntimeError
        See `convtranspose.torch.operations`.

    Examples
    --------
    >>> import torch
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> from convtranspose.torch import convolution_transpose_2d_data_gradient
    >>> gradient = torch.ones(1, 1, 1, 7)
    >>> weights = torch.tensor([1.0, 10, 100]).reshape(1, 1, 1, 3)
    >>> descriptor = Convolution2DOpDescriptor(stride_in_x=2)
    >>> convolution_transpose_2d_data_gradient(gradient, weights, (1, 1, 1, 3), descriptor)
    tensor([[[[111., 111., 111.]]]])
    """
    name = name or "convolution_transpose_2d_data_gradient"
    check_on_cpu(name, incoming_gradient=incoming_gradient, weights=weights)
    layouts, fields = Layouts.of(forward_convolution_descriptor)
    result = library.data_gradient(
        layouts.planes(incoming_gradient),
        layouts.canonical_weights(weights),
        layouts.planar_shape(output_shape),
        fields,
        strict,
        name,
        library.fast_math_index(name, fast_math),
    )
    return layouts.data(result)


def convolution_transpose_2d_weights_gradient(
    incoming_gradient: torch.Tensor,
    source: torch.Tensor,
    output_shape: Sequence[int],
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    strict: bool = True,
    fast_math: FastMath | None = None,
) -> torch.Tensor:
    """Gradient of `convolution_transpose_2d` with respect to its weights.

    Parameters
    ----------
    incoming_gradient : Tensor, shape of the transposed convolution's result
    source : Tensor, shape (N, O, h, w), or (N, h, w, O) for NHWC
    output_shape : sequence of 4 int
        The weights' shape, in the weights layout.
    forward_convolution_descriptor : Convolution2DOpDescriptor
        The same one that the transposed convolution was given.
    name : str, optional
    strict : bool, default True
    fast_math : bool or "aggressive", optional
        See `convtranspose.operations`; gradients are computed with the same.

    Returns
    -------
    Tensor, shape `output_shape`

    Raises
    ------
    ValueError, TypeError, RuntimeError
        See `convtranspose.torch.operations`.

    Examples
    --------
    >>> import torch
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> from convtranspose.torch import convolution_transpose_2d_weights_gradient
    >>> gradient = torch.arange(7.0).reshape(1, 1, 1, 7)
    >>> source = torch.tensor([1.0, 2, 3]).reshape(1, 1, 1, 3)
    >>> descriptor = Convolution2DOpDescriptor(stride_in_x=2)
    >>> convolution_transpose_2d_weights_gradient(gradient, source, (1, 1, 1, 3), descriptor)
    tensor([[[[16., 22., 28.]]]])
    """
    name = name or "convolution_transpose_2d_weights_gradient"
    check_on_cpu(name, incoming_gradient=incoming_gradient, source=source)
    layouts, fields = Layouts.of(forward_convolution_descriptor)
    result = library.weights_gradient(
        layouts.planes(incoming_gradient),
        layouts.planes(source),
        layouts.canonical_weights_shape(output_shape),
        fields,
        strict,
        name,
        library.fast_math_index(name, fast_math),
    )
    return layouts.weights(result)


def convolution_2d(
    source: torch.Tensor,
    weights: torch.Tensor,
    descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    fast_math: FastMath | None = None,
) -> torch.Tensor:
    """Convolution: `convtranspose.convolution_2d`, which is a transposed one's data gradient.

    Parameters
    ----------
    source : Tensor, shape (N, I * groups, H, W), or (N, H, W, I * groups) for NHWC
    weights : Tensor, shape (O, I, kh, kw), or (kh, kw, I, O) for HWIO
    descriptor : Convolution2DOpDescriptor
    name : str, optional
    fast_math : bool or "aggressive", optional

    Returns
    -------
    Tensor, shape (N, O, h, w), or (N, h, w, O) for NHWC

    Raises
    ------
    ValueError, TypeError, RuntimeError
        See `convtranspose.torch.operations`.

    Examples
    --------
    >>> import torch
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> from convtranspose.torch import convolution_2d
    >>> source = torch.arange(5.0).reshape(1, 1, 1, 5)
    >>> weights = torch.tensor([1.0, 10, 100]).reshape(1, 1, 1, 3)
    >>> convolution_2d(source, weights, Convolution2DOpDescriptor(stride_in_x=2))
    tensor([[[[210., 432.]]]])
    """
    name = name or "convolution_2d"
    check_on_cpu(name, source=source, weights=weights)
    layouts, fields = Layouts.of(descriptor)
    planes, canonical = layouts.planes(source), layouts.canonical_weights(weights)
    library.check(name, source=planes, weights=canonical)
    shape = convolved_shape(name, planes, canonical, fields)
    level = library.fast_math_index(name, fast_math)
    return layouts.data(library.data_gradient(planes, canonical, shape, fields, True, name, level))
