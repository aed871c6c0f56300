# SPDX-License-Identifier: MIT
"""A model in ONNX on the library's kernels: its nodes inside the reference evaluator, and one alone.

pip install 'convtranspose[onnx]'
python onnx_model.py              # a small generator made here
python onnx_model.py model.onnx   # or any file whose inputs have fixed shapes
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import convtranspose as ct
from convtranspose.onnx import ConvTranspose, conv_transpose


def generator() -> onnx.ModelProto:
    """Return three layers that make an image of 32 x 32 pixels from 4 x 4 features."""
    rng = np.random.default_rng(0)
    channels = (64, 32, 16, 3)
    nodes, weights = [], []
    for layer in range(3):
        shape = (channels[layer], channels[layer + 1], 4, 4)
        array = rng.normal(0, 0.05, shape).astype(np.float32)
        weights.append(numpy_helper.from_array(array, f"weights{layer}"))
        nodes += [
            helper.make_node(
                "ConvTranspose",
                [f"x{layer}", f"weights{layer}"],
                [f"sum{layer}"],
                name=f"up{layer}",
                strides=[2, 2],
                auto_pad="SAME_UPPER",
            ),
            helper.make_node("Tanh" if layer == 2 else "Relu", [f"sum{layer}"], [f"x{layer + 1}"]),
        ]
    kind = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        nodes,
        "generator",
        [helper.make_tensor_value_info("x0", kind, [1, 64, 4, 4])],
        [helper.make_tensor_value_info("x3", kind, [1, 3, 32, 32])],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)])


def random_inputs(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """Return noise for each input of the model that it has no value for."""
    rng = np.random.default_rng(1)
    given = {tensor.name for tensor in model.graph.initializer}
    feeds = {}
    for value in model.graph.input:
        if value.name in given:
            continue
        kind = value.type.tensor_type
        shape = [dimension.dim_value for dimension in kind.shape.dim]
        dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type)
        feeds[value.name] = rng.standard_normal(shape).astype(dtype)
    return feeds


def compare(model: onnx.ModelProto) -> None:
    """Run the model with ONNX's kernels and with ours."""
    feeds, results = random_inputs(model), []
    for name, new_ops in (("onnx.reference", []), ("convtranspose", [ConvTranspose])):
        evaluator = ReferenceEvaluator(model, new_ops=new_ops)
        start = time.perf_counter()
        results.append(evaluator.run(None, feeds)[0])
        print(f"{name:15} {1e3 * (time.perf_counter() - start):9.2f} ms")
    print(f"largest difference {np.abs(results[0] - results[1]).max():.1e}")


def describe(model: onnx.ModelProto) -> None:
    """Print the descriptor of each node of ours, which MPSGraph would be given."""
    shapes = {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer}
    for node in model.graph.node:
        weights_shape = shapes.get(node.input[1]) if node.op_type == "ConvTranspose" else None
        if weights_shape is not None:
            descriptor = ct.Convolution2DOpDescriptor.from_onnx(node, weights_shape=weights_shape)
            print(f"{node.name}: {descriptor}")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", help="an ONNX file")
    options = parser.parse_args()
    model = onnx.load(options.model) if options.model else generator()
    compare(model)
    describe(model)
    one = conv_transpose(
        np.float32([1, 2, 3]).reshape(1, 1, 3),
        np.float32([1, 10, 100]).reshape(1, 1, 3),
        strides=[2],
        output_padding=[1],
    )
    print(f"one node in one dimension: {one.ravel()}")


if __name__ == "__main__":
    main()
