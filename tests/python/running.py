# SPDX-License-Identifier: MIT
"""From a problem string to a call of the library, in any layout and dtype, and back."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product

import numpy as np

import convtranspose as ct
import oracle
import tolerance
import winograd
from cases import Problem

DTYPES = ("float32", "float64")
LAYOUTS = tuple(product(("NCHW", "NHWC"), ("OIHW", "HWIO")))
ISAS = ct.available_isas()
ALGORITHMS = tuple(algorithm.name for algorithm in ct.Algorithm)
UNIVERSAL = ("AUTO", "REFERENCE", "GEMM")  # these take every problem
FAST_MATH = ("WINOGRAD",)  # these multiply otherwise than the definition
AXES = {"NCHW": (0, 1, 2, 3), "NHWC": (0, 2, 3, 1), "OIHW": (0, 1, 2, 3), "HWIO": (2, 3, 1, 0)}


@dataclass(frozen=True)
class Setting:
    """Everything about a call which must not change its result (but for rounding)."""

    dtype: str = "float32"
    data_layout: str = "NCHW"
    weights_layout: str = "OIHW"
    isa: str = ISAS[-1]
    threads: int = 1
    algorithm: str = "AUTO"


def to_layout(array: np.ndarray, layout: str) -> np.ndarray:
    """A packed copy, reordered from NCHW or OIHW; arrays of another rank stay as they are."""
    return np.ascontiguousarray(array.transpose(AXES[layout]) if array.ndim == 4 else array)


def from_layout(array: np.ndarray, layout: str) -> np.ndarray:
    return array.transpose(np.argsort(AXES[layout]))


def shape_in(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    return tuple(shape[axis] for axis in AXES[layout]) if len(shape) == 4 else shape


def descriptor_of(p: Problem, data_layout: str = "NCHW", weights_layout: str = "OIHW"):
    top, bottom, left, right = p.padding if p.style == "EXPLICIT" else (0, 0, 0, 0)
    return ct.Convolution2DOpDescriptor(
        stride_in_x=p.stride[1],
        stride_in_y=p.stride[0],
        dilation_rate_in_x=p.dilation[1],
        dilation_rate_in_y=p.dilation[0],
        groups=p.groups,
        padding_left=left,
        padding_right=right,
        padding_top=top,
        padding_bottom=bottom,
        padding_style=ct.PaddingStyle[p.style],
        data_layout=ct.TensorNamedDataLayout[data_layout],
        weights_layout=ct.TensorNamedDataLayout[weights_layout],
    )


def operands_in(
    p: Problem, tensors: dict[str, np.ndarray], setting: Setting
) -> dict[str, np.ndarray]:
    layout = {"weights": setting.weights_layout}
    return {
        name: to_layout(tensors[name].astype(setting.dtype), layout.get(name, setting.data_layout))
        for name in p.operands
    }


def result_layout(p: Problem, setting: Setting) -> str:
    return setting.weights_layout if p.operation == "weights_gradient" else setting.data_layout


def call_raw(p: Problem, operands: dict, setting: Setting, *, family: str = "transpose", **options):
    """Call the library with operands that are already in the setting's layouts and dtype.

    The ``convolution`` family is the same arithmetic seen from the other side: what the transposed
    operation calls source is the convolution's result.
    """
    descriptor = descriptor_of(p, setting.data_layout, setting.weights_layout)
    options.setdefault("threads", setting.threads)
    options.setdefault("algorithm", ct.Algorithm[setting.algorithm])
    shape = shape_in(p.result, result_layout(p, setting))
    if family == "transpose":
        if "strict" not in options:
            options["strict"] = p.consistent
        function = {
            "forward": ct.convolution_transpose_2d,
            "data_gradient": ct.convolution_transpose_2d_data_gradient,
            "weights_gradient": ct.convolution_transpose_2d_weights_gradient,
        }[p.operation]
        first, second = (operands[name] for name in p.operands)
        return function(first, second, shape, descriptor, **options)
    if p.operation == "data_gradient":
        return ct.convolution_2d(operands["gradient"], operands["weights"], descriptor, **options)
    if p.operation == "forward":
        function, second = ct.convolution_2d_data_gradient, operands["weights"]
    else:
        function, second = ct.convolution_2d_weights_gradient, operands["gradient"]
    return function(operands["source"], second, shape, descriptor, **options)


@contextmanager
def instruction_set(name: str):
    before = ct.active_isa()
    ct.set_isa(name)
    try:
        assert ct.active_isa() == name
        yield
    finally:
        ct.set_isa(before)


def run(p: Problem, tensors: dict[str, np.ndarray], setting: Setting | None = None, **options):
    """The result in NCHW or OIHW order."""
    setting = setting or Setting()
    with instruction_set(setting.isa):
        result = call_raw(p, operands_in(p, tensors, setting), setting, **options)
    assert result.dtype == np.dtype(setting.dtype)
    return from_layout(result, result_layout(p, setting))


def attempt(p: Problem, tensors: dict[str, np.ndarray], setting: Setting, **options):
    """As ``run``; None where an algorithm that does not take every problem refuses by its name."""
    try:
        return run(p, tensors, setting, **options)
    except ValueError as error:
        special = setting.algorithm not in UNIVERSAL
        if special and setting.algorithm.lower() in str(error).lower():
            return None
        raise


class Check:
    """A problem with its inputs rounded to one dtype and the oracle's answer for exactly those."""

    def __init__(self, p: Problem, dtype: str, tensors: dict[str, np.ndarray] | None = None):
        rounded = {name: value.astype(dtype) for name, value in (tensors or p.inputs()).items()}
        self.problem = p
        self.tensors = rounded
        self.oracle = oracle.compute(p, rounded)
        self.absolute = oracle.absolute_sum(p, rounded)
        self.exact = all(np.array_equal(value, np.rint(value)) for value in rounded.values())

    def complaint(self, result: np.ndarray, setting: Setting | None = None) -> str | None:
        """None when right: equal for integers (all sums here are exact), else within the bound."""
        if self.exact and result.shape == self.oracle.shape and np.isfinite(self.oracle).all():
            if np.array_equal(result, self.oracle):
                return None
            return f"{int((result != self.oracle).sum())} integer results differ"
        absolute, terms = self.absolute, oracle.terms(self.problem)
        if setting is not None and setting.algorithm in FAST_MATH:
            absolute = winograd.magnitude(self.problem, self.tensors)
            terms += winograd.ROUNDINGS
        return tolerance.mismatch(result, self.oracle, absolute, terms)

    def run(self, setting: Setting, **options) -> str | None:
        result = attempt(self.problem, self.tensors, setting, **options)
        return None if result is None else self.complaint(result, setting)
