# SPDX-License-Identifier: MIT
"""What PyTorch must know of the operators besides their kernels: shapes, derivatives, autocast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .library import check, data_gradient, forward, weights_gradient
from .tensors import empty_result


@forward.register_fake
def _(
    source: torch.Tensor,
    weights: torch.Tensor,
    bias: torch.Tensor | None,
    output_shape: Any,
    descriptor: Any,
    strict: bool,
    name: str,
    fast_math: int,
    plans: int,
) -> torch.Tensor:
    check(name, source=source, weights=weights, bias=bias)
    return empty_result(output_shape, source, weights)


@data_gradient.register_fake
def _(
    incoming_gradient: torch.Tensor,
    weights: torch.Tensor,
    output_shape: Any,
    descriptor: Any,
    strict: bool,
    name: str,
    fast_math: int,
) -> torch.Tensor:
    check(name, incoming_gradient=incoming_gradient, weights=weights)
    return empty_result(output_shape, incoming_gradient, weights)


@weights_gradient.register_fake
def _(
    incoming_gradient: torch.Tensor,
    source: torch.Tensor,
    output_shape: Any,
    descriptor: Any,
    strict: bool,
    name: str,
    fast_math: int,
) -> torch.Tensor:
    check(name, incoming_gradient=incoming_gradient, source=source)
    return source.new_empty(output_shape)


def _save_forward(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    source, weights, _bias, _output_shape, *ctx.how, _plans = inputs
    ctx.save_for_backward(source, weights)


def _save_gradient(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    first, second, _output_shape, *ctx.how = inputs
    ctx.save_for_backward(first, second)


def _forward_backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    source, weights = ctx.saved_tensors
    needed = ctx.needs_input_grad
    return (
        data_gradient(gradient, weights, source.shape, *ctx.how) if needed[0] else None,
        weights_gradient(gradient, source, weights.shape, *ctx.how) if needed[1] else None,
        gradient.sum((0, 2, 3)) if needed[2] else None,
        *(None,) * 6,
    )


def _data_gradient_backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    incoming, weights = ctx.saved_tensors
    needed = ctx.needs_input_grad
    return (
        forward(gradient, weights, None, incoming.shape, *ctx.how, 0) if needed[0] else None,
        weights_gradient(incoming, gradient, weights.shape, *ctx.how) if needed[1] else None,
        *(None,) * 5,
    )


def _weights_gradient_backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    incoming, source = ctx.saved_tensors
    needed = ctx.needs_input_grad
    return (
        forward(source, gradient, None, incoming.shape, *ctx.how, 0) if needed[0] else None,
        data_gradient(incoming, gradient, source.shape, *ctx.how) if needed[1] else None,
        *(None,) * 5,
    )


forward.register_autograd(_forward_backward, setup_context=_save_forward)
data_gradient.register_autograd(_data_gradient_backward, setup_context=_save_gradient)
weights_gradient.register_autograd(_weights_gradient_backward, setup_context=_save_gradient)


# torch.library.register_autocast came after 2.4: this is what it does.
_AUTOCAST = torch.library.Library("convtranspose", "FRAGMENT")


def _register_autocast(operator: Callable[..., torch.Tensor], name: str) -> None:
    def cast(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.dtype != torch.float64:
            return value.to(torch.get_autocast_dtype("cpu"))
        return value

    def kernel(*arguments: Any) -> torch.Tensor:
        with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet("AutocastCPU")):
            return operator(*map(cast, arguments))

    _AUTOCAST.impl(name, kernel, "AutocastCPU")


for _operator, _name in (
    (forward, "convolution_transpose_2d"),
    (data_gradient, "convolution_transpose_2d_data_gradient"),
    (weights_gradient, "convolution_transpose_2d_weights_gradient"),
):
    _register_autocast(_operator, _name)
