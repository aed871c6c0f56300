# SPDX-License-Identifier: MIT
"""Every wrong argument: a ValueError or TypeError that says which, what was expected, what came."""

from __future__ import annotations

import numpy as np
import pytest

import cases
import convtranspose as ct
from refusal import refused
from running import LAYOUTS, Setting, call_raw, descriptor_of, operands_in, shape_in

PROBLEM = cases.parse_line('forward 2x6x4x5 6x4x3x2 2x8x9x10 s2x2 g2 "right"')
FIELDS = {
    "stride_in_x": 1,
    "stride_in_y": 1,
    "dilation_rate_in_x": 1,
    "dilation_rate_in_y": 1,
    "groups": 1,
    "padding_left": 0,
    "padding_right": 0,
    "padding_top": 0,
    "padding_bottom": 0,
}


def operands(operation="forward", layouts=LAYOUTS[0]):
    p = PROBLEM.but(operation=operation)
    return p, operands_in(p, p.integers(), Setting("float32", *layouts))


def transpose(x, w, shape, descriptor, **options):
    return ct.convolution_transpose_2d(x, w, shape, descriptor, **options)


def ones(*shape, dtype=np.float32):
    return np.ones(shape, dtype)


def test_the_problem_itself_is_right():
    for operation in cases.OPERATIONS:
        p, given = operands(operation)
        call_raw(p, given, Setting(), strict=True)


@pytest.mark.parametrize("rank", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_wrong_rank(operation, rank):
    p, given = operands(operation)
    for name in p.operands:
        wrong = {**given, name: np.ones((2,) * rank, np.float32)}
        argument = "incoming_gradient" if name == "gradient" else name
        with refused(argument, "4", str(rank)):
            call_raw(p, wrong, Setting())


@pytest.mark.parametrize("layouts", LAYOUTS, ids="-".join)
def test_wrong_source_channels_name_the_layout(layouts):
    p, given = operands("forward", layouts)
    shape = shape_in((2, 5, 4, 5), layouts[0])
    with refused("source", "6", "5", layouts[0], layouts[1], str(shape)):
        call_raw(p, {**given, "source": ones(*shape)}, Setting("float32", *layouts))


@pytest.mark.parametrize("layouts", LAYOUTS, ids="-".join)
def test_wrong_result_channels_name_the_layout(layouts):
    p, given = operands("forward", layouts)
    wrong = p.but(output=(2, 7, 9, 10))
    with refused("output_shape", "8", "7", *layouts):
        call_raw(wrong, given, Setting("float32", *layouts))
    p, given = operands("data_gradient", layouts)
    shape = shape_in((2, 7, 9, 10), layouts[0])
    with refused("incoming_gradient", "8", "7", *layouts):
        call_raw(p, {**given, "gradient": ones(*shape)}, Setting("float32", *layouts))


@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_wrong_batch(operation):
    p, given = operands(operation)
    if operation == "forward":
        with refused("output_shape", "2", "3"):
            call_raw(p.but(output=(3, *p.output[1:])), given, Setting())
    elif operation == "data_gradient":
        with refused("incoming_gradient|output_shape", "2", "3"):
            call_raw(p.but(source=(3, *p.source[1:])), given, Setting())
    else:
        with refused("incoming_gradient|source", "2", "3"):
            call_raw(p, {**given, "source": ones(3, *p.source[1:])}, Setting())


def test_groups_that_do_not_divide():
    p, given = operands()
    with refused("weights|groups", "4", "6"):
        call_raw(p.but(groups=4, output=(2, 16, 9, 10)), given, Setting())


def test_weights_gradient_shape_that_contradicts_the_tensors():
    p, given = operands("weights_gradient")
    for wrong in ((5, 4, 3, 2), (6, 3, 3, 2), (6, 4, 4, 2), (6, 4, 3, 4)):
        with refused("source|output_shape|incoming_gradient"):
            call_raw(p.but(weights=wrong), given, Setting(), strict=True)


@pytest.mark.parametrize("field", FIELDS)
def test_descriptor_fields_below_their_least(field):
    p, given = operands()
    for value in (FIELDS[field] - 1, -7):
        with refused(field, str(FIELDS[field]), str(value)):
            descriptor = descriptor_of(p).replace(**{field: value})
            transpose(given["source"], given["weights"], p.output, descriptor)


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [1.5, "2", None, 2**63, -(2**63) - 1], ids=repr)
def test_descriptor_fields_that_are_no_64_bit_integers(field, value):
    with pytest.raises((TypeError, ValueError, OverflowError)) as raised:
        ct.Convolution2DOpDescriptor(**{field: value})
    assert not isinstance(raised.value, OverflowError), "ValueError or TypeError is promised"


@pytest.mark.parametrize("layout", ["CHW", "HWC", "HW", "NCDHW", "NDHWC", "OIDHW", "DHWIO"])
def test_layouts_of_other_ranks(layout):
    p, given = operands()
    for field, right in (("data_layout", "NHWC"), ("weights_layout", "HWIO")):
        with refused(field, right, "NCHW" if field == "data_layout" else "OIHW"):
            descriptor = descriptor_of(p).replace(**{field: ct.TensorNamedDataLayout[layout]})
            transpose(given["source"], given["weights"], p.output, descriptor)


def test_data_and_weights_layouts_are_not_interchangeable():
    p, given = operands()
    for changes in (
        {"data_layout": ct.TensorNamedDataLayout.OIHW},
        {"weights_layout": ct.TensorNamedDataLayout.NCHW},
    ):
        with refused(next(iter(changes))):
            descriptor = descriptor_of(p).replace(**changes)
            transpose(given["source"], given["weights"], p.output, descriptor)


