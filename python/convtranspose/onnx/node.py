# SPDX-License-Identifier: MIT
"""One ConvTranspose node, in one or two dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core import ConvolutionTranspose2DPlan
from ..converters.onnx import OPSET, resolve
from ..typing import Array

# The operator set from which a type is allowed.
_TYPES = {"float16": 1, "float32": 1, "float64": 1, "bfloat16": 22}


def conv_transpose(
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    output_padding: Sequence[int] | None = None,
    output_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    opset: int = OPSET,
    name: str | None = None,
    threads: int | None = None,
) -> Array:
    """ONNX's ConvTranspose.

    Parameters
    ----------
    x : array, shape (N, C, L) or (N, C, H, W)
    w : array, shape (C, M / group, kL) or (C, M / group, kH, kW)
    b : array, shape (M,), optional
    auto_pad, dilations, group, kernel_shape, output_padding, output_shape, pads, strides
        The operator's attributes.
    opset : int, default 22
        The operator set's version, whose rules are applied.
    name : str, optional
        The node's name: leads error messages.
    threads : int, optional
        At most so many threads.

    Returns
    -------
    ndarray, shape (N, M, ...)

    Raises
    ------
    ValueError
        If the attributes or shapes are not valid by the operator's specification, or the node has
        other than one or two dimensions.
    TypeError
        If an input is of a type that the operator does not take, or not of the others'.

    Examples
    --------
    >>> import numpy as np
    >>> from convtranspose.onnx import conv_transpose
    >>> x = np.float32([1, 2, 3]).reshape(1, 1, 3)
    >>> w = np.float32([1, 10, 100]).reshape(1, 1, 3)
    >>> conv_transpose(x, w, strides=[2], auto_pad="SAME_UPPER")
    array([[[  1.,  10., 102.,  20., 203.,  30.]]], dtype=float32)
    """
    label = name or "conv_transpose"
    _check_inputs(label, x, w, b, opset)
    attributes = {
        "auto_pad": auto_pad,
        "dilations": dilations,
        "group": group,
        "kernel_shape": kernel_shape,
        "output_padding": output_padding,
        "output_shape": output_shape,
        "pads": pads,
        "strides": strides,
    }
    descriptor, sizes = resolve(label, attributes, x.shape, w.shape, opset)
    result_shape = (x.shape[0], w.shape[1] * group, *(int(size or 0) for size in sizes))
    if b is not None and b.shape != (result_shape[1],):
        raise ValueError(f"{label}: b: expected shape {(result_shape[1],)}, got {b.shape}")
    # One dimension is two with a height of 1; no array is copied.
    x, w = (array[:, :, np.newaxis] if array.ndim == 3 else array for array in (x, w))
    shape = result_shape if len(sizes) == 2 else (*result_shape[:2], 1, *result_shape[2:])
    # The rules above decide what is valid: ONNX also allows an output_padding up to the dilation.
    plan = ConvolutionTranspose2DPlan(
        x.shape, w, shape, descriptor, label, bias=b, threads=threads, strict=False
    )
    return plan(x).reshape(result_shape)


def _check_inputs(label: str, x: Any, w: Any, b: Any, opset: int) -> None:
    for letter, array in (("x", x), ("w", w), ("b", b)):
        if array is None and letter == "b":
            continue
        if not isinstance(array, np.ndarray):
            raise TypeError(
                f"{label}: {letter}: expected a numpy array, got {type(array).__name__}"
            )
        if _TYPES.get(array.dtype.name, opset + 1) > opset:
            allowed = ", ".join(dtype for dtype, since in _TYPES.items() if since <= opset)
            raise TypeError(
                f"{label}: {letter}: expected one of {allowed} in operator set {opset}, got "
                f"{array.dtype}"
            )
        if array.dtype != x.dtype:
            raise TypeError(f"{label}: {letter}: expected {x.dtype} as x, got {array.dtype}")
    if x.ndim not in (3, 4) or w.ndim != x.ndim:
        raise ValueError(
            f"{label}: expected x and w of 3 axes both, or 4, got shapes {x.shape} and {w.shape}"
        )
