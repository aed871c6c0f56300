# SPDX-License-Identifier: MIT
"""The custom operators ``torch.ops.convtranspose``: kernels, shapes, derivatives, autocast.

They see NCHW and OIHW only; a tensor that lies in memory in another order comes with strides.
``descriptor`` holds the fields of a `Convolution2DOpDescriptor` in the order of `FIELDS`, ``fast_math``
a place in `FAST_MATH`, ``plans`` the number of a `PlanCache` or 0.
The three differentiate into one another, so derivatives of any order exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import torch

from .. import (
    Convolution2DOpDescriptor,
    ConvolutionTranspose2DPlan,
    PaddingStyle,
    _core,
)
from ..typing import FastMath
from .plan_cache import PlanCache
from .tensors import DTYPES, array_of, empty_result

FIELDS: Final = (
    "stride_in_x",
    "stride_in_y",
    "dilation_rate_in_x",
    "dilation_rate_in_y",
    "groups",
    "padding_left",
    "padding_right",
    "padding_top",
    "padding_bottom",
    "padding_style",
)

#: The levels of fast math, by what the operators know them as.
FAST_MATH: Final[tuple[FastMath | None, ...]] = (None, False, True, "aggressive")

_COMMON: Final = "SymInt[] output_shape, int[] descriptor, bool strict, str name, int fast_math"


def _operator(name: str, tensors: str, kernel: Callable[..., torch.Tensor], more: str = "") -> Any:
    return torch.library.custom_op(
        f"convtranspose::{name}",
        kernel,
        mutates_args=(),
        device_types="cpu",
        schema=f"({tensors}, {_COMMON}{more}) -> Tensor",
    )


@lru_cache(maxsize=256)
def _descriptor(fields: tuple[int, ...]) -> Convolution2DOpDescriptor:
    named: dict[str, Any] = dict(zip(FIELDS, fields, strict=True))
    named["padding_style"] = PaddingStyle(named["padding_style"])
    return Convolution2DOpDescriptor(**named)


def fast_math_index(name: str, level: FastMath | None) -> int:
    """Return the place of a level in `FAST_MATH`, or raise."""
    for index, known in enumerate(FAST_MATH):
        if level is known or (isinstance(level, str) and level == known):
            return index
    raise ValueError(
        f"{name}: fast_math: expected None, False, True or 'aggressive', got {level!r}"
    )


def _how(strict: bool, fast_math: int) -> dict[str, Any]:
    level = FAST_MATH[fast_math]
    return {
        "strict": strict,
        "threads": torch.get_num_threads(),
        # The process's level now, so that a plan is not found again when it changed.
        "fast_math": _core.get_fast_math() if level is None else level,
    }


def check(name: str, **tensors: torch.Tensor | None) -> None:
    """Refuse what neither the kernels nor their shapes' rules could work on."""
    first, *others = tensors.items()
    assert first[1] is not None
    for argument, tensor in tensors.items():
        if tensor is None:
            continue
        if tensor.dtype not in DTYPES:
            known = ", ".join(str(dtype).removeprefix("torch.") for dtype in DTYPES)
            raise TypeError(f"{name}: {argument}: expected one of {known}, got {tensor.dtype}")
        if argument != "bias" and tensor.dim() != 4:
            raise ValueError(
                f"{name}: {argument}: expected 4 dimensions, got {tensor.dim()} in "
                f"{tuple(tensor.shape)}"
            )
    for argument, tensor in others:
        if tensor is not None and tensor.dtype != first[1].dtype:
            raise TypeError(
                f"{name}: {argument}: expected the dtype of {first[0]}, {first[1].dtype}, "
                f"got {tensor.dtype}"
            )


def _forward(
    source: torch.Tensor,
    weights: torch.Tensor,
    bias: torch.Tensor | None,
    output_shape: Sequence[int],
    descriptor: Sequence[int],
    strict: bool,
    name: str,
    fast_math: int,
    plans: int,
) -> torch.Tensor:
    check(name, source=source, weights=weights, bias=bias)
    result = empty_result(output_shape, source, weights)
    arrays = array_of(source), array_of(weights)
    fields = tuple(descriptor)
    how = _how(strict, fast_math)
    cache = PlanCache.find(plans)
    plan = None
    if cache is not None:
        plan = cache.plan(
            source, weights, bias, tuple(output_shape), _descriptor(fields), fields, name, **how
        )
    if plan is None and bias is not None and result.dtype in (torch.float16, torch.bfloat16):
        # It adds the bias before the only rounding.
        plan = ConvolutionTranspose2DPlan(
            arrays[0].shape,
            arrays[1],
            output_shape,
            _descriptor(fields),
            name,
            bias=array_of(bias),
            **how,
        )
    if plan is not None:
        plan(arrays[0], array_of(result))
        return result
    _core.convolution_transpose_2d(
        *arrays, output_shape, _descriptor(fields), name, out=array_of(result), **how
    )
    if bias is not None:
        result += bias.detach().view(-1, 1, 1)
    return result


def _data_gradient(
    incoming_gradient: torch.Tensor,
    weights: torch.Tensor,
    output_shape: Sequence[int],
    descriptor: Sequence[int],
    strict: bool,
    name: str,
    fast_math: int,
) -> torch.Tensor:
    check(name, incoming_gradient=incoming_gradient, weights=weights)
    result = empty_result(output_shape, incoming_gradient, weights)
    _core.convolution_transpose_2d_data_gradient(
        array_of(incoming_gradient),
        array_of(weights),
        output_shape,
        _descriptor(tuple(descriptor)),
        name,
        out=array_of(result),
        **_how(strict, fast_math),
    )
    return result


def _weights_gradient(
    incoming_gradient: torch.Tensor,
    source: torch.Tensor,
    output_shape: Sequence[int],
    descriptor: Sequence[int],
    strict: bool,
    name: str,
    fast_math: int,
) -> torch.Tensor:
    check(name, incoming_gradient=incoming_gradient, source=source)
    # Weights lie as PyTorch makes them, whatever the order of the images.
    result = torch.empty(output_shape, dtype=source.dtype)
    _core.convolution_transpose_2d_weights_gradient(
        array_of(incoming_gradient),
        array_of(source),
        output_shape,
        _descriptor(tuple(descriptor)),
        name,
        out=array_of(result),
        **_how(strict, fast_math),
    )
    return result


forward = _operator(
    "convolution_transpose_2d",
    "Tensor source, Tensor weights, Tensor? bias",
    _forward,
    ", int plans",
)
data_gradient = _operator(
    "convolution_transpose_2d_data_gradient",
    "Tensor incoming_gradient, Tensor weights",
    _data_gradient,
)
weights_gradient = _operator(
    "convolution_transpose_2d_weights_gradient",
    "Tensor incoming_gradient, Tensor source",
    _weights_gradient,
)