@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_mixed_dtypes_name_both(operation):
    p, given = operands(operation)
    for name in p.operands:
        wrong = {**given, name: given[name].astype(np.float64)}
        with refused(".+", "float32", "float64", kind=TypeError):
            call_raw(p, wrong, Setting())


@pytest.mark.parametrize(
    "dtype", ["int32", "int64", "uint8", "bool", "complex64", "longdouble", "O"]
)
def test_unsupported_dtypes(dtype):
    p, given = operands()
    wrong = {name: value.astype(dtype) for name, value in given.items()}
    with refused("source", "float32", np.dtype(dtype).name, kind=TypeError):
        call_raw(p, wrong, Setting())


@pytest.mark.parametrize("thing", [[[[[1.0]]]], 1.0, None, "text", b"bytes", object()], ids=repr)
@pytest.mark.parametrize("operation", cases.OPERATIONS)
def test_non_arrays(operation, thing):
    p, given = operands(operation)
    for name in p.operands:
        argument = "incoming_gradient" if name == "gradient" else name
        with refused(argument, type(thing).__name__, kind=TypeError):
            call_raw(p, {**given, name: thing}, Setting())


@pytest.mark.parametrize("shape", [(), (2, 8), (9, 10), (2, 8, 9), (2, 8, 9, 10, 1)], ids=str)
def test_output_shape_of_another_length(shape):
    p, given = operands()
    with refused("output_shape", "4", str(len(shape))):
        transpose(given["source"], given["weights"], shape, descriptor_of(p))


@pytest.mark.parametrize(
    "shape",
    [None, 4, "2x8", (2, 8, 9.5, 10), (2, 8, None, 10), (2, 8, "9", 10), (2, 8, 2**64, 10)],
    ids=repr,
)
def test_output_shape_of_another_kind(shape):
    p, given = operands()
    with refused("output_shape"):
        transpose(given["source"], given["weights"], shape, descriptor_of(p))


def test_output_shape_as_list_array_or_numpy_integers():
    p, given = operands()
    expected = call_raw(p, given, Setting())
    for shape in (list(p.output), np.array(p.output), tuple(map(np.int32, p.output))):
        result = transpose(given["source"], given["weights"], shape, descriptor_of(p))
        assert np.array_equal(result, expected)


def test_wrong_descriptor_type():
    p, given = operands()
    for wrong in ({}, "descriptor", 3):
        with pytest.raises(TypeError):
            transpose(given["source"], given["weights"], p.output, wrong)


@pytest.mark.parametrize("threads", [0, -1, -(2**40)])
def test_wrong_threads(threads):
    p, given = operands()
    with refused("threads", str(threads)):
        call_raw(p, given, Setting(), threads=threads)


@pytest.mark.parametrize("threads", [1.5, "2", [1]])
def test_threads_of_another_type(threads):
    p, given = operands()
    with pytest.raises(TypeError):
        call_raw(p, given, Setting(), threads=threads)


def test_the_operation_name_leads_the_message():
    p, given = operands()
    wrong = p.but(output=(2, 7, 9, 10))
    with refused("output_shape", by="decoder/up3"):
        call_raw(wrong, given, Setting(), name="decoder/up3")
    with refused("output_shape", by="convolution_transpose_2d"):
        call_raw(wrong, given, Setting())
    p, given = operands("data_gradient")
    with refused("output_shape|source", by="convolution_transpose_2d_data_gradient"):
        call_raw(p.but(source=(2, 5, 4, 5)), given, Setting())


def test_options_are_keyword_only():
    p, given = operands()
    with pytest.raises(TypeError):
        ct.convolution_transpose_2d(
            given["source"], given["weights"], p.output, descriptor_of(p), None, None
        )
    with pytest.raises(TypeError):
        transpose(given["source"], given["weights"], p.output, descriptor_of(p), padding=1)


def test_sizes_beyond_63_bits():
    huge = 2**62
    one = ones(1, 1, 1, 1)
    descriptor = ct.Convolution2DOpDescriptor()
    with refused("output_shape"):
        transpose(one, one, (1, 1, huge, huge), descriptor, strict=False)
    for field in ("stride_in_x", "dilation_rate_in_x"):
        wide, kernel = ones(1, 1, 1, 4), ones(1, 1, 1, 4)
        with refused(".+"):
            transpose(wide, kernel, (1, 1, 1, 4), descriptor.replace(**{field: huge}), strict=False)
    with refused(".+"):
        paddings = descriptor.replace(padding_left=2**63 - 1, padding_right=2**63 - 1)
        transpose(one, one, (1, 1, 1, 1), paddings)
    # A packed copy of these weights would have 2**64 bytes.
    source = np.broadcast_to(one, (1, 2**30, 1, 1))
    gradient = np.broadcast_to(one, (1, 2**28, 4, 4))
    with refused("output_shape", str(2**30)):
        ct.convolution_transpose_2d_weights_gradient(
            gradient, source, (2**30, 2**28, 4, 4), descriptor
        )


def test_the_process_still_works_after_refusals():
    p, given = operands()
    before = call_raw(p, given, Setting())
    for _ in range(50):
        with refused("output_shape"):
            call_raw(p.but(output=(2, 8, 3, 3)), given, Setting(), strict=True)
    assert np.array_equal(call_raw(p, given, Setting()), before)


def test_output_shape_range_refuses_alike():
    descriptor = ct.Convolution2DOpDescriptor(groups=2)
    with refused("weights_shape", "2", "3", by="output_shape_range"):
        ct.output_shape_range((1, 3, 4, 4), (3, 1, 2, 2), descriptor)
    with refused("source_shape", "4", by="output_shape_range"):
        ct.output_shape_range((1, 3, 4), (4, 1, 2, 2), descriptor)
