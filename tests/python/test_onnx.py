# SPDX-License-Identifier: MIT
"""ConvTranspose nodes against ONNX's own tests, ONNX Runtime and the specification."""

from __future__ import annotations

import doctest

import numpy as np
import pytest

import onnx_nodes
import tolerance

onnx = pytest.importorskip("onnx")
from onnx.reference import ReferenceEvaluator

from convtranspose.onnx import ConvTranspose, conv_transpose
from convtranspose.onnx import node as node_module

X = np.float32([1, 2, 3, 4]).reshape(1, 1, 4)
W = np.float32([1, 10, 100]).reshape(1, 1, 3)
FULL = [1, 10, 102, 20, 203, 30, 304, 40, 400]  # their transposed convolution with stride 2


def evaluate(model, inputs: list[np.ndarray]) -> np.ndarray:
    names = [value.name for value in model.graph.input]  # initializers may be among the last
    feeds = dict(zip(names, inputs, strict=False))
    return ReferenceEvaluator(model, new_ops=[ConvTranspose]).run(None, feeds)[0]


def absolute(model):
    """The model with absolute values for its constants."""
    copy = type(model)()
    copy.CopyFrom(model)
    for tensor in copy.graph.initializer:
        array = np.abs(onnx.numpy_helper.to_array(tensor))
        tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    return copy


def runtime(model, inputs: list[np.ndarray]) -> np.ndarray:
    ort = pytest.importorskip("onnxruntime")
    options = ort.SessionOptions()
    options.log_severity_level = 4
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [value.name for value in session.get_inputs()]
    return session.run(None, dict(zip(names, inputs, strict=True)))[0]


# ------------------------------------------------------------------------ against others
def test_examples():
    failed, tried = doctest.testmod(node_module)
    assert tried
    assert not failed


def test_every_backend_test_of_the_onnx_package():
    names = []
    for name, model, inputs, outputs in onnx_nodes.backend_cases():
        if inputs[0].ndim > 4:
            continue
        result = evaluate(model, inputs)
        (expected,) = outputs
        assert result.dtype == expected.dtype
        assert result.shape == expected.shape, name
        # Outputs in the package are rounded too: each side is within the bound of the exact value.
        scale = evaluate(absolute(model), [np.abs(array) for array in inputs]).astype(np.float64)
        shapes = [tensor.dims for tensor in model.graph.initializer] + [a.shape for a in inputs[1:]]
        terms = max(int(np.prod(shape)) for shape in shapes) + 1  # more than any element sums
        allowed = 2 * tolerance.bound(np.float32, scale, terms)
        assert (np.abs(result.astype(np.float64) - expected) <= allowed).all(), name
        names.append(name)
    assert len(names) >= 11, names  # in onnx 1.16; 13 in 1.23


@pytest.mark.parametrize("hundred", range(3))
def test_a_hundred_random_nodes_agree_with_onnx_runtime(hundred):
    kinds = set()
    for seed in range(100 * hundred, 100 * hundred + 100):
        attributes, inputs, opset = onnx_nodes.random_node(np.random.default_rng(seed))
        model = onnx_nodes.model(attributes, inputs, opset)
        theirs = runtime(model, inputs)
        ours = evaluate(model, inputs)
        assert np.array_equal(ours, theirs), (seed, attributes, opset)
        kinds.add((attributes.get("auto_pad"), "output_shape" in attributes, ours.ndim))
    assert len(kinds) >= 14  # all forms of padding, in one dimension and two


def test_a_whole_model():
    """Two layers with an activation between them, as a file would have them."""
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(0)
    weights = [
        rng.integers(-3, 4, shape).astype(np.float32) for shape in ((3, 4, 4, 4), (4, 1, 5, 3))
    ]
    graph = helper.make_graph(
        [
            helper.make_node("ConvTranspose", ["X", "W0"], ["A"], strides=[2, 2], pads=[1] * 4),
            helper.make_node("Relu", ["A"], ["B"]),
            helper.make_node(
                "ConvTranspose", ["B", "W1"], ["Y"], strides=[3, 2], auto_pad="SAME_LOWER", group=1
            ),
        ],
        "generator",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, [2, 3, 5, 6])],
        [helper.make_tensor_value_info("Y", TensorProto.FLOAT, [2, 1, 30, 24])],
        [numpy_helper.from_array(array, f"W{i}") for i, array in enumerate(weights)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=8)
    source = rng.integers(-3, 4, (2, 3, 5, 6)).astype(np.float32)
    assert np.array_equal(evaluate(model, [source]), runtime(model, [source]))


