# SPDX-License-Identifier: MIT
"""The C interface from Python's ctypes: ``ctypes_c_api.py LIBRARY``, with Python alone."""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, byref, c_double, c_int32, c_int64, c_size_t, c_void_p

OK, INVALID_ARGUMENT = 0, 1
TRANSPOSED, WEIGHTS_GRADIENT = 0, 2


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", c_void_p),
        ("shape", c_int64 * 4),
        ("strides", c_int64 * 4),
        ("dtype", c_int32),
        ("reserved", c_int32),
    )


class Descriptor(ctypes.Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        *((name, c_int64) for name in ("stride_in_x", "stride_in_y")),
        *((name, c_int64) for name in ("dilation_rate_in_x", "dilation_rate_in_y", "groups")),
        ("padding", c_int64 * 4),
        *((name, c_int32) for name in ("padding_style", "data_layout", "weights_layout")),
        ("reserved", c_int32),
    )


TASK = ctypes.CFUNCTYPE(None, c_void_p, c_int64, c_int32)
CONCURRENCY = ctypes.CFUNCTYPE(c_int32, c_void_p)
PARALLEL_FOR = ctypes.CFUNCTYPE(None, c_void_p, c_int64, c_int32, TASK, c_void_p)


class Executor(ctypes.Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("user", c_void_p),
        ("concurrency", CONCURRENCY),
        ("parallel_for", PARALLEL_FOR),
    )


class RunOptions(ctypes.Structure):
    _fields_ = (
        ("struct_size", c_size_t),
        ("executor", POINTER(Executor)),
        ("workspace", c_void_p),
        ("workspace_bytes", c_int64),
        ("threads", c_int32),
        ("reserved", c_int32),
    )


library = ctypes.CDLL(sys.argv[1])
library.convtranspose_dense.restype = Tensor
library.convtranspose_dense.argtypes = [c_void_p, c_int32, *(4 * [c_int64])]
library.convtranspose_message.restype = ctypes.c_char_p
library.convtranspose_version.restype = ctypes.c_char_p
library.convtranspose_plan_destroy.argtypes = [c_void_p]
library.convtranspose_plan_run.argtypes = [c_void_p, *(4 * [c_void_p])]


def message() -> str:
    return library.convtranspose_message().decode()


def tensor(numbers: ctypes.Array, *shape: int) -> Tensor:
    return library.convtranspose_dense(ctypes.addressof(numbers), 1, *shape)


# The example of README.md: every second column of every second row is a copy of a tap.
source = (c_double * 4)(1, 2, 3, 4)
weights = (c_double * 9)(*range(1, 10))
result = (c_double * 16)()
s, w, r = tensor(source, 1, 1, 2, 2), tensor(weights, 1, 1, 3, 3), tensor(result, 1, 1, 4, 4)
descriptor = Descriptor(ctypes.sizeof(Descriptor), 2, 2, 1, 1, 1)
descriptor.weights_layout = 2  # OIHW
descriptor.padding_style = 2  # TF_SAME
expected = [1, 2, 5, 4, 4, 5, 14, 10, 10, 14, 36, 24, 12, 15, 34, 20]

operands = byref(s), byref(w), byref(r), byref(descriptor)
assert library.convtranspose_call(TRANSPOSED, *operands, None) == OK, message()
assert list(result) == expected, list(result)

plan = c_void_p()
assert library.convtranspose_plan_create(byref(plan), TRANSPOSED, *operands, None) == OK, message()
loops = []


@PARALLEL_FOR
def parallel_for(user, count, workers, task, context):
    loops.append(count)
    for i in range(count):
        task(context, i, i % workers)


executor = Executor(ctypes.sizeof(Executor), None, CONCURRENCY(lambda user: 4), parallel_for)
options = RunOptions(ctypes.sizeof(RunOptions), ctypes.pointer(executor))
ctypes.memset(result, 0xFF, ctypes.sizeof(result))
done = library.convtranspose_plan_run(plan, byref(s), None, byref(r), byref(options))
assert done == OK, message()
assert list(result) == expected, list(result)
library.convtranspose_plan_destroy(plan)

descriptor.stride_in_x = 0
assert library.convtranspose_call(TRANSPOSED, *operands, None) == INVALID_ARGUMENT
assert message() == "convolution_transpose_2d: stride_in_x: expected at least 1, got 0", message()
print(f"{library.convtranspose_version().decode()} through ctypes: right; loops of {loops}")
