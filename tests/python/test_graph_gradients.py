# SPDX-License-Identifier: MIT
"""Gradients that a graph inserts, against differences of its own values, in float64."""

from __future__ import annotations

import numpy as np
import pytest

import convtranspose as ct
from convtranspose.graph import Graph, Tensor

DESCRIPTOR = ct.Convolution2DOpDescriptor(
    stride_in_x=2, stride_in_y=3, dilation_rate_in_x=2, groups=2, padding_left=1, padding_top=2
)
LARGE, WEIGHTS, SMALL = (2, 6, 9, 11), (4, 3, 3, 2), (2, 4, 3, 5)
LAST = DESCRIPTOR.replace(
    data_layout=ct.TensorNamedDataLayout.NHWC, weights_layout=ct.TensorNamedDataLayout.HWIO
)
A, B = (3, 4), (2, 3, 1)

# What is inserted, and the shapes of its operands.
OPERATIONS = {
    "convolution_transpose_2d": (
        lambda g, x, w: g.convolution_transpose_2d(x, w, LARGE, DESCRIPTOR),
        (SMALL, WEIGHTS),
    ),
    "convolution_transpose_2d_data_gradient": (
        lambda g, y, w: g.convolution_transpose_2d_data_gradient(y, w, SMALL, DESCRIPTOR),
        (LARGE, WEIGHTS),
    ),
    "convolution_transpose_2d_weights_gradient": (
        lambda g, y, x: g.convolution_transpose_2d_weights_gradient(y, x, WEIGHTS, DESCRIPTOR),
        (LARGE, SMALL),
    ),
    "convolution_2d": (lambda g, x, w: g.convolution_2d(x, w, DESCRIPTOR), (LARGE, WEIGHTS)),
    "convolution_2d_data_gradient": (
        lambda g, y, w: g.convolution_2d_data_gradient(y, w, LARGE, DESCRIPTOR),
        (SMALL, WEIGHTS),
    ),
    "convolution_2d_weights_gradient": (
        lambda g, y, x: g.convolution_2d_weights_gradient(y, x, WEIGHTS, DESCRIPTOR),
        (SMALL, LARGE),
    ),
    "convolution in NHWC": (
        lambda g, x, w: g.convolution_transpose_2d(x, w, (2, 9, 11, 6), LAST),
        ((2, 3, 5, 4), (3, 2, 3, 4)),
    ),
    "cropped convolution": (
        lambda g, x, w: g.convolution_transpose_2d(
            x, w, (1, 1, 4, 4), ct.Convolution2DOpDescriptor(), strict=False
        ),
        ((1, 1, 4, 4), (1, 1, 3, 3)),
    ),
    "addition": (lambda g, a, b: g.addition(a, b), (A, B)),
    "subtraction": (lambda g, a, b: g.subtraction(b, a), (A, B)),
    "multiplication": (lambda g, a, b: g.multiplication(a, b), (A, B)),
    "division": (lambda g, a, b: g.division(a, g.exponent(b)), (A, B)),
    "negative": (lambda g, a: g.negative(a), (A,)),
    "square": (lambda g, a: g.square(a), (A,)),
    "square_root": (lambda g, a: g.square_root(g.exponent(a)), (A,)),
    "exponent": (lambda g, a: g.exponent(a), (A,)),
    "logarithm": (lambda g, a: g.logarithm(g.addition(g.square(a), g.constant(1, "f8"))), (A,)),
    "relu": (lambda g, a: g.relu(a), (A,)),
    "leaky_relu": (lambda g, a: g.leaky_relu(a, 0.2), (A,)),
    "leaky_relu downwards": (lambda g, a: g.leaky_relu(a, -0.5), (A,)),
    "sigmoid": (lambda g, a: g.sigmoid(a), (A,)),
    "tanh": (lambda g, a: g.tanh(a), (A,)),
    "relu_gradient": (lambda g, a, b: g.relu_gradient(a, b), (A, A)),
    "leaky_relu_gradient": (lambda g, a, b: g.leaky_relu_gradient(a, b, 0.3), (A, A)),
    "sigmoid_gradient": (lambda g, a, b: g.sigmoid_gradient(a, b), (A, A)),
    "reduction_sum": (lambda g, a: g.square(g.reduction_sum(a, (0, -1))), (B,)),
    "mean": (lambda g, a: g.square(g.mean(a, 1)), (B,)),
    "broadcast": (lambda g, a: g.square(g.broadcast(a, (5, 2, 3, 4))), (B,)),
    "reshape": (lambda g, a: g.square(g.reshape(a, (2, 6))), (A,)),
    "concat_tensors": (lambda g, a, b: g.square(g.concat_tensors([a, b, a], 1)), (A, (3, 2))),
    "slice_tensor": (lambda g, a: g.square(g.slice_tensor(a, 1, 1, 2)), (A,)),
    "pad_tensor": (lambda g, a: g.square(g.pad_tensor(a, 0, 2, 1)), (A,)),
}


