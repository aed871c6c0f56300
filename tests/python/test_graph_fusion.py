# SPDX-License-Identifier: MIT
"""What an executable computes with a convolution's plan, and where it must not."""

from __future__ import annotations

import numpy as np
import pytest

import convtranspose as ct
from convtranspose.graph import Graph

NHWC, HWIO = ct.TensorNamedDataLayout.NHWC, ct.TensorNamedDataLayout.HWIO
FIRST = ct.Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2)
LAST = FIRST.replace(data_layout=NHWC, weights_layout=HWIO)
ACTIVATIONS = {
    "relu": lambda g, t: g.relu(t),
    "leaky_relu": lambda g, t: g.leaky_relu(t, 0.25),
    "sigmoid": lambda g, t: g.sigmoid(t),
    "tanh": lambda g, t: g.tanh(t),
}
NUMPY = {
    "relu": lambda v: np.maximum(v, 0),
    "leaky_relu": lambda v: np.where(v < 0, v / 4, v),
    "sigmoid": lambda v: 1 / (1 + np.exp(-v)),
    "tanh": np.tanh,
}


def numbers(shape, seed):
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(np.float64)


class Layer:
    """A graph with one transposed convolution, and its operands as arrays."""

    def __init__(self, descriptor=FIRST, bias_shape=(1, 3, 1, 1), kind="constant"):
        self.last = descriptor is LAST
        source, weights, self.shape = (2, 4, 5, 6), (4, 3, 2, 2), (2, 3, 10, 12)
        if self.last:
            source, weights, self.shape = (2, 5, 6, 4), (2, 2, 3, 4), (2, 10, 12, 3)
        self.source, self.weights = numbers(source, 0), numbers(weights, 1)
        self.bias = numbers(bias_shape, 2)
        self.graph = Graph()
        self.x = self.graph.placeholder(source, np.float64)
        self.w = getattr(self.graph, kind)(self.weights)
        self.b = getattr(self.graph, kind)(self.bias)
        self.y = self.graph.convolution_transpose_2d(self.x, self.w, self.shape, descriptor)
        self.plain = ct.convolution_transpose_2d(self.source, self.weights, self.shape, descriptor)

    def run(self, *targets):
        executable = self.graph.compile(targets)
        found = executable.run({self.x: self.source})
        return executable.explain().splitlines(), *found.values()


@pytest.mark.parametrize("kind", ["constant", "variable"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(
    ("descriptor", "shape"), [(FIRST, (1, 3, 1, 1)), (FIRST, (3, 1, 1)), (LAST, (3,))]
)
def test_bias_and_activation_go_with_the_convolution(descriptor, shape, activation, kind):
    layer = Layer(descriptor, shape, kind)
    biased = layer.graph.addition(layer.b, layer.y)
    lines, found = layer.run(ACTIVATIONS[activation](layer.graph, biased))
    assert len(lines) == 1
    assert "+ bias" in lines[0]
    assert activation in lines[0]
    expected = NUMPY[activation](layer.plain + layer.bias)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-15)


def test_an_activation_without_a_bias():
    layer = Layer()
    lines, found = layer.run(layer.graph.relu(layer.y))
    assert len(lines) == 1
    np.testing.assert_array_equal(found, np.maximum(layer.plain, 0))


def test_what_somebody_else_reads_is_stored():
    layer = Layer()
    biased = layer.graph.addition(layer.y, layer.b)
    active = layer.graph.relu(biased)
    lines, found, before = layer.run(active, biased)  # a target
    assert len(lines) == 2
    np.testing.assert_array_equal(before, layer.plain + layer.bias)
    np.testing.assert_array_equal(found, np.maximum(before, 0))
    lines, both = layer.run(layer.graph.subtraction(active, biased))  # a reader
    assert len(lines) == 3
    np.testing.assert_array_equal(both, np.maximum(before, 0) - before)
    lines, twice = layer.run(layer.graph.addition(layer.y, layer.y))
    assert len(lines) == 2
    np.testing.assert_array_equal(twice, 2 * layer.plain)


@pytest.mark.parametrize("shape", [(), (2, 1, 1, 1), (1, 1, 10, 12), (2, 3, 10, 12), (1, 1, 1, 12)])
def test_what_is_no_bias_is_added_by_itself(shape):
    layer = Layer(bias_shape=shape)
    lines, found = layer.run(layer.graph.addition(layer.y, layer.b))
    assert len(lines) == 2
    np.testing.assert_array_equal(found, layer.plain + layer.bias)


def test_what_is_fed_is_no_bias():
    layer = Layer()
    bias = layer.graph.placeholder((1, 3, 1, 1), np.float64)
    executable = layer.graph.compile([target := layer.graph.addition(layer.y, bias)])
    assert len(executable.explain().splitlines()) == 2
    found = executable.run({layer.x: layer.source, bias: layer.bias})[target]
    np.testing.assert_array_equal(found, layer.plain + layer.bias)


def test_weights_that_are_computed_are_not_packed_unless_constants_make_them():
    layer = Layer()
    doubled = layer.graph.addition(layer.w, layer.w)
    result = layer.graph.convolution_transpose_2d(layer.x, doubled, layer.shape, FIRST)
    lines, found = layer.run(result)
    assert len(lines) == 1  # folded
    np.testing.assert_array_equal(found, 2 * layer.plain)
    layer = Layer(kind="variable")
    doubled = layer.graph.addition(layer.w, layer.w)
    result = layer.graph.convolution_transpose_2d(layer.x, doubled, layer.shape, FIRST)
    lines, found = layer.run(result)
    assert len(lines) == 2
    np.testing.assert_array_equal(found, 2 * layer.plain)


def test_the_other_operations_are_fused_too():
    layer = Layer()
    graph = layer.graph
    y = graph.placeholder(layer.shape, np.float64)
    bias = graph.constant(numbers((1, 4, 1, 1), 5))
    results = [
        graph.relu(graph.addition(graph.convolution_2d(y, layer.w, FIRST), bias)),
        graph.relu(
            graph.convolution_transpose_2d_data_gradient(y, layer.w, layer.source.shape, FIRST)
        ),
        graph.tanh(graph.convolution_2d_data_gradient(layer.x, layer.w, layer.shape, FIRST)),
    ]
    executable = graph.compile(results)
    assert len(executable.explain().splitlines()) == 3
    feed = numbers(layer.shape, 6)
    found = executable.run({layer.x: layer.source, y: feed})
    plain = ct.convolution_2d(feed, layer.weights, FIRST)
    np.testing.assert_array_equal(
        found[results[0]], np.maximum(plain + numbers((1, 4, 1, 1), 5), 0)
    )
    np.testing.assert_array_equal(found[results[1]], np.maximum(plain, 0))
    np.testing.assert_allclose(found[results[2]], np.tanh(layer.plain), rtol=1e-13)
