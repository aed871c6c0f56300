# SPDX-License-Identifier: MIT
"""Random layers for the converters' tests: integers, so that every framework's sums are exact."""

from __future__ import annotations

import numpy as np

import convtranspose as ct
import oracle
from cases import Problem
from running import from_layout, shape_in, to_layout

Layout = ct.TensorNamedDataLayout


def integers(rng: np.random.Generator, *shape: int, dtype: str = "float32") -> np.ndarray:
    return rng.integers(-4, 5, shape).astype(dtype)


def expected(
    descriptor: ct.Convolution2DOpDescriptor,
    source: np.ndarray,
    weights: np.ndarray,
    output_shape: tuple[int, ...],
) -> np.ndarray:
    """The transposed convolution by the oracle, from and to the descriptor's layouts."""
    d = descriptor
    data, layout = d.data_layout.name, d.weights_layout.name
    x, w = from_layout(source, data), from_layout(weights, layout)
    axes = "NCHW" if data == "NCHW" else "NHWC"
    n, c, h, wd = (output_shape[axes.index(letter)] for letter in "NCHW")
    problem = Problem(
        operation="forward",
        source=x.shape,
        weights=w.shape,
        output=(n, c, h, wd),
        stride=(d.stride_in_y, d.stride_in_x),
        dilation=(d.dilation_rate_in_y, d.dilation_rate_in_x),
        padding=(d.padding_top, d.padding_bottom, d.padding_left, d.padding_right),
        groups=d.groups,
        style=d.padding_style.name,
    )
    if problem.style != "EXPLICIT":
        problem = problem.but(padding=oracle.style_padding(problem), style="EXPLICIT")
    return to_layout(oracle.compute(problem, {"source": x, "weights": w}), data)


def random_descriptor(rng: np.random.Generator, **fixed: object) -> ct.Convolution2DOpDescriptor:
    """Any descriptor: asymmetric padding, every style, layout, stride, dilation and group count."""
    fields = {
        "stride_in_x": int(rng.integers(1, 5)),
        "stride_in_y": int(rng.integers(1, 5)),
        "dilation_rate_in_x": int(rng.integers(1, 4)),
        "dilation_rate_in_y": int(rng.integers(1, 4)),
        "groups": int(rng.integers(1, 4)),
        "padding_left": int(rng.integers(0, 4)),
        "padding_right": int(rng.integers(0, 4)),
        "padding_top": int(rng.integers(0, 4)),
        "padding_bottom": int(rng.integers(0, 4)),
        "padding_style": ct.PaddingStyle(int(rng.choice([0, 0, 0, 1, 2, 4]))),
        "data_layout": Layout(int(rng.integers(0, 2))),
        "weights_layout": Layout(int(rng.integers(2, 4))),
    }
    return ct.Convolution2DOpDescriptor(**{**fields, **fixed})


def random_case(rng: np.random.Generator, **fixed: object):
    """A descriptor with source, weights and an output shape that go together."""
    while True:
        d = random_descriptor(rng, **fixed)
        channels, per_group = d.groups * int(rng.integers(1, 3)), int(rng.integers(1, 4))
        source = int(rng.integers(1, 3)), channels, *map(int, rng.integers(1, 7, 2))
        weights = channels, per_group, *map(int, rng.integers(1, 6, 2))
        source, weights = (
            shape_in(source, d.data_layout.name),
            shape_in(weights, d.weights_layout.name),
        )
        try:
            low, high = ct.output_shape_range(source, weights, d)
        except ValueError:  # the paddings leave nothing
            continue
        if min(low) < 1:
            continue
        output = tuple(int(rng.integers(a, b + 1)) for a, b in zip(low, high, strict=True))
        return d, integers(rng, *source), integers(rng, *weights), output