def built(name: str) -> tuple[Graph, list[Tensor], Tensor]:
    """The operation on placeholders, and a weighted sum of its elements."""
    insert, shapes = OPERATIONS[name]
    graph = Graph()
    inputs = [graph.placeholder(shape, np.float64) for shape in shapes]
    result = insert(graph, *inputs)
    weights = np.random.default_rng(0).standard_normal(result.shape)
    weighted = graph.multiplication(result, graph.constant(weights))
    return graph, inputs, graph.reduction_sum(weighted, range(len(result.shape)))


def slope(graph: Graph, of: Tensor, feeds, direction) -> float:
    """A central difference; its error is of the order of eps ** (2 / 3)."""
    step = np.finfo(float).eps ** (1 / 3)
    ends = (
        graph.run({x: value + sign * step * direction[x] for x, value in feeds.items()}, [of])[of]
        for sign in (1, -1)
    )
    return float(np.subtract(*ends).item() / (2 * step))


def drawn(inputs: list[Tensor], seed: int) -> dict[Tensor, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {tensor: rng.standard_normal(tensor.shape) for tensor in inputs}


def along(gradients, direction) -> tuple[float, float]:
    """The derivative in that direction, and the size of what was summed for it."""
    terms = np.concatenate([(gradients[x] * direction[x]).ravel() for x in gradients])
    return float(terms.sum()), float(np.abs(terms).sum())


@pytest.mark.parametrize("name", OPERATIONS)
def test_first_derivatives(name):
    graph, inputs, of = built(name)
    gradients = graph.gradients(of, [x for x in inputs if depends(graph, of, x)])
    assert gradients
    feeds, direction = drawn(inputs, 1), drawn(inputs, 2)
    for x in inputs:
        if x not in gradients:
            direction[x] = np.zeros(x.shape)
    values = graph.run(feeds, list(gradients.values()))
    found = {x: values[gradient] for x, gradient in gradients.items()}
    for x, value in found.items():
        assert value.shape == x.shape
    derivative, size = along(found, direction)
    assert abs(derivative - slope(graph, of, feeds, direction)) < 1e-8 * (size + 1)


def depends(graph: Graph, of: Tensor, x: Tensor) -> bool:
    try:
        graph.gradients(of, [x])
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("name", OPERATIONS)
def test_second_derivatives(name):
    graph, inputs, of = built(name)
    inner = [x for x in inputs if depends(graph, of, x)]
    first = graph.gradients(of, inner)
    squares = [
        graph.reduction_sum(graph.square(first[x]), range(len(x.shape))) for x in inner if x.shape
    ]
    squares = [graph.reshape(square, ()) for square in squares]
    total = squares[0]
    for square in squares[1:]:
        total = graph.addition(total, square)
    outer = [x for x in inputs if depends(graph, total, x)]
    feeds, direction = drawn(inputs, 3), drawn(inputs, 4)
    for x in set(inputs).difference(outer):
        direction[x] = np.zeros(x.shape)
    gradients = graph.gradients(total, outer) if outer else {}
    values = graph.run(feeds, list(gradients.values()))
    found = {x: values[gradient] for x, gradient in gradients.items()}
    derivative, size = along(found, direction) if found else (0.0, 0.0)
    assert abs(derivative - slope(graph, total, feeds, direction)) < 1e-7 * (size + 1)


def test_a_tensor_used_twice_gets_both_parts():
    graph = Graph()
    x = graph.constant(np.float64([3, 5]))
    of = graph.addition(graph.multiplication(x, x), graph.square(graph.negative(x)))
    gradient = graph.gradients(of, [x])[x]
    np.testing.assert_array_equal(graph.run({}, [gradient])[gradient], [12, 20])


def test_the_gradient_of_a_tensor_by_itself_is_one():
    graph = Graph()
    x = graph.placeholder((2, 2), np.float64)
    gradient = graph.gradients(x, [x])[x]
    np.testing.assert_array_equal(graph.run({}, [gradient])[gradient], np.ones((2, 2)))


def test_independence_is_refused():
    graph = Graph()
    x, y = graph.placeholder((2,)), graph.placeholder((2,), name="y")
    message = r"gradients: with_respect_to\[1\]: expected what .* depends on, got <Tensor 'y'"
    with pytest.raises(ValueError, match=message):
        graph.gradients(graph.square(x), [x, y])
