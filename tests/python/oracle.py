# SPDX-License-Identifier: MIT
"""The arithmetic in float64, written from the formula alone and sharing nothing with the library.

Per axis: stride s, dilation d, leading pad p. Source position y and tap k meet at output position
``y*s - p + k*d``; positions outside the output are dropped, trailing pads never matter:

    forward          output[n, grp*I+i, Y, X]  += source[n, o, y, x]   * weights[o, i, kh, kw]
    data gradient    source'[n, o, y, x]       += gradient[n, grp*I+i, Y, X] * weights[o, i, kh, kw]
    weights gradient weights'[o, i, kh, kw]    += gradient[n, grp*I+i, Y, X] * source[n, o, y, x]

with I the length of the weights' second axis and grp the group of source channel o.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from cases import Problem


def reach(positions: int, stride: int, dilation: int, pad: int, tap: int, extent: int):
    """Source positions whose ``tap`` lands inside the output, and where they land."""
    at = np.arange(positions)
    to = at * stride - pad + tap * dilation
    inside = (to >= 0) & (to < extent)
    return at[inside], to[inside]


def style_padding(p: Problem) -> tuple[int, int, int, int]:
    """Top, bottom, left, right of the row's padding style, by TensorFlow's and ONNX's rules."""
    pads = []
    for stride, dilation, kernel, extent in zip(
        p.stride, p.dilation, p.weights[2:], p.output[2:], strict=True
    ):
        reached = (-(-extent // stride) - 1) * stride + (kernel - 1) * dilation + 1
        total = max(0, reached - extent)
        half, rest = total // 2, total - total // 2
        pads += {"TF_VALID": (0, 0), "TF_SAME": (half, rest), "ONNX_SAME_LOWER": (rest, half)}[
            p.style
        ]
    return tuple(pads)


def taps(p: Problem) -> Iterator[tuple[int, int, tuple, tuple]]:
    (sy, sx), (dy, dx) = p.stride, p.dilation
    top, _, left, _ = p.padding
    for kh in range(p.weights[2]):
        y, to_y = reach(p.source[2], sy, dy, top, kh, p.output[2])
        for kw in range(p.weights[3]):
            x, to_x = reach(p.source[3], sx, dx, left, kw, p.output[3])
            if y.size and x.size:
                yield kh, kw, np.ix_(y, x), np.ix_(to_y, to_x)


def compute(p: Problem, tensors: dict[str, np.ndarray]) -> np.ndarray:
    """The operation tap by tap; each tap is one small matrix product per batch item and group."""
    g, (n, cs, h, w), (oh, ow) = p.groups, p.source, p.output[2:]
    per_source, per_output = cs // g, p.weights[1]
    grouped = {
        "source": lambda t: t.reshape(n, g, per_source, h, w),
        "gradient": lambda t: t.reshape(n, g, per_output, oh, ow),
        "weights": lambda t: t.reshape(g, per_source, per_output, *p.weights[2:]),
    }
    t = {name: grouped[name](np.asarray(value, np.float64)) for name, value in tensors.items()}
    if p.operation == "forward":
        result = np.zeros((n, g, per_output, oh, ow))
    elif p.operation == "data_gradient":
        result = np.zeros((n, g, per_source, h, w))
    else:
        result = np.zeros((g, per_source, per_output, *p.weights[2:]))
    for kh, kw, at, to in taps(p) if n and per_source and per_output else ():
        window = (at[0].size, at[1].size)
        by_source, by_output = (n, g, per_source, prod(window)), (n, g, per_output, prod(window))
        if p.operation == "forward":
            columns = t["source"][(..., *at)].reshape(by_source)
            moved = t["weights"][..., kh, kw].swapaxes(1, 2) @ columns
            result[(..., *to)] += moved.reshape(n, g, per_output, *window)
        elif p.operation == "data_gradient":
            columns = t["gradient"][(..., *to)].reshape(by_output)
            moved = t["weights"][..., kh, kw] @ columns
            result[(..., *at)] += moved.reshape(n, g, per_source, *window)
        else:
            source = t["source"][(..., *at)].reshape(by_source)
            gradient = t["gradient"][(..., *to)].reshape(by_output)
            result[..., kh, kw] = (source @ gradient.swapaxes(2, 3)).sum(axis=0)
    return result.reshape(p.result)


def absolute_sum(p: Problem, tensors: dict[str, np.ndarray]) -> np.ndarray:
    """Sum of |a||b| over the products of each result element: what rounding errors scale with."""
    return compute(p, {name: np.abs(value) for name, value in tensors.items()})


def terms(p: Problem) -> int:
    """Largest number of products that any result element sums."""
    if p.operation == "forward":
        return p.source[1] // p.groups * prod(p.weights[2:])
    if p.operation == "data_gradient":
        return p.weights[1] * prod(p.weights[2:])
    return p.source[0] * prod(p.source[2:])


def scalar(p: Problem, tensors: dict[str, np.ndarray]) -> np.ndarray:
    """The same formula, one product at a time: slow, and plain enough to be checked by eye."""
    n, channels, height, width = p.source
    per_source, per_output = channels // p.groups, p.weights[1]
    (sy, sx), (dy, dx), (top, _, left, _) = p.stride, p.dilation, p.padding
    result = np.zeros(p.result)
    a, b = (tensors[name] for name in p.operands)
    for batch, o, i, y, x, kh, kw in np.ndindex(
        n, channels, per_output, height, width, *p.weights[2:]
    ):
        c = o // per_source * per_output + i
        to_y, to_x = y * sy - top + kh * dy, x * sx - left + kw * dx
        if not (0 <= to_y < p.output[2] and 0 <= to_x < p.output[3]):
            continue
        source, weights, output = (batch, o, y, x), (o, i, kh, kw), (batch, c, to_y, to_x)
        if p.operation == "forward":
            result[output] += a[source] * b[weights]
        elif p.operation == "data_gradient":
            result[source] += a[output] * b[weights]
        else:
            result[weights] += a[output] * b[source]
    return result
