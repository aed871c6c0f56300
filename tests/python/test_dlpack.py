# SPDX-License-Identifier: MIT
"""Operands from libraries that speak DLPack and not numpy."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import cases
import oracle
from refusal import refused
from running import Setting, call_raw, operands_in

PROBLEM = cases.parse_line('forward 2x4x5x6 4x3x3x2 2x3x10x7 s2x1 p1,1,0,0 "dlpack"')


class Producer:
    """A tensor of some other library, with a device and nothing else in common with numpy."""

    def __init__(self, array: np.ndarray):
        self._array = array
        self.exports = 0

    def __dlpack__(self, **options):
        self.exports += 1
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)


class OnTheGpu(Producer):
    def __dlpack__(self, **options):
        capsule = self._array.__dlpack__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        # DLManagedTensor begins with the data pointer; the device type follows, 2 means CUDA.
        address = pointer(capsule, b"dltensor") + ctypes.sizeof(ctypes.c_void_p)
        ctypes.c_int32.from_address(address).value = 2
        return capsule

    def __dlpack_device__(self):
        return (2, 0)


@pytest.mark.parametrize("operation", cases.OPERATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_producers(operation, dtype):
    p = PROBLEM.but(operation=operation)
    tensors = p.integers()
    packed = operands_in(p, tensors, Setting(dtype))
    producers = {name: Producer(value) for name, value in packed.items()}
    result = call_raw(p, producers, Setting(dtype))
    assert isinstance(result, np.ndarray)
    assert np.array_equal(result, oracle.compute(p, tensors))
    assert all(producer.exports == 1 for producer in producers.values())


def test_strided_producer():
    p = PROBLEM
    tensors = p.integers()
    packed = operands_in(p, tensors, Setting())
    buffer = np.zeros((2, 8, 5, 12), np.float32)
    view = buffer[:, ::2, :, ::2]
    view[:] = packed["source"]
    result = call_raw(p, {**packed, "source": Producer(view)}, Setting())
    assert np.array_equal(result, oracle.compute(p, tensors))


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    p = PROBLEM
    tensors = p.integers()
    packed = operands_in(p, tensors, Setting())
    theirs = {name: torch.from_numpy(value) for name, value in packed.items()}
    assert np.array_equal(call_raw(p, theirs, Setting()), oracle.compute(p, tensors))
    channels_last = theirs["source"].to(memory_format=torch.channels_last)
    result = call_raw(p, {**theirs, "source": channels_last}, Setting())
    assert np.array_equal(result, oracle.compute(p, tensors))


def test_a_tensor_on_another_device_is_refused():
    packed = operands_in(PROBLEM, PROBLEM.integers(), Setting())
    with refused("source", "CPU"):
        call_raw(PROBLEM, {**packed, "source": OnTheGpu(packed["source"])}, Setting())


def test_integers_from_a_producer_are_refused():
    packed = operands_in(PROBLEM, PROBLEM.integers(), Setting())
    with refused("source", "int64", kind=TypeError):
        call_raw(
            PROBLEM, {**packed, "source": Producer(packed["source"].astype(np.int64))}, Setting()
        )


def test_a_producer_that_fails_says_why():
    class Broken(Producer):
        def __dlpack__(self, **options):
            raise BufferError("no export today")

    packed = operands_in(PROBLEM, PROBLEM.integers(), Setting())
    with refused("source", "no export today"):
        call_raw(PROBLEM, {**packed, "source": Broken(packed["source"])}, Setting())


def test_the_result_outlives_its_producers():
    p = PROBLEM
    tensors = p.integers()
    packed = operands_in(p, tensors, Setting())
    result = call_raw(
        p, {name: Producer(value.copy()) for name, value in packed.items()}, Setting()
    )
    assert np.array_equal(result, oracle.compute(p, tensors))
