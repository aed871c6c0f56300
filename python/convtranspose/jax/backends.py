# SPDX-License-Identifier: MIT
"""Two ways from JAX's compiled code into the library.

``"ffi"`` calls the handlers that the extension module holds, from XLA's own threads and on XLA's
buffers. ``"callback"`` goes through Python, and is all there is where the extension was built
without jaxlib's headers or for another version of their interface.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import jax
import numpy as np

from .. import _core

BACKENDS = ("ffi", "callback")
_ENVIRONMENT = "CONVTRANSPOSE_JAX_BACKEND"


def interface_version() -> tuple[int, int] | None:
    """Version of the FFI interface of the jaxlib that is running, as its own header tells it."""
    header = Path(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h")
    if not header.is_file():
        return None
    text = header.read_text(encoding="utf-8")
    numbers = [re.search(rf"#define XLA_FFI_API_{part} (\d+)", text) for part in ("MAJOR", "MINOR")]
    major, minor = (None if number is None else int(number[1]) for number in numbers)
    return None if major is None or minor is None else (major, minor)


@cache
def register() -> str | None:
    """Give XLA the handlers, once. None when it has them, else why not."""
    handlers = getattr(_core, "jax_ffi_handlers", None)
    if handlers is None:
        return "this build has no FFI handlers: jaxlib's headers were not there"
    built, running = _core.jax_ffi_api_version, interface_version()
    if running is not None and (built[0] != running[0] or built[1] > running[1]):
        return f"the FFI handlers were built for version {built} of XLA's interface, not {running}"
    try:
        for operation, handler in handlers.items():
            jax.ffi.register_ffi_target(f"convtranspose.{operation}", handler, platform="cpu")
    except jax.errors.JaxRuntimeError as error:  # XLA's own check of the version
        return f"XLA refused the FFI handlers: {error}"
    return None


@cache
def _warn(reason: str) -> None:
    warnings.warn(f"convtranspose.jax calls back into Python: {reason}", stacklevel=4)


def choose(asked: str | None) -> str:
    """The backend to use: what was asked for, else the environment, else the faster one."""
    wanted = asked or os.environ.get(_ENVIRONMENT) or None
    if wanted is not None and wanted not in BACKENDS:
        source = "backend" if asked else _ENVIRONMENT
        raise ValueError(f"{source}: expected 'ffi' or 'callback', got {wanted!r}")
    if wanted == "callback":
        return wanted
    reason = register()
    if reason is None:
        return "ffi"
    if wanted == "ffi":
        raise ValueError(f"backend: expected 'callback', got 'ffi': {reason}")
    _warn(reason)
    return "callback"


def call_ffi(
    operation: str,
    first: Any,
    second: Any,
    result: jax.ShapeDtypeStruct,
    descriptor: tuple[int, ...],
    strict: bool,
) -> Any:
    """One call of a handler. XLA gives and takes row-major buffers."""
    call = jax.ffi.ffi_call(f"convtranspose.{operation}", result)
    return call(first, second, descriptor=np.array(descriptor, np.int64), strict=strict)


def call_back(
    operation: str,
    first: Any,
    second: Any,
    result: jax.ShapeDtypeStruct,
    descriptor: tuple[int, ...],
    strict: bool,
) -> Any:
    """One call of the function of that name, on the host."""
    function = partial(_on_host, getattr(_core, operation), result.shape, descriptor, strict)
    return jax.pure_callback(function, result, first, second)


def _on_host(
    function: Callable[..., Any],
    shape: tuple[int, ...],
    fields: tuple[int, ...],
    strict: bool,
    first: Any,
    second: Any,
) -> Any:
    descriptor = unpack(fields)
    return function(np.asarray(first), np.asarray(second), shape, descriptor, strict=strict)


FIELDS = (
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
    "data_layout",
    "weights_layout",
)


def pack(descriptor: _core.Convolution2DOpDescriptor) -> tuple[int, ...]:
    """The descriptor's fields as integers: what can be hashed, and what the handlers read."""
    return tuple(int(getattr(descriptor, field)) for field in FIELDS)


def unpack(fields: tuple[int, ...]) -> _core.Convolution2DOpDescriptor:
    """The descriptor of these integers."""
    return _core.Convolution2DOpDescriptor(**dict(zip(FIELDS, fields, strict=True)))  # type: ignore[arg-type]
