# SPDX-License-Identifier: MIT
"""Winograd's minimal filtering: exact for whole numbers, within its bound for others, and chosen."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import convtranspose as ct
import oracle
from cases import OPERATIONS, Problem, parse_line
from running import (
    ISAS,
    LAYOUTS,
    Check,
    Setting,
    call_raw,
    descriptor_of,
    operands_in,
    run,
    shape_in,
    to_layout,
)

WINOGRAD = {
    # Every number of taps a phase side, strides, odd sizes, groups, one-dimensional layers.
    name: parse_line(f'forward {line} "{name}"')
    for name, line in {
        "k4 s2": "2x16x9x10 16x33x4x4 2x33x18x20 s2x2 p1,1,1,1",
        "k4 s2, one origin": "1x9x8x11 9x17x4x4 1x17x16x22 s2x2 p1,1,1,1",
        "k3 s2": "1x24x7x8 24x16x3x3 1x16x15x17 s2x2",
        "k3 s1": "2x8x13x14 8x40x3x3 2x40x13x14 p1,1,1,1",
        "k2 s1": "1x5x12x5 5x6x2x2 1x6x13x6",
        "k5 s2": "1x10x6x7 10x12x5x5 1x12x12x14 s2x2 p1,2,1,2",
        "k6 s2": "1x10x6x7 10x12x6x6 1x12x12x14 s2x2 p2,2,2,2",
        "k6 s3": "1x7x6x5 7x8x6x6 1x8x18x15 s3x3 p1,2,2,1",
        "k16 s8, one row": "2x20x1x31 20x9x1x16 2x9x1x248 s1x8 p0,0,4,4",
        "k8 s4, one row": "1x18x1x70 18x5x1x8 1x5x1x280 s1x4 p0,0,2,2",
        "k4 s2, one row": "1x18x3x70 18x5x1x4 1x5x3x140 s1x2 p0,0,1,1",
        "groups": "2x24x6x9 24x11x4x3 2x33x12x18 s2x2 p1,1,0,1 g3",
        "tiny maps": "7x40x2x2 40x20x4x4 7x20x4x4 s2x2 p1,1,1,1",
        "more channels than one sum": "1x600x5x5 600x9x3x3 1x9x5x5 p1,1,1,1",
    }.items()
}
CHOSEN = parse_line('forward 1x128x32x32 128x128x4x4 1x128x64x64 s2x2 p1,1,1,1 "wide"')


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", WINOGRAD)
def test_whole_numbers_stay_exact(name, operation):
    p = WINOGRAD[name].but(operation=operation)
    tensors = p.integers()
    exact = oracle.compute(p, tensors)
    for layouts, isa, threads in product(LAYOUTS, ISAS, (1, 3)):
        setting = Setting("float32", *layouts, isa, threads, "WINOGRAD")
        layout = setting.weights_layout if operation == "weights_gradient" else layouts[0]
        out = np.full(shape_in(p.result, layout), np.nan, np.float32)
        call_raw(p, operands_in(p, tensors, setting), setting, out=out)
        assert np.array_equal(out, to_layout(exact, layout)), setting


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("name", WINOGRAD)
def test_real_numbers_stay_in_the_bound(name, operation):
    p = WINOGRAD[name].but(operation=operation)
    rng = np.random.default_rng(5)
    tensors = {key: rng.standard_normal(shape) for key, shape in p.shapes.items()}
    check = Check(p, "float32", tensors)
    for layouts in LAYOUTS:
        complaint = check.complaint(*forced(check, Setting("float32", *layouts)))
        assert complaint is None, f"{layouts}: {complaint}"


def forced(check: Check, setting: Setting) -> tuple[np.ndarray, Setting]:
    setting = replace(setting, algorithm="WINOGRAD")
    return run(check.problem, check.tensors, setting), setting


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_other_types_keep_to_the_definition(dtype, operation):
    p = CHOSEN.but(operation=operation)
    setting = Setting(dtype)
    tensors = {name: np.sign(value) for name, value in p.integers().items()}
    plain = run(p, tensors, setting, fast_math=False)
    assert run(p, tensors, setting, fast_math=True).tobytes() == plain.tobytes()
    with pytest.raises(ValueError, match="winograd: it has no kernel for this operation and dtype"):
        run(p, tensors, replace(setting, algorithm="WINOGRAD"))


@pytest.mark.parametrize("operation", ["forward", "data_gradient"])
def test_same_bits_for_threads_and_neighbours(operation):
    p = CHOSEN.but(operation=operation, source=(5, 128, 32, 32), output=(5, 128, 64, 64))
    alone = p.but(source=(1, *p.source[1:]), output=(1, *p.output[1:]))
    rng = np.random.default_rng(6)
    tensors = {key: rng.standard_normal(shape) for key, shape in p.shapes.items()}
    for layouts in LAYOUTS:
        setting = Setting("float32", *layouts)
        together = run(p, tensors, setting, fast_math=True, threads=1)
        assert run(p, tensors, setting, fast_math=True, threads=3).tobytes() == together.tobytes()
        for item in (0, 4):
            one = {
                key: value if key == "weights" else value[item : item + 1]
                for key, value in tensors.items()
            }
            single = run(alone, one, setting, fast_math=True)
            assert single.tobytes() == together[item].tobytes(), (item, setting)


def plan_of(p: Problem, layout: str, **options):
    """A plan and its inputs."""
    setting = Setting("float32", layout)
    operands = operands_in(p, p.integers(), setting)
    first, second = (operands[name] for name in p.operands)
    descriptor, shape = descriptor_of(p, layout), shape_in(p.result, layout)
    if p.operation == "weights_gradient":
        plan = ct.ConvolutionTranspose2DWeightsGradientPlan(
            first.shape, second.shape, p.result, descriptor, **options
        )
        return plan, (first, second)
    kind = {
        "forward": ct.ConvolutionTranspose2DPlan,
        "data_gradient": ct.ConvolutionTranspose2DDataGradientPlan,
    }[p.operation]
    return kind(first.shape, second, shape, descriptor, **options), (first,)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_plans_choose_it_when_allowed(operation, layout):
    p = CHOSEN.but(operation=operation)
    exact = to_layout(oracle.compute(p, p.integers()), layout)
    if operation == "weights_gradient":
        exact = oracle.compute(p, p.integers())
    for level in (True, "aggressive"):
        plan, operands = plan_of(p, layout, fast_math=level)
        assert plan.algorithm == ct.Algorithm.WINOGRAD
        assert "fast math" in plan.reason
        if level is True:
            assert np.array_equal(plan(*operands), exact)
    plan, operands = plan_of(p, layout, fast_math=False)
    assert plan.algorithm != ct.Algorithm.WINOGRAD
    assert np.array_equal(plan(*operands), exact)


def test_the_default_of_the_process_counts():
    before = ct.get_fast_math()
    try:
        ct.set_fast_math(True)
        assert plan_of(CHOSEN, "NHWC")[0].algorithm == ct.Algorithm.WINOGRAD
        plan = plan_of(CHOSEN, "NHWC", fast_math=False)[0]
        assert plan.algorithm != ct.Algorithm.WINOGRAD
    finally:
        ct.set_fast_math(before)


@pytest.mark.parametrize(
    "line",
    [
        '1x64x32x32 64x64x2x2 1x64x64x64 s2x2 "one tap a phase"',
        '1x64x32x32 64x64x3x3 1x64x32x32 p2,2,2,2 d2x2 "dilated"',
        '1x8x32x32 8x64x4x4 1x64x64x64 s2x2 p1,1,1,1 "few channels"',
        '1x64x2x2 64x64x4x4 1x64x4x4 s2x2 p1,1,1,1 "few tiles"',
    ],
)
def test_layers_that_would_lose_do_not_get_it(line):
    p = parse_line(f"forward {line}")
    assert plan_of(p, "NHWC", fast_math=True)[0].algorithm != ct.Algorithm.WINOGRAD


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize(
    ("activation", "function"),
    [
        (None, lambda v: v),
        ("relu", lambda v: np.maximum(v, 0)),
        (("leaky_relu", 0.5), lambda v: np.where(v < 0, v / 2, v)),
        (("clamp", -9.0, 20.0), lambda v: np.clip(v, -9, 20)),
    ],
)
@pytest.mark.parametrize("operation", ["forward", "data_gradient"])
def test_bias_and_activation(operation, activation, function, layout):
    p = WINOGRAD["k5 s2"].but(operation=operation)
    bias = np.arange(-5, p.result[1] - 5, dtype=np.float32)
    plan, operands = plan_of(
        p, layout, algorithm=ct.Algorithm.WINOGRAD, bias=bias, activation=activation
    )
    expected = function(oracle.compute(p, p.integers()) + bias.reshape(1, -1, 1, 1))
    assert np.array_equal(plan(*operands), to_layout(expected, layout))


def test_a_nan_stays_near():
    p = WINOGRAD["k4 s2"]
    tensors = p.integers()
    tensors["source"] = tensors["source"].astype(float)
    tensors["source"][1, 3, 5, 6] = np.nan
    result = run(p, tensors, Setting(algorithm="WINOGRAD"))
    assert not np.isnan(result[0]).any()
    rows, columns = np.nonzero(np.isnan(result[1]).any(axis=0))
    # Tiles of 3 results a phase and side: all results of those that read the pixel.
    assert rows.min() >= 2 * (5 - 3)
    assert rows.max() <= 2 * (5 + 4)
    assert columns.min() >= 2 * (6 - 3)
    assert columns.max() <= 2 * (6 + 4)
    expected = oracle.compute(p, p.integers())
    kept = ~np.isnan(result)
    assert np.array_equal(result[kept], expected[kept])
