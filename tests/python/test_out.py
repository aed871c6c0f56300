# SPDX-License-Identifier: MIT
"""``out=``: checked, written everywhere and nowhere else, returned as the very object given."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import cases
import oracle
from refusal import refused
from running import (
    LAYOUTS,
    UNIVERSAL,
    Setting,
    call_raw,
    operands_in,
    result_layout,
    shape_in,
    to_layout,
)

PROBLEM = cases.parse_line(
    'forward 2x6x4x5 6x3x2x2 2x6x9x16 s2x3 d1x2 g2 "gaps that no tap reaches"'
)
CANARY = -777.0


def prepared(operation: str, setting: Setting):
    p = PROBLEM.but(operation=operation)
    tensors = p.integers()
    layout = result_layout(p, setting)
    exact = to_layout(oracle.compute(p, tensors), layout)
    return p, operands_in(p, tensors, setting), shape_in(p.result, layout), exact


@pytest.mark.parametrize("operation", cases.OPERATIONS)
@pytest.mark.parametrize("layouts", LAYOUTS, ids="-".join)
def test_nan_filled_out_is_overwritten_and_returned(operation, layouts):
    for algorithm, dtype in product(UNIVERSAL, ("float32", "float64")):
        setting = Setting(dtype, *layouts, algorithm=algorithm)
        p, operands, shape, exact = prepared(operation, setting)
        out = np.full(shape, np.nan, dtype)
        assert call_raw(p, operands, setting, out=out) is out
        assert np.array_equal(out, exact), setting


@pytest.mark.parametrize("operation", cases.OPERATIONS)
@pytest.mark.parametrize("layouts", LAYOUTS, ids="-".join)
def test_nothing_is_written_around_a_strided_out(operation, layouts):
    for algorithm, threads in product(UNIVERSAL, (1, 3)):
        setting = Setting("float32", *layouts, threads=threads, algorithm=algorithm)
        p, operands, shape, exact = prepared(operation, setting)
        for steps in ((1, 1, 1, 2), (1, 2, 1, 1), (2, 1, 3, 1), (1, -1, 1, -2), (-1, 1, -1, 1)):
            margins = [extent * abs(step) + 2 for extent, step in zip(shape, steps, strict=True)]
            buffer = np.full(margins, CANARY, np.float32)
            window = tuple(
                slice(1, 1 + extent * step, step)
                if step > 0
                else slice(1 - (extent - 1) * step, 1 + step if 1 + step >= 0 else None, step)
                for extent, step in zip(shape, steps, strict=True)
            )
            view = buffer[window]
            assert view.shape == shape
            view[:] = np.nan
            assert call_raw(p, operands, setting, out=view) is view
            assert np.array_equal(view, exact), (setting, steps)
            inside = np.zeros(buffer.shape, bool)
            inside[window] = True
            assert (buffer[~inside] == CANARY).all(), (setting, steps)


@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_transposed_out(operation):
    setting = Setting("float64")
    p, operands, shape, exact = prepared(operation, setting)
    out = np.full(shape[::-1], np.nan).transpose()
    assert call_raw(p, operands, setting, out=out) is out
    assert np.array_equal(out, exact)


def bad_outs(shape):
    longer = (*shape[:-1], shape[-1] + 1)
    frozen = np.full(shape, CANARY, np.float32)
    frozen.flags.writeable = False
    yield "shape", np.full(longer, CANARY, np.float32), ValueError, (str(shape), str(longer))
    yield "rank", np.full(shape[1:], CANARY, np.float32), ValueError, (str(shape), str(shape[1:]))
    yield "dtype", np.full(shape, CANARY, np.float64), TypeError, ("float32", "float64")
    yield "integers", np.full(shape, 7, np.int32), TypeError, ("int32",)
    yield "read-only", frozen, ValueError, ("writ", "read-only")
    yield "not an array", [[[[0.0]]]], TypeError, ("list",)


@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_wrong_out_is_refused_and_untouched(operation):
    setting = Setting()
    p, operands, shape, _ = prepared(operation, setting)
    for what, out, kind, parts in bad_outs(shape):
        before = np.array(out, copy=True)
        with refused("out", *parts, kind=kind):
            call_raw(p, operands, setting, out=out)
        assert np.array_equal(np.array(out), before), what


def test_out_is_untouched_when_another_argument_is_wrong():
    p, operands, shape, _ = prepared("forward", Setting())
    out = np.full(shape, CANARY, np.float32)
    wrong = {**operands, "weights": operands["weights"][:5]}
    with refused("source|weights"):
        call_raw(p, wrong, Setting(), out=out)
    with refused("threads"):
        call_raw(p, operands, Setting(), out=out, threads=-1)
    assert (out == CANARY).all()


@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_overlapping_out_is_refused(operation):
    setting = Setting()
    p, operands, shape, _ = prepared(operation, setting)
    for name in p.operands:
        extents = [max(a, b) + 1 for a, b in zip(shape, operands[name].shape, strict=True)]
        buffer = np.zeros(extents, np.float32)
        shared = buffer[tuple(map(slice, operands[name].shape))]
        shared[:] = operands[name]
        out = buffer[tuple(map(slice, shape))]
        assert np.shares_memory(shared, out)
        with refused("out", "overlap"):
            call_raw(p, {**operands, name: shared}, setting, out=out)
        assert np.array_equal(shared, operands[name])


def test_interleaved_out_does_not_overlap():
    p = cases.parse_line('forward 1x2x3x4 2x2x1x1 1x2x3x4 "same shape in and out"')
    tensors = p.integers()
    buffer = np.full((1, 2, 3, 8), CANARY, np.float32)
    source, out = buffer[..., ::2], buffer[..., 1::2]
    source[:] = tensors["source"]
    weights = tensors["weights"].astype(np.float32)
    call_raw(p, {"source": source, "weights": weights}, Setting(), out=out)
    assert np.array_equal(out, oracle.compute(p, tensors))
    assert np.array_equal(source, tensors["source"])


def test_out_that_overlaps_itself_is_refused():
    p, operands, shape, _ = prepared("forward", Setting())
    row = np.zeros(shape[-1], np.float32)
    out = np.lib.stride_tricks.as_strided(row, shape, (0, 0, 0, row.itemsize))
    with refused("out"):
        call_raw(p, operands, Setting(), out=out)


def test_results_are_fresh_and_packed():
    p, operands, shape, _ = prepared("forward", Setting())
    first, second = (call_raw(p, operands, Setting()) for _ in range(2))
    assert first is not second
    assert not np.shares_memory(first, second)
    assert first.shape == shape
    assert first.flags.c_contiguous
    assert first.flags.writeable
    assert type(first) is np.ndarray