# ------------------------------------------------------- where implementations disagree
@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER"])
def test_same_with_a_stride_beyond_the_kernel_has_the_size_of_the_specification(auto_pad):
    # Input times stride. ONNX Runtime and onnx.shape_inference leave 2 elements away, ONNX's
    # reference evaluator moves the result by one.
    attributes = {"auto_pad": auto_pad, "strides": [5]}
    model = onnx_nodes.model(attributes, [X, W], 22)
    ours = evaluate(model, [X, W])
    assert ours.ravel().tolist() == [v * t for v in (1, 2, 3, 4) for t in (1, 10, 100, 0, 0)]
    assert runtime(model, [X, W]).shape == (1, 1, 18)
    theirs = ReferenceEvaluator(model).run(None, {"X": X, "W": W})[0]
    assert np.array_equal(theirs[..., 1:], ours[..., :-1])


@pytest.mark.parametrize(
    ("auto_pad", "expected"),
    [("NOTSET", FULL[1:]), ("SAME_LOWER", FULL[1:]), ("SAME_UPPER", FULL[:-1])],
)
def test_the_odd_padding_of_an_output_shape(auto_pad, expected):
    # By the attribute's words; the operator's equations have it the other way round.
    result = conv_transpose(X, W, strides=[2], output_shape=[8], auto_pad=auto_pad)
    assert result.ravel().tolist() == expected


def test_an_output_shape_beyond_the_taps_is_filled_at_the_end():
    assert conv_transpose(X, W, strides=[2], output_shape=[10]).ravel().tolist() == [*FULL, 0]
    with pytest.raises(ValueError, match=r"output_shape: expected from 0 to 10 .* got 11"):
        conv_transpose(X, W, strides=[2], output_shape=[11])


def test_output_padding_below_the_dilation():
    # The specification says less than stride or dilation; ONNX Runtime wants less than the stride.
    result = conv_transpose(X, W, dilations=[3], output_padding=[2])
    assert result.ravel().tolist() == [1, 2, 3, 14, 20, 30, 140, 200, 300, 400, 0, 0]
    for padding in (3, 4):
        with pytest.raises(ValueError, match="output_padding: expected less than stride 1 or dil"):
            conv_transpose(X, W, dilations=[3], output_padding=[padding])


def test_output_padding_adds_what_taps_reach():
    # Not zeros, as some converters have it: the padding at the end hid these elements.
    shorter = conv_transpose(X, W, strides=[2], pads=[0, 2])
    longer = conv_transpose(X, W, strides=[2], pads=[0, 2], output_padding=[1])
    assert shorter.ravel().tolist() == FULL[:-2]
    assert longer.ravel().tolist() == FULL[:-1]


def test_output_padding_takes_part_in_derived_padding():
    result = conv_transpose(X, W, strides=[2], output_shape=[8], output_padding=[1])
    model = onnx_nodes.model(
        {"strides": [2], "output_shape": [8], "output_padding": [1]}, [X, W], 22
    )
    assert result.ravel().tolist() == FULL[1:]
    assert np.array_equal(result, runtime(model, [X, W]))


# ---------------------------------------------------------------------- operator sets
def test_version_1_limits_no_output_padding():
    # Its text has no limit; the limit came with version 11.
    result = conv_transpose(X, W, strides=[2], output_padding=[3], opset=1)
    assert result.ravel().tolist() == [*FULL, 0, 0, 0]
    with pytest.raises(ValueError, match="output_padding"):
        conv_transpose(X, W, strides=[2], output_padding=[3], opset=11)


def test_version_1_may_have_batch_and_channels_in_the_output_shape():
    old = conv_transpose(X, W, strides=[2], output_shape=[1, 1, 8], opset=10)
    assert np.array_equal(old, conv_transpose(X, W, strides=[2], output_shape=[8]))
    with pytest.raises(ValueError, match="output_shape: expected 1 integers"):
        conv_transpose(X, W, strides=[2], output_shape=[1, 1, 8], opset=11)


