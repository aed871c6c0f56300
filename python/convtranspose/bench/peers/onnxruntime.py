# SPDX-License-Identifier: MIT
"""ONNX Runtime: ConvTranspose, and Conv for the data gradient, with bound inputs and outputs.

The weights are an initializer, which a session lays out once when it is made.
"""

from __future__ import annotations

from collections.abc import Iterator

import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from ..candidate import Candidate, Unsupported
from ..operands import FORWARD, WEIGHTS_GRADIENT, Operands

LIBRARY = "ONNX Runtime"
VERSION = onnxruntime.__version__
DTYPES = ("float32",)


def candidates(operands: Operands, threads: int) -> Iterator[Candidate]:
    if operands.op == WEIGHTS_GRADIENT:
        raise Unsupported("it has no weights gradient")
    session = onnxruntime.InferenceSession(
        _model(operands).SerializeToString(), _options(threads), ["CPUExecutionProvider"]
    )
    data = operands.source if operands.op == FORWARD else operands.incoming_gradient
    source = onnxruntime.OrtValue.ortvalue_from_numpy(data)
    output = onnxruntime.OrtValue.ortvalue_from_shape_and_type(
        list(operands.result_shape), data.dtype
    )
    binding = session.io_binding()
    binding.bind_ortvalue_input("source", source)
    binding.bind_ortvalue_output("result", output)

    def run() -> None:
        session.run_with_iobinding(binding)

    yield Candidate("ort", LIBRARY, "NCHW", True, run, output.numpy)


def _options(threads: int) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Its idle threads would otherwise spin into the next candidate's time.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    return options


def _model(operands: Operands) -> onnx.ModelProto:
    problem = operands.problem
    left, right, top, bottom = problem.padding
    attributes = {
        "strides": list(problem.stride),
        "dilations": list(problem.dilation),
        "pads": [top, left, bottom, right],
        "group": problem.groups,
        "kernel_shape": list(problem.kernel),
    }
    if operands.op == FORWARD:
        kind, source_shape = "ConvTranspose", problem.source_shape
        attributes["output_padding"] = [problem.slack(0), problem.slack(1)]
    else:
        kind, source_shape = "Conv", problem.output_shape
    element = TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node(kind, ["source", "weights"], ["result"], **attributes)],
        "layer",
        [helper.make_tensor_value_info("source", element, source_shape)],
        [helper.make_tensor_value_info("result", element, operands.result_shape)],
        [numpy_helper.from_array(operands.weights, "weights")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
