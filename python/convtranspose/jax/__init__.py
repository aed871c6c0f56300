# SPDX-License-Identifier: MIT
"""The six operations for JAX, on the CPU: under ``jit``, ``grad``, ``vmap`` and ``shard_map``.

Names, arguments and errors are those of the functions of `convtranspose`; arrays are JAX's, of
float32, float64 (with ``jax_enable_x64``), float16 or bfloat16. Shapes are checked when a function
is traced. All derivatives exist, of any order, forward and reverse.

``backend`` is ``"ffi"`` (XLA calls the library itself) or ``"callback"`` (through Python, which is
also how other platforms reach it); by default the environment variable
``CONVTRANSPOSE_JAX_BACKEND``, else the first one that the installation has. JAX calls back from
threads of its own, so float64 needs ``jax_enable_x64`` to be set for all of them.

Work on several devices is cut by ``jax.shard_map``, along the batch: then nothing is communicated
but the sum of the weights' gradient, which JAX adds itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

try:
    import jax
except ImportError as error:
    raise ImportError(
        "convtranspose.jax: expected jax, `pip install convtranspose[jax]`"
    ) from error

from .. import _core
from .._core import Convolution2DOpDescriptor
from ..typing import Shape
from .backends import choose, pack
from .primitives import DATA_GRADIENT, FORWARD, WEIGHTS_GRADIENT, bind

if TYPE_CHECKING:
    from typing import TypeAlias

    JaxArray: TypeAlias = jax.Array

__all__ = [
    "convolution_2d",
    "convolution_2d_data_gradient",
    "convolution_2d_weights_gradient",
    "convolution_transpose_2d",
    "convolution_transpose_2d_data_gradient",
    "convolution_transpose_2d_weights_gradient",
]

_DTYPES = ("float32", "float64", "float16", "bfloat16")


def convolution_transpose_2d(
    source: JaxArray,
    weights: JaxArray,
    output_shape: Shape,
    descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    strict: bool = True,
    backend: str | None = None,
) -> JaxArray:
    """Transposed convolution; see `convtranspose.convolution_transpose_2d`.

    Parameters
    ----------
    source : jax.Array, shape (N, O, h, w), or (N, h, w, O) for NHWC
    weights : jax.Array, shape (O, I, kh, kw), or (kh, kw, I, O) for HWIO
    output_shape : sequence of 4 int
    descriptor : Convolution2DOpDescriptor
    name : str, optional
        Leads error messages.
    strict : bool, default True
    backend : {"ffi", "callback"}, optional

    Returns
    -------
    jax.Array, shape `output_shape`

    Raises
    ------
    ValueError, TypeError
        As the function of `convtranspose`, when it is traced.

    Examples
    --------
    >>> import jax, jax.numpy as jnp
    >>> import convtranspose as ct
    >>> from convtranspose.jax import convolution_transpose_2d
    >>> descriptor = ct.Convolution2DOpDescriptor(stride_in_x=2)
    >>> def total(source, weights):
    ...     return convolution_transpose_2d(source, weights, (1, 1, 1, 7), descriptor).sum()
    >>> source = jnp.array([1.0, 2.0, 3.0]).reshape(1, 1, 1, 3)
    >>> weights = jnp.array([1.0, 10.0, 100.0]).reshape(1, 1, 1, 3)
    >>> jax.jit(jax.grad(total))(source, weights)
    Array([[[[111., 111., 111.]]]], dtype=float32)
    """
    operands = {"source": source, "weights": weights}
    own = "convolution_transpose_2d"
    return _apply(own, FORWARD, operands, output_shape, descriptor, name, strict, backend)


def convolution_transpose_2d_data_gradient(
    incoming_gradient: JaxArray,
    weights: JaxArray,
    output_shape: Shape,
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    strict: bool = True,
    backend: str | None = None,
) -> JaxArray:
    """See `convtranspose.convolution_transpose_2d_data_gradient`."""
    operands = {"incoming_gradient": incoming_gradient, "weights": weights}
    own, descriptor = "convolution_transpose_2d_data_gradient", forward_convolution_descriptor
    return _apply(own, DATA_GRADIENT, operands, output_shape, descriptor, name, strict, backend)


def convolution_transpose_2d_weights_gradient(
    incoming_gradient: JaxArray,
    source: JaxArray,
    output_shape: Shape,
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    strict: bool = True,
    backend: str | None = None,
) -> JaxArray:
    """See `convtranspose.convolution_transpose_2d_weights_gradient`."""
    operands = {"incoming_gradient": incoming_gradient, "source": source}
    own, descriptor = "convolution_transpose_2d_weights_gradient", forward_convolution_descriptor
    return _apply(own, WEIGHTS_GRADIENT, operands, output_shape, descriptor, name, strict, backend)


def convolution_2d(
    source: JaxArray,
    weights: JaxArray,
    descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    strict: bool = True,
    backend: str | None = None,
) -> JaxArray:
    """See `convtranspose.convolution_2d`."""
    operands = {"source": source, "weights": weights}
    own = "convolution_2d"
    return _apply(own, DATA_GRADIENT, operands, None, descriptor, name, strict, backend)


def convolution_2d_data_gradient(
    incoming_gradient: JaxArray,
    weights: JaxArray,
    output_shape: Shape,
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    strict: bool = True,
    backend: str | None = None,
) -> JaxArray:
    """See `convtranspose.convolution_2d_data_gradient`."""
    operands = {"incoming_gradient": incoming_gradient, "weights": weights}
    own, descriptor = "convolution_2d_data_gradient", forward_convolution_descriptor
    return _apply(own, FORWARD, operands, output_shape, descriptor, name, strict, backend)


def convolution_2d_weights_gradient(
    incoming_gradient: JaxArray,
    source: JaxArray,
    output_shape: Shape,
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    strict: bool = True,
    backend: str | None = None,
) -> JaxArray:
    """See `convtranspose.convolution_2d_weights_gradient`."""
    operands = {"incoming_gradient": incoming_gradient, "source": source}
    own, descriptor = "convolution_2d_weights_gradient", forward_convolution_descriptor
    return _apply(own, WEIGHTS_GRADIENT, operands, output_shape, descriptor, name, strict, backend)


def _apply(
    function: str,
    operation: str,
    operands: dict[str, Any],
    output_shape: Shape | None,
    descriptor: Convolution2DOpDescriptor,
    name: str | None,
    strict: bool,
    backend: str | None,
) -> Any:
    label = name or function
    names, (first, second) = list(operands), _arrays(label, operands)
    if first.dtype != second.dtype:
        raise TypeError(
            f"{label}: {names[1]}: expected the dtype of {names[0]}, {first.dtype}, got "
            f"{second.dtype}"
        )
    shape = _core.result_shape(
        function, first.shape, second.shape, output_shape, descriptor, name, strict=strict
    )
    if function == "convolution_2d_weights_gradient":  # the roles of the operands are exchanged
        first, second = second, first
    parameters = {"output_shape": shape, "descriptor": pack(descriptor), "strict": strict}
    return bind(operation, first, second, backend=choose(backend), **parameters)


def _arrays(label: str, operands: dict[str, Any]) -> list[Any]:
    arrays = []
    for argument, value in operands.items():
        if not hasattr(value, "shape") or not hasattr(value, "dtype"):
            raise TypeError(f"{label}: {argument}: expected an array, got {type(value).__name__}")
        if str(value.dtype) not in _DTYPES:
            raise TypeError(
                f"{label}: {argument}: expected dtype float32, float64, float16 or bfloat16, got "
                f"{value.dtype}"
            )
        arrays.append(jax.numpy.asarray(value))
    return arrays
