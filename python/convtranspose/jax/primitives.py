# SPDX-License-Identifier: MIT
"""The operation and its two gradients as JAX primitives.

All three are linear in both operands and are each other's transposes. Saying just that lets JAX
derive everything: forward and reverse mode, of any order. (``custom_vjp`` would know the reverse
mode alone.)
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from .backends import call_back, call_ffi

FORWARD = "convolution_transpose_2d"
DATA_GRADIENT = "convolution_transpose_2d_data_gradient"
WEIGHTS_GRADIENT = "convolution_transpose_2d_weights_gradient"

# Operands in the order of the functions; x is the source, w the weights, g the result's gradient.
_OPERANDS = {FORWARD: "xw", DATA_GRADIENT: "gw", WEIGHTS_GRADIENT: "gx"}
_COMPUTES = {"g": FORWARD, "x": DATA_GRADIENT, "w": WEIGHTS_GRADIENT}


def bind(operation: str, first: Any, second: Any, **parameters: Any) -> Any:
    """Apply a primitive; the operands may vary over different axes of a `shard_map`."""
    first, second = _varying_alike(first, second)
    return _PRIMITIVES[operation].bind(first, second, **parameters)


def _varying_alike(first: Any, second: Any) -> tuple[Any, Any]:
    """Let both vary over the axes of either, so that JAX sums the gradient of what did not."""
    own = _varying(first), _varying(second)
    missing = own[1] - own[0], own[0] - own[1]
    first, second = (
        jax.lax.pcast(x, tuple(sorted(axes)), to="varying") if axes else x
        for x, axes in zip((first, second), missing, strict=True)
    )
    return first, second


def _varying(x: Any) -> frozenset[str]:
    """The axes of a `shard_map` along which shards of the array may differ."""
    kind = jax.typeof(x)
    axes: frozenset[str] = (
        kind.manual_axis_type.varying if hasattr(kind, "manual_axis_type") else kind.vma
    )
    return axes


def _transpose(operation: str, operand: int, cotangent: Any, *pair: Any, **parameters: Any) -> Any:
    """Gradient with respect to one operand: the operation whose operands are the other two."""
    result = {FORWARD: "g", DATA_GRADIENT: "x", WEIGHTS_GRADIENT: "w"}[operation]
    names = _OPERANDS[operation]
    known = {result: cotangent, names[1 - operand]: pair[1 - operand]}
    unknown = names[operand]
    other = _COMPUTES[unknown]
    parameters["output_shape"] = pair[operand].aval.shape
    return bind(other, *(known[name] for name in _OPERANDS[other]), **parameters)


def _abstract(first: Any, second: Any, *, output_shape: tuple[int, ...], **_: Any) -> Any:
    return first.update(shape=output_shape)


def _batch(
    operation: str, operands: Any, axes: Any, *, output_shape: tuple[int, ...], **parameters: Any
) -> tuple[Any, int]:
    first, second = operands
    if operation != WEIGHTS_GRADIENT and axes[1] is None:
        # Items of a batch never meet in these two, so one more batch axis is but a longer one.
        moved = jax.numpy.moveaxis(first, axes[0], 0)
        size = moved.shape[0]
        merged = moved.reshape(-1, *moved.shape[2:])
        shape = (size * output_shape[0], *output_shape[1:])
        result = bind(operation, merged, second, output_shape=shape, **parameters)
        return result.reshape(size, *output_shape), 0
    mapped = [
        jax.numpy.moveaxis(operand, axis, 0)
        for operand, axis in zip(operands, axes, strict=True)
        if axis is not None
    ]

    def one(items: list[Any]) -> Any:
        rest = iter(items)
        pair = (
            operand if axis is None else next(rest)
            for operand, axis in zip(operands, axes, strict=True)
        )
        return bind(operation, *pair, output_shape=output_shape, **parameters)

    return jax.lax.map(one, mapped), 0


def _lower(
    operation: str,
    on_cpu: bool,
    first: Any,
    second: Any,
    *,
    output_shape: tuple[int, ...],
    descriptor: tuple[int, ...],
    strict: bool,
    backend: str,
) -> Any:
    result = jax.ShapeDtypeStruct(output_shape, first.dtype)
    call = call_ffi if on_cpu and backend == "ffi" else call_back
    return call(operation, first, second, result, descriptor, strict)


def _define(operation: str) -> Primitive:
    primitive = Primitive(operation)

    @partial(jax.jit, static_argnames=("output_shape", "descriptor", "strict", "backend"))
    def at_once(first: Any, second: Any, **parameters: Any) -> Any:
        return primitive.bind(first, second, **parameters)

    primitive.def_impl(at_once)
    primitive.def_abstract_eval(_abstract)
    ad.defbilinear(primitive, *(partial(_transpose, operation, operand) for operand in (0, 1)))
    batching.primitive_batchers[primitive] = partial(_batch, operation)
    for platform, on_cpu in ((None, False), ("cpu", True)):
        rule = mlir.lower_fun(partial(_lower, operation, on_cpu), multiple_results=False)
        mlir.register_lowering(primitive, rule, platform=platform)
    return primitive


_PRIMITIVES = {operation: _define(operation) for operation in _OPERANDS}
