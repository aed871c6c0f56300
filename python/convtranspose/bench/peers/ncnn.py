# SPDX-License-Identifier: MIT
"""ncnn: one net a layer. It has no batch axis, so a batch is a loop over its items."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import ncnn
import numpy as np

from ..candidate import Candidate, Unsupported
from ..operands import FORWARD, WEIGHTS_GRADIENT, Array, Operands
from ..problem import Problem

LIBRARY = "ncnn"
VERSION = ncnn.__version__
DTYPES = ("float32",)

_RAW_FLOAT32 = np.zeros(1, np.uint32)


def candidates(operands: Operands, threads: int) -> Iterator[Candidate]:
    if operands.op == WEIGHTS_GRADIENT:
        raise Unsupported("it has no weights gradient")
    data = operands.source if operands.op == FORWARD else operands.incoming_gradient
    net = _net(operands, threads)
    items = [ncnn.Mat(item).clone() for item in data]
    outputs: list[ncnn.Mat] = []

    def run() -> None:
        outputs.clear()
        for item in items:
            extractor = net.create_extractor()
            extractor.input("source", item)
            outputs.append(extractor.extract("result")[1])

    def result() -> Array:
        return np.stack([np.array(output) for output in outputs])

    yield Candidate("ncnn", LIBRARY, "NCHW", True, run, result)


def _net(operands: Operands, threads: int) -> ncnn.Net:
    net = ncnn.Net()
    net.opt.num_threads = threads
    net.opt.use_vulkan_compute = False
    for option in ("fp16_packed", "fp16_storage", "fp16_arithmetic", "bf16_storage"):
        setattr(net.opt, f"use_{option}", False)
    net.load_param_mem(_description(operands))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "weights.bin"
        path.write_bytes(_RAW_FLOAT32.tobytes() + _weights(operands).tobytes())
        if net.load_model(str(path)) != 0:
            raise Unsupported("it refused the layer")
    return net


def _description(operands: Operands) -> str:
    problem = operands.problem
    left, right, top, bottom = problem.padding
    kind = "Deconvolution" if operands.op == FORWARD else "Convolution"
    if problem.groups > 1:
        kind += "DepthWise"
    parameters = {
        0: operands.result_shape[1],
        1: problem.kernel[1],
        11: problem.kernel[0],
        2: problem.dilation[1],
        12: problem.dilation[0],
        3: problem.stride[1],
        13: problem.stride[0],
        4: left,
        15: right,
        14: top,
        16: bottom,
        5: 0,
        6: operands.weights.size,
    }
    if problem.groups > 1:
        parameters[7] = problem.groups
    if operands.op == FORWARD:
        parameters[18] = problem.slack(1)
        parameters[19] = problem.slack(0)
    fields = " ".join(f"{key}={value}" for key, value in parameters.items())
    return f"7767517\n2 2\nInput source 0 1 source\n{kind} layer 1 1 source result {fields}\n"


def _weights(operands: Operands) -> Array:
    """Both its layers read (group, result channel, source channel, y, x), seen from the layer."""
    if operands.op != FORWARD:
        return operands.weights
    problem: Problem = operands.problem
    grouped = operands.weights.reshape(problem.groups, -1, *operands.weights.shape[1:])
    return np.ascontiguousarray(grouped.swapaxes(1, 2))
