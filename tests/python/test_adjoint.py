# SPDX-License-Identifier: MIT
"""Identities that tie the operations together, exact because all numbers are small integers."""

from __future__ import annotations

import numpy as np
import pytest

import cases
import convtranspose as ct
from cases import Problem
from running import LAYOUTS, Setting, descriptor_of, run

CONSISTENT = [p for p in cases.load_corpora() if p.consistent and p.multiply_adds < 300_000]


def integers(p: Problem) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(len(str(p)))
    return {name: rng.integers(-3, 4, shape).astype(float) for name, shape in p.shapes.items()}


def three(p: Problem, t: dict[str, np.ndarray], setting: Setting) -> list[np.ndarray]:
    return [run(p.but(operation=operation), t, setting) for operation in cases.OPERATIONS]


@pytest.mark.parametrize("layouts", LAYOUTS, ids="-".join)
def test_gradients_are_adjoint_to_the_forward_operation(layouts):
    for p in CONSISTENT[LAYOUTS.index(layouts) :: 7]:
        t = integers(p)
        y, dx, dw = three(p, t, Setting("float64", *layouts))
        along = np.vdot(y, t["gradient"])
        assert along == np.vdot(t["source"], dx), p
        assert along == np.vdot(t["weights"], dw), p


def test_second_derivatives():
    # T is bilinear, so moving along (ddx, ddw) gives ddy, dx2 and dw2 by the same three operations.
    p = cases.parse_line(
        'forward 2x4x4x5 4x3x3x2 2x6x8x14 s2x3 p1,1,0,0 g2 "output padding and groups"'
    )
    t, move = integers(p), integers(p.but(name="direction"))
    dy, setting = t["gradient"], Setting("float64")

    def transposed(x, w):
        return run(p, {"source": x, "weights": w}, setting)

    ddy = transposed(move["source"], t["weights"]) + transposed(t["source"], move["weights"])
    dx2 = run(
        p.but(operation="data_gradient"), {"gradient": dy, "weights": move["weights"]}, setting
    )
    dw2 = run(
        p.but(operation="weights_gradient"), {"gradient": dy, "source": move["source"]}, setting
    )
    assert np.vdot(ddy, dy) == np.vdot(t["source"], dx2) + np.vdot(t["weights"], dw2)
    both = transposed(2 * t["source"] - 3 * move["source"], t["weights"])
    apart = 2 * transposed(t["source"], t["weights"]) - 3 * transposed(move["source"], t["weights"])
    assert np.array_equal(both, apart)


def test_strided_convolution_with_a_remainder():
    rng = np.random.default_rng(1)
    met = 0
    for extent, kernel, stride, pad, dilation in np.ndindex(8, 5, 4, 3, 2):
        extent, kernel, stride, dilation = extent + 5, kernel + 1, stride + 1, dilation + 1
        room = extent + 2 * pad - dilation * (kernel - 1) - 1
        if room < 0:
            continue
        met += room % stride != 0
        descriptor = ct.Convolution2DOpDescriptor(
            stride_in_x=stride,
            stride_in_y=stride,
            dilation_rate_in_x=dilation,
            dilation_rate_in_y=dilation,
            padding_left=pad,
            padding_right=pad,
            padding_top=pad,
            padding_bottom=pad,
        )
        x = rng.integers(-3, 4, (1, 2, extent, extent)).astype(np.float32)
        w = rng.integers(-3, 4, (3, 2, kernel, kernel)).astype(np.float32)
        result = ct.convolution_2d(x, w, descriptor)
        assert result.shape == (1, 3, room // stride + 1, room // stride + 1)
        y = rng.integers(-3, 4, result.shape).astype(np.float32)
        back = ct.convolution_transpose_2d(y, w, x.shape, descriptor)
        assert np.vdot(result, y) == np.vdot(x, back), (extent, kernel, stride, pad, dilation)
    assert met > 100


@pytest.mark.parametrize("layouts", LAYOUTS, ids="-".join)
def test_the_convolution_family_is_the_same_three_kernels(layouts):
    setting = Setting("float32", *layouts)
    for p in CONSISTENT[LAYOUTS.index(layouts) :: 5]:
        tensors = p.inputs()
        one = run(p, tensors, setting)
        other = run(p, tensors, setting, family="convolution")
        assert one.shape == other.shape, p
        assert one.tobytes() == other.tobytes(), p


def test_weights_gradient_roles_swap():
    # The weights gradient of a transposed convolution is that of a convolution whose gradient and
    # source have changed places.
    p = CONSISTENT[0]
    t = {name: value.astype(np.float32) for name, value in integers(p).items()}
    descriptor = descriptor_of(p)
    assert np.array_equal(
        ct.convolution_transpose_2d_weights_gradient(
            t["gradient"], t["source"], p.weights, descriptor
        ),
        ct.convolution_2d_weights_gradient(t["source"], t["gradient"], p.weights, descriptor),
    )
