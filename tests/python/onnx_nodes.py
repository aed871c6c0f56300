# SPDX-License-Identifier: MIT
"""Random ConvTranspose nodes, the models that hold them, and ONNX's own test cases."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

OPSETS = (1, 7, 11, 13, 22)


def model(attributes: dict[str, Any], inputs: list[np.ndarray], opset: int):
    """A model of one node; types are those of the inputs, the output's shape is left open."""
    from onnx import helper

    names = ["X", "W", "B"][: len(inputs)]
    kind = helper.np_dtype_to_tensor_dtype(inputs[0].dtype)
    node = helper.make_node("ConvTranspose", names, ["Y"], name="up", **attributes)
    graph = helper.make_graph(
        [node],
        "one node",
        [
            helper.make_tensor_value_info(name, kind, array.shape)
            for name, array in zip(names, inputs, strict=True)
        ],
        [helper.make_tensor_value_info("Y", kind, None)],
    )
    # The file format's version with which every runtime reads any operator set.
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def random_node(rng: np.random.Generator) -> tuple[dict[str, Any], list[np.ndarray], int]:
    """Attributes, inputs of small integers, and an operator set; valid in every version."""
    rank, group = int(rng.integers(1, 3)), int(rng.integers(1, 4))

    def draw(low: int, high: int) -> list[int]:
        return [int(number) for number in rng.integers(low, high, rank)]

    source, kernel, strides, dilations = draw(1, 7), draw(1, 6), draw(1, 5), draw(1, 4)
    full = [
        (n - 1) * s + (k - 1) * d + 1
        for n, s, k, d in zip(source, strides, kernel, dilations, strict=True)
    ]
    # ONNX Runtime wants it below the stride, see test_onnx.py.
    extras = [int(rng.integers(0, s)) for s in strides]
    attributes: dict[str, Any] = {"group": group}
    for name, value in (("strides", strides), ("dilations", dilations), ("kernel_shape", kernel)):
        if set(value) != {1} or name == "kernel_shape" or rng.integers(0, 2):
            attributes[name] = value
    if name == "kernel_shape" and rng.integers(0, 2):
        del attributes[name]  # it follows from W
    form = rng.choice(["pads", "SAME_UPPER", "SAME_LOWER", "VALID", "output_shape", "NOTSET"])
    if form == "pads":
        begin = [int(rng.integers(0, size)) for size in full]
        end = [int(rng.integers(0, size - b)) for size, b in zip(full, begin, strict=True)]
        attributes |= {"pads": begin + end, "output_padding": extras}
    elif form == "output_shape":
        # Within what the taps reach: beyond it implementations differ, see test_onnx.py.
        attributes["output_shape"] = [int(rng.integers(1, size + 1)) for size in full]
        padding = str(rng.choice(["NOTSET", "SAME_UPPER", "SAME_LOWER"]))
        attributes["auto_pad"] = padding
    else:
        attributes["auto_pad"] = str(form)
        if form in ("VALID", "NOTSET"):
            attributes["output_padding"] = extras
        else:
            # A stride beyond the dilated kernel is where implementations differ.
            strides[:] = [
                min(s, (k - 1) * d + 1) for s, k, d in zip(strides, kernel, dilations, strict=True)
            ]
            attributes["strides"] = strides
    channels, per_group = group * int(rng.integers(1, 3)), int(rng.integers(1, 4))

    def integers(*shape: int) -> np.ndarray:
        return rng.integers(-4, 5, shape).astype(np.float32)

    inputs = [
        integers(int(rng.integers(1, 3)), channels, *source),
        integers(channels, per_group, *kernel),
    ]
    if rng.integers(0, 2):
        inputs.append(integers(per_group * group))
    return attributes, inputs, int(rng.choice(OPSETS))


def backend_cases() -> Iterator[tuple[str, Any, list[np.ndarray], list[np.ndarray]]]:
    """Name, model, inputs and outputs of every test of the onnx package with such a node."""
    import onnx
    from onnx import numpy_helper
    from onnx.backend.test import loader
    from onnx.backend.test.case import node

    # Importing the operator's module makes its cases. The public collect_testcases makes those of
    # all operators first, for a minute.
    import_module("onnx.backend.test.case.node.convtranspose")
    nodes = [case for case in node._NodeTestCases if case.name.startswith("test_convtranspose")]
    for test in nodes:
        for inputs, outputs in test.data_sets:
            yield test.name, test.model, list(inputs), list(outputs)
    kinds = ("pytorch-converted", "pytorch-operator", "simple")
    for test in (test for kind in kinds for test in loader.load_model_tests(kind=kind)):
        loaded = onnx.load(Path(test.model_dir, "model.onnx"))
        if not any(node.op_type == "ConvTranspose" for node in loaded.graph.node):
            continue
        for folder in sorted(Path(test.model_dir).glob("test_data_set_*")):

            def tensors(kind: str, folder: Path = folder) -> list[np.ndarray]:
                files = sorted(
                    folder.glob(f"{kind}_*.pb"), key=lambda file: int(file.stem[len(kind) + 1 :])
                )
                return [numpy_helper.to_array(onnx.load_tensor(file)) for file in files]

            yield test.name, loaded, tensors("input"), tensors("output")
