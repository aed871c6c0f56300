# SPDX-License-Identifier: MIT
"""OpenVINO: one compiled model a layer, latency hint, float32 inference, caller's own tensors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import openvino
from openvino import opset13

from ..candidate import Candidate, Unsupported
from ..operands import FORWARD, WEIGHTS_GRADIENT, Operands

LIBRARY = "OpenVINO"
VERSION = openvino.__version__.split("-")[0]
DTYPES = ("float32",)


def candidates(operands: Operands, threads: int) -> Iterator[Candidate]:
    if operands.op == WEIGHTS_GRADIENT:
        raise Unsupported("it has no weights gradient")
    data = operands.source if operands.op == FORWARD else operands.incoming_gradient
    compiled = openvino.Core().compile_model(
        _model(operands, data.shape),
        "CPU",
        {
            "PERFORMANCE_HINT": "LATENCY",
            "NUM_STREAMS": "1",
            "INFERENCE_NUM_THREADS": str(threads),
            "INFERENCE_PRECISION_HINT": "f32",
            # Pinning would also bind the calling thread, and with it every other candidate.
            "ENABLE_CPU_PINNING": "NO",
        },
    )
    output = np.empty(operands.result_shape, np.float32)
    request = compiled.create_infer_request()
    request.set_input_tensor(openvino.Tensor(data, shared_memory=True))
    request.set_output_tensor(openvino.Tensor(output, shared_memory=True))

    def run() -> None:
        request.start_async()
        request.wait()

    yield Candidate("openvino", LIBRARY, "NCHW", True, run, lambda: output)


def _model(operands: Operands, data_shape: tuple[int, ...]) -> openvino.Model:
    problem = operands.problem
    left, right, top, bottom = problem.padding
    source = opset13.parameter(list(data_shape), np.float32)
    geometry = {
        "strides": list(problem.stride),
        "pads_begin": [top, left],
        "pads_end": [bottom, right],
        "dilations": list(problem.dilation),
    }
    weights = operands.weights
    if problem.groups > 1:
        channels = weights.shape[0] // problem.groups
        weights = weights.reshape(problem.groups, channels, *weights.shape[1:])
    filters = opset13.constant(weights)
    if operands.op == FORWARD:
        make = (
            opset13.group_convolution_backprop_data
            if problem.groups > 1
            else opset13.convolution_backprop_data
        )
        slack = [problem.slack(0), problem.slack(1)]
        node = make(source, filters, output_padding=slack, **geometry)
    else:
        make = opset13.group_convolution if problem.groups > 1 else opset13.convolution
        node = make(source, filters, **geometry)
    return openvino.Model([node], [source], "layer")
