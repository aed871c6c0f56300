# SPDX-License-Identifier: MIT
"""The oracle against the scalar loop, against PyTorch in float64, against differences."""

from __future__ import annotations

import numpy as np
import pytest

import oracle
import tolerance
from cases import OPERATIONS, Problem, load_corpora, parse_line

SMALL = [p for p in load_corpora() if p.multiply_adds <= 2000]
EVERY_AXIS_DIFFERS = parse_line(
    'forward 2x6x3x4 6x2x2x3 2x4x6x13 s2x3 d1x2 p1,0,2,1 g2 "every axis differs"'
)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_oracle_equals_the_scalar_loop(operation):
    chosen = [p for p in SMALL if p.operation == operation]
    assert len(chosen) > 20
    for p in [*chosen[::3], EVERY_AXIS_DIFFERS.but(operation=operation)]:
        tensors = p.integers()
        assert np.array_equal(oracle.compute(p, tensors), oracle.scalar(p, tensors)), p


@pytest.mark.parametrize("operation", OPERATIONS)
def test_oracle_equals_torch_in_float64(operation):
    torch = pytest.importorskip("torch")
    for p in [q for q in load_corpora() if q.operation == operation][::11]:
        if 0 in (*p.source, *p.weights, *p.output):
            continue
        tensors = p.inputs()
        complaint = tolerance.mismatch(
            by_torch(torch, p, tensors),
            oracle.compute(p, tensors),
            oracle.absolute_sum(p, tensors),
            oracle.terms(p),
        )
        assert complaint is None, f"{p}: {complaint}"


def by_torch(torch, p: Problem, tensors: dict[str, np.ndarray]) -> np.ndarray:
    """Without padding, then cropped at the front and cut or zero-extended at the end."""
    shapes = p.shapes
    source, weights = (
        torch.tensor(tensors.get(name, np.zeros(shapes[name])), requires_grad=True)
        for name in ("source", "weights")
    )
    full = torch.nn.functional.conv_transpose2d(
        source, weights, stride=p.stride, dilation=p.dilation, groups=p.groups
    )
    top, _, left, _ = p.padding
    height, width = p.output[2:]
    part = full[:, :, top : top + height, left : left + width]
    output = torch.nn.functional.pad(part, (0, width - part.shape[3], 0, height - part.shape[2]))
    if p.operation == "forward":
        return output.detach().numpy()
    output.backward(torch.from_numpy(tensors["gradient"]))
    wanted = source if p.operation == "data_gradient" else weights
    return wanted.grad.numpy()


@pytest.mark.parametrize("operand", ["source", "weights"])
def test_gradients_are_differences_of_the_forward_operation(operand):
    # The operation is linear in each operand, so a difference over a step of one is the derivative.
    p = EVERY_AXIS_DIFFERS
    rng = np.random.default_rng(5)
    at = {name: rng.integers(-3, 4, p.shapes[name]).astype(float) for name in p.shapes}
    operation = {"source": "data_gradient", "weights": "weights_gradient"}[operand]
    gradient = oracle.compute(
        p.but(operation=operation),
        {name: at[name] for name in p.but(operation=operation).operands},
    )
    inputs = {name: at[name] for name in p.operands}
    base = np.vdot(oracle.compute(p, inputs), at["gradient"])
    for index in np.ndindex(p.shapes[operand]):
        moved = {**inputs, operand: inputs[operand].copy()}
        moved[operand][index] += 1
        assert np.vdot(oracle.compute(p, moved), at["gradient"]) - base == gradient[index]
