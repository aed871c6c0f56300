# SPDX-License-Identifier: MIT
"""Printed Swift and Objective-C against the signatures that Apple documents."""

from __future__ import annotations

import re

import pytest

import convtranspose as ct
from cases import DATA

D = ct.Convolution2DOpDescriptor
TABLE = [
    line.split("\t")
    for line in (DATA / "mpsgraph_signatures.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
SIGNATURES = {ours: (swift, selector) for ours, swift, selector, _ in TABLE}
OPERATIONS = [ours for ours in SIGNATURES if ours.startswith("convolution_")]
EVERYTHING = D(
    stride_in_x=2,
    stride_in_y=3,
    dilation_rate_in_x=4,
    dilation_rate_in_y=5,
    groups=6,
    padding_left=7,
    padding_right=8,
    padding_top=9,
    padding_bottom=10,
    padding_style=ct.PaddingStyle.ONNX_SAME_LOWER,
    data_layout=ct.TensorNamedDataLayout.NHWC,
    weights_layout=ct.TensorNamedDataLayout.HWIO,
)


def shape_for(operation: str) -> tuple[int, ...] | None:
    return None if operation == "convolution_2d" else (1, 30, 40, 6)


def swift_calls(code: str) -> list[tuple[str, dict[str, str]]]:
    """Signature and arguments by label of each call."""
    calls = []
    for name, body in re.findall(r"= (?:graph\.)?(\w+)\(\n(.*?)\)!?(?:\n|$)", code, re.DOTALL):
        arguments = {}
        for line in body.split(",\n"):
            label, separator, value = line.strip().partition(": ")
            arguments[label if separator else "_"] = value if separator else label
        calls.append((f"{name}({''.join(f'{label}:' for label in arguments)})", arguments))
    return calls


def objc_calls(code: str) -> list[tuple[str, dict[str, str]]]:
    calls = []
    for body in re.findall(r"= \[\w+\n(.*?)\];", code, re.DOTALL):
        arguments = dict(line.strip().split(":", 1) for line in body.splitlines())
        calls.append(("".join(f"{label}:" for label in arguments), arguments))
    return calls


@pytest.mark.parametrize("operation", OPERATIONS)
def test_swift_labels_and_order(operation):
    code = EVERYTHING.to_swift(shape_for(operation), operation=operation, name='a "b"')
    (made, fields), (called, arguments) = swift_calls(code)
    assert made == SIGNATURES["Convolution2DOpDescriptor"][0]
    assert called == SIGNATURES[operation][0]
    assert list(fields.values()) == [
        *map(str, range(2, 11)),
        ".ONNX_SAME_LOWER",
        ".NHWC",
        ".HWIO",
    ]
    assert arguments["name"] == r'"a \"b\""'
    if operation != "convolution_2d":
        assert arguments["outputShape"] == "[1, 30, 40, 6]"


@pytest.mark.parametrize("operation", OPERATIONS)
def test_objective_c_labels_and_order(operation):
    code = EVERYTHING.to_objc(shape_for(operation), operation=operation, name="a")
    (made, fields), (called, arguments) = objc_calls(code)
    assert made == SIGNATURES["Convolution2DOpDescriptor"][1]
    assert called == SIGNATURES[operation][1]
    assert list(fields.values()) == [
        *map(str, range(2, 11)),
        "MPSGraphPaddingStyleONNX_SAME_LOWER",
        "MPSGraphTensorNamedDataLayoutNHWC",
        "MPSGraphTensorNamedDataLayoutHWIO",
    ]
    assert arguments["name"] == '@"a"'
    if operation != "convolution_2d":
        assert arguments["outputShape"] == "@[@1, @30, @40, @6]"


@pytest.mark.parametrize(
    ("operation", "operands"),
    [
        ("convolution_2d", ["source", "weights"]),
        ("convolution_transpose_2d", ["source", "weights"]),
        ("convolution_transpose_2d_data_gradient", ["incomingGradient", "weights"]),
        ("convolution_transpose_2d_weights_gradient", ["incomingGradient", "source"]),
    ],
)
def test_operands_are_called_as_here(operation, operands):
    swift = swift_calls(D().to_swift(shape_for(operation), operation=operation))[1][1]
    objc = objc_calls(D().to_objc(shape_for(operation), operation=operation))[1][1]
    assert list(swift.values())[:2] == operands
    assert list(objc.values())[:2] == operands
    assert swift["name"] == objc["name"] == "nil"


@pytest.mark.parametrize(
    ("style", "swift", "objc"),
    [
        (ct.PaddingStyle.EXPLICIT, ".explicit,", "MPSGraphPaddingStyleExplicit\n"),
        (ct.PaddingStyle.TF_VALID, ".TF_VALID,", "MPSGraphPaddingStyleTF_VALID\n"),
        (ct.PaddingStyle.TF_SAME, ".TF_SAME,", "MPSGraphPaddingStyleTF_SAME\n"),
        (ct.PaddingStyle.EXPLICIT_OFFSET, ".explicitOffset,", "StyleExplicitOffset\n"),
    ],
)
def test_names_of_padding_styles(style, swift, objc):
    assert swift in D(padding_style=style).to_swift((1, 1, 1, 1))
    assert objc in D(padding_style=style).to_objc((1, 1, 1, 1))


def test_refusals_name_the_argument():
    with pytest.raises(ValueError, match=r"^to_swift: operation: expected one of convolution_2d"):
        D().to_swift((1, 1, 1, 1), operation="convolution_3d")
    with pytest.raises(ValueError, match=r"^to_objc: output_shape: expected 4 sizes, got None"):
        D().to_objc()
    with pytest.raises(ValueError, match=r"output_shape: expected 4 sizes, got \(1, 2\)"):
        D().to_swift((1, 2))
    with pytest.raises(ValueError, match="expected none for convolution_2d"):
        D().to_swift((1, 1, 1, 1), operation="convolution_2d")