def test_bfloat16_came_with_version_22():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x, w = X.astype(ml_dtypes.bfloat16), W.astype(ml_dtypes.bfloat16)
    result = conv_transpose(x, w, strides=[2])
    assert result.dtype == x.dtype
    assert result.astype(np.float32).ravel().tolist() == [
        float(np.float32(value).astype(ml_dtypes.bfloat16)) for value in FULL
    ]
    with pytest.raises(TypeError, match=r"x: expected one of .* in operator set 21, got bfloat16"):
        conv_transpose(x, w, opset=21)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_other_types(dtype):
    x, w, b = X.astype(dtype), W.astype(dtype), np.asarray([7], dtype)
    result = conv_transpose(x, w, b, strides=[2])
    assert result.dtype == dtype
    assert result.ravel().tolist() == [value + 7 for value in FULL]


# -------------------------------------------------------------------------- refusals
@pytest.mark.parametrize(
    ("attributes", "named"),
    [
        ({"auto_pad": "SAME"}, "auto_pad: expected one of NOTSET, SAME_UPPER"),
        ({"auto_pad": "VALID", "pads": [0, 0]}, "pads: expected none beside auto_pad VALID"),
        ({"auto_pad": "SAME_UPPER", "pads": [1, 1]}, "pads: expected none beside auto_pad"),
        ({"pads": [-1, 0]}, "pads: expected 2 integers of at least 0"),
        ({"pads": [1, 1, 1, 1]}, "expected shapes and attributes for the same number of dim"),
        ({"pads": [3, 9]}, r"pads: expected at most 6 in all, got 3 \+ 9"),
        ({"strides": [0]}, "strides: expected 1 integers of at least 1"),
        ({"strides": [1, 1]}, "expected shapes and attributes for the same number of dim"),
        ({"dilations": [0]}, "dilations: expected 1 integers of at least 1"),
        ({"kernel_shape": [2]}, r"kernel_shape: expected \(3,\) as the weights have"),
        ({"output_padding": [2], "strides": [2]}, "output_padding: expected less than stride 2"),
        ({"group": 2}, "weights: expected an O axis that groups = 2 divides"),
        ({"output_shape": [8, 8]}, "output_shape: expected 1 integers"),
    ],
    ids=str,
)
def test_what_the_specification_makes_invalid_is_refused(attributes, named):
    with pytest.raises(ValueError, match=named) as refused:
        conv_transpose(X, W, **attributes, name="up")
    assert str(refused.value).startswith("up: ")
    model = onnx_nodes.model(attributes, [X, W], 22)
    with pytest.raises(ValueError, match=named):
        evaluate(model, [X, W])


def test_wrong_inputs_are_refused():
    with pytest.raises(ValueError, match=r"b: expected shape \(1,\), got \(2,\)"):
        conv_transpose(X, W, np.zeros(2, np.float32))
    with pytest.raises(TypeError, match="w: expected float32 as x, got float64"):
        conv_transpose(X, W.astype(np.float64))
    with pytest.raises(TypeError, match=r"x: expected one of .* got int32"):
        conv_transpose(X.astype(np.int32), W)
    with pytest.raises(TypeError, match="x: expected a numpy array, got list"):
        conv_transpose([1.0], W)
    cube = np.zeros((1, 1, 2, 2, 2), np.float32)
    with pytest.raises(ValueError, match="x and w of 3 axes both, or 4"):
        conv_transpose(cube, cube)


def test_a_node_may_be_linked_to_attributes_of_a_function():
    """`strides` of a node in a function may be the function's own attribute."""
    from onnx import AttributeProto, TensorProto, helper

    node = helper.make_node("ConvTranspose", ["X", "W"], ["Y"])
    link = AttributeProto(name="strides", type=AttributeProto.INTS, ref_attr_name="steps")
    node.attribute.append(link)
    opsets = [helper.make_opsetid("", 22), helper.make_opsetid("own", 1)]
    function = helper.make_function("own", "Up", ["X", "W"], ["Y"], [node], opsets[:1], ["steps"])
    graph = helper.make_graph(
        [helper.make_node("Up", ["X", "W"], ["Y"], domain="own", steps=[2])],
        "linked",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in "XW"],
        [helper.make_tensor_value_info("Y", TensorProto.FLOAT, None)],
    )
    model = helper.make_model(graph, opset_imports=opsets, functions=[function], ir_version=8)
    assert evaluate(model, [X, W]).ravel().tolist() == FULL
