# SPDX-License-Identifier: MIT
"""convtranspose itself: both data layouts, one-shot calls and plans, forced algorithms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import convtranspose

from ..candidate import OURS, Candidate, from_hwio, from_nhwc, to_hwio, to_nhwc
from ..operands import DATA_GRADIENT, FORWARD, WEIGHTS_GRADIENT, Array, Operands
from ..problem import Problem

LIBRARY = OURS
VERSION = convtranspose.__version__
DTYPES = ("float32", "float64", "float16", "bfloat16")

_FUNCTIONS = {
    FORWARD: "convolution_transpose_2d",
    DATA_GRADIENT: "convolution_transpose_2d_data_gradient",
    WEIGHTS_GRADIENT: "convolution_transpose_2d_weights_gradient",
}
_PLANS = {
    FORWARD: "ConvolutionTranspose2DPlan",
    DATA_GRADIENT: "ConvolutionTranspose2DDataGradientPlan",
    WEIGHTS_GRADIENT: "ConvolutionTranspose2DWeightsGradientPlan",
}


@dataclass(frozen=True)
class Variants:
    """Which of our own candidates to time: every combination of these."""

    layouts: tuple[str, ...] = ("NCHW", "NHWC")
    modes: tuple[str, ...] = ("one-shot", "plan")
    algorithms: tuple[convtranspose.Algorithm, ...] = (convtranspose.Algorithm.AUTO,)
    fast_math: bool = False
    weights_layout: str = "OIHW"


_DEFAULT = Variants()


def candidates(
    operands: Operands, threads: int, variants: Variants = _DEFAULT
) -> Iterator[Candidate]:
    for layout in variants.layouts:
        arguments = _Arguments(operands, layout, variants.weights_layout)
        for algorithm in variants.algorithms:
            options: dict[str, Any] = {"threads": threads, "algorithm": algorithm}
            automatic = algorithm == convtranspose.Algorithm.AUTO
            suffix = "" if automatic else f" {algorithm.name.lower()}"
            if "one-shot" in variants.modes:
                yield arguments.one_shot(f"ours {layout}{suffix}", options)
            if "plan" in variants.modes and hasattr(convtranspose, _PLANS[operands.op]):
                yield arguments.plan(f"ours {layout} plan{suffix}", options)
                if variants.fast_math:
                    fast = {**options, "fast_math": True}
                    yield arguments.plan(f"ours {layout} plan{suffix} fast", fast)


def reference(operands: Operands) -> Array:
    """The result by the textbook loops, in the operands' own dtype."""
    textbook = Variants(("NCHW",), ("one-shot",), (convtranspose.Algorithm.REFERENCE,))
    (candidate,) = candidates(operands, 1, textbook)
    candidate.run()
    return candidate.result()


def descriptor(problem: Problem, data_layout: str, weights_layout: str) -> Any:
    """The problem as MPSGraph's descriptor."""
    left, right, top, bottom = problem.padding
    return convtranspose.Convolution2DOpDescriptor(
        stride_in_x=problem.stride[1],
        stride_in_y=problem.stride[0],
        dilation_rate_in_x=problem.dilation[1],
        dilation_rate_in_y=problem.dilation[0],
        groups=problem.groups,
        padding_left=left,
        padding_right=right,
        padding_top=top,
        padding_bottom=bottom,
        data_layout=convtranspose.TensorNamedDataLayout[data_layout],
        weights_layout=convtranspose.TensorNamedDataLayout[weights_layout],
    )


def _aligned(like: Array) -> Array:
    """An empty array on a cache line of its own, as results are that our calls allocate."""
    memory = np.empty(like.nbytes + 64, np.uint8)
    begin = -memory.ctypes.data % 64
    return memory[begin : begin + like.nbytes].view(like.dtype).reshape(like.shape)


class _Arguments:
    """The arrays of one op in one layout, and the calls that take them."""

    def __init__(self, operands: Operands, layout: str, weights_layout: str) -> None:
        place = to_nhwc if layout == "NHWC" else np.ascontiguousarray
        place_weights = to_hwio if weights_layout == "HWIO" else np.ascontiguousarray
        self.op = operands.op
        self.layout = layout
        self.descriptor = descriptor(operands.problem, layout, weights_layout)
        if self.op == WEIGHTS_GRADIENT:
            self.inputs = (place(operands.incoming_gradient), place(operands.source))
            self.out = _aligned(place_weights(operands.weights))
            self.canonical = from_hwio(self.out) if weights_layout == "HWIO" else self.out
        else:
            forward = self.op == FORWARD
            data = operands.source if forward else operands.incoming_gradient
            self.inputs = (place(data), place_weights(operands.weights))
            self.out = _aligned(place(np.empty(operands.result_shape, data.dtype)))
            self.canonical = from_nhwc(self.out) if layout == "NHWC" else self.out

    def one_shot(self, name: str, options: dict[str, Any]) -> Candidate:
        function = getattr(convtranspose, _FUNCTIONS[self.op])
        shape = self.out.shape

        def run() -> None:
            function(*self.inputs, shape, self.descriptor, out=self.out, **options)

        return Candidate(name, OURS, self.layout, False, run, self.result)

    def plan(self, name: str, options: dict[str, Any]) -> Candidate:
        plan_type = getattr(convtranspose, _PLANS[self.op])
        first, second = self.inputs
        shape = self.out.shape
        if self.op == WEIGHTS_GRADIENT:
            plan = plan_type(
                first.shape, second.shape, shape, self.descriptor, dtype=first.dtype, **options
            )
            taken: tuple[Array, ...] = self.inputs
        else:
            plan = plan_type(first.shape, second, shape, self.descriptor, **options)
            taken = (first,)

        def run() -> None:
            plan(*taken, out=self.out)

        note = f"{getattr(plan.algorithm, 'name', plan.algorithm)} {plan.isa}".lower()
        return Candidate(name, OURS, self.layout, True, run, self.result, note)

    def result(self) -> Array:
        return self.canonical
