# SPDX-License-Identifier: MIT
"""Operands as other people's memory: strides of any sign, zero strides, read-only, odd offsets."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

import cases
import oracle
from refusal import refused
from running import (
    DTYPES,
    LAYOUTS,
    UNIVERSAL,
    Setting,
    call_raw,
    operands_in,
    result_layout,
    to_layout,
)

PROBLEM = cases.parse_line(
    'forward 3x4x5x6 4x3x3x2 3x3x10x7 s2x1 p1,1,0,0 "as reported to PyTorch"'
)


def every_second(array: np.ndarray) -> np.ndarray:
    buffer = np.full([2 * extent for extent in array.shape], np.nan, array.dtype)
    view = buffer[::2, ::2, ::2, ::2]
    view[:] = array
    return view


def reversed_axes(array: np.ndarray) -> np.ndarray:
    buffer = np.ascontiguousarray(array[::-1, ::-1, ::-1, ::-1])
    return buffer[::-1, ::-1, ::-1, ::-1]


def read_only(array: np.ndarray) -> np.ndarray:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def offset_by(elements: int):
    def moved(array: np.ndarray) -> np.ndarray:
        raw = np.zeros(array.size + elements, array.dtype)
        raw[elements:] = array.ravel()
        view = np.frombuffer(raw.tobytes(), array.dtype, offset=elements * array.itemsize)
        return view.reshape(array.shape)

    moved.__name__ = f"offset_by_{elements}"
    return moved


def reordered(order: tuple[int, ...]):
    def stored(array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array.transpose(order)).transpose(np.argsort(order))

    stored.__name__ = "stored_" + "".join(map(str, order))
    return stored


VIEWS = [
    every_second,
    reversed_axes,
    read_only,
    *map(offset_by, (1, 3)),
    *map(reordered, list(permutations(range(4)))[1:]),
]


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)
@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_view(operation, view):
    p = PROBLEM.but(operation=operation)
    tensors = p.integers()
    exact = oracle.compute(p, tensors)
    for turn, layouts in enumerate(LAYOUTS):
        setting = Setting(DTYPES[turn % 2], *layouts, algorithm=UNIVERSAL[turn % len(UNIVERSAL)])
        packed = operands_in(p, tensors, setting)
        expected = to_layout(exact, result_layout(p, setting))
        for name in p.operands:
            operands = {**packed, name: view(packed[name])}
            assert np.array_equal(operands[name], packed[name])
            assert np.array_equal(call_raw(p, operands, setting), expected), (name, setting)


@pytest.mark.parametrize("operation", ["forward", "data_gradient"])
def test_broadcast_batch_and_channels(operation):
    p = PROBLEM.but(operation=operation)
    tensors = p.integers()
    for name in p.operands:
        shape = p.shapes[name]
        for axis in range(4):
            one = tensors[name].take([0], axis)
            spread = {**tensors, name: np.broadcast_to(one, shape).copy()}
            zero_stride = np.broadcast_to(one.astype(np.float32), shape)
            assert zero_stride.strides[axis] == 0
            operands = {**operands_in(p, tensors, Setting()), name: zero_stride}
            for algorithm in UNIVERSAL:
                result = call_raw(p, operands, Setting(algorithm=algorithm))
                assert np.array_equal(result, oracle.compute(p, spread)), (name, axis, algorithm)


@pytest.mark.parametrize("position", [0, 1])
def test_elements_off_their_alignment_are_refused_or_right(position):
    p = PROBLEM
    packed = operands_in(p, p.integers(), Setting())
    name = p.operands[position]
    raw = b"\0" + packed[name].tobytes()
    view = np.frombuffer(raw, np.uint8)[1:].view(np.float32).reshape(packed[name].shape)
    assert not view.flags.aligned
    try:
        result = call_raw(p, {**packed, name: view}, Setting())
    except ValueError:
        with refused(name, "multiple"):
            call_raw(p, {**packed, name: view}, Setting())
    else:
        assert np.array_equal(result, oracle.compute(p, p.integers()))


def test_foreign_byte_order_is_refused_by_name():
    p = PROBLEM
    packed = operands_in(p, p.integers(), Setting())
    swapped = packed["source"].astype(packed["source"].dtype.newbyteorder())
    with refused("source", "float32", kind=TypeError):
        call_raw(p, {**packed, "source": swapped}, Setting())


def test_memory_mapped_weights(tmp_path):
    p = PROBLEM
    packed = operands_in(p, p.integers(), Setting())
    path = tmp_path / "weights.bin"
    path.write_bytes(b"head" + packed["weights"].tobytes())
    mapped = np.memmap(path, np.float32, "r", offset=4, shape=packed["weights"].shape)
    result = call_raw(p, {**packed, "weights": mapped}, Setting())
    assert np.array_equal(result, oracle.compute(p, p.integers()))


def test_masked_arrays_are_refused():
    p = PROBLEM
    packed = operands_in(p, p.integers(), Setting())
    masked = np.ma.masked_less(packed["source"], 0)
    with refused("source", "mask", kind=TypeError):
        call_raw(p, {**packed, "source": masked}, Setting())


def test_operands_are_not_changed():
    for operation in cases.OPERATIONS:
        p = PROBLEM.but(operation=operation)
        packed = operands_in(p, p.inputs(), Setting())
        before = {name: value.tobytes() for name, value in packed.items()}
        call_raw(p, packed, Setting())
        assert {name: value.tobytes() for name, value in packed.items()} == before
