# SPDX-License-Identifier: MIT
"""Inserting, running and assigning; every refusal says which operation and which argument."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import threading

import numpy as np
import pytest

import convtranspose as ct
import convtranspose.graph
from convtranspose.graph import Graph
from refusal import refused

DESCRIPTOR = ct.Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2)
SOURCE, WEIGHTS, RESULT = (2, 4, 5, 6), (4, 3, 2, 2), (2, 3, 10, 12)


def numbers(shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(dtype)


@pytest.mark.parametrize("module", [m.name for m in pkgutil.iter_modules(ct.graph.__path__)])
def test_examples(module):
    loaded = importlib.import_module(f"convtranspose.graph.{module}")
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.testmod(loaded, optionflags=flags).failed == 0


def test_graph_is_where_the_package_says():
    assert ct.Graph is Graph


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_operations_have_the_functions_values(dtype):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    graph = Graph()
    x = graph.placeholder(SOURCE, dtype)
    w = graph.placeholder(WEIGHTS, dtype)
    y = graph.convolution_transpose_2d(x, w, RESULT, DESCRIPTOR)
    dx = graph.convolution_transpose_2d_data_gradient(y, w, SOURCE, DESCRIPTOR)
    dw = graph.convolution_transpose_2d_weights_gradient(y, x, WEIGHTS, DESCRIPTOR)
    z = graph.convolution_2d(y, w, DESCRIPTOR)
    dy = graph.convolution_2d_data_gradient(z, w, RESULT, DESCRIPTOR)
    dw2 = graph.convolution_2d_weights_gradient(z, y, WEIGHTS, DESCRIPTOR)
    feeds = {x: numbers(SOURCE).astype(dtype), w: numbers(WEIGHTS, 1).astype(dtype)}
    found = graph.run(feeds, [y, dx, dw, z, dy, dw2])
    source, weights = feeds.values()
    result = ct.convolution_transpose_2d(source, weights, RESULT, DESCRIPTOR)
    back = ct.convolution_2d(result, weights, DESCRIPTOR)
    expected = (
        result,
        ct.convolution_transpose_2d_data_gradient(result, weights, SOURCE, DESCRIPTOR),
        ct.convolution_transpose_2d_weights_gradient(result, source, WEIGHTS, DESCRIPTOR),
        back,
        ct.convolution_2d_data_gradient(back, weights, RESULT, DESCRIPTOR),
        ct.convolution_2d_weights_gradient(back, result, WEIGHTS, DESCRIPTOR),
    )
    for tensor, value in zip(found, expected, strict=True):
        assert (tensor.shape, tensor.dtype) == (value.shape, value.dtype)
        np.testing.assert_array_equal(found[tensor], value)


def test_names_stay():
    graph = Graph()
    x = graph.placeholder(SOURCE, name="source")
    w = graph.placeholder(WEIGHTS)
    y = graph.convolution_transpose_2d(x, w, RESULT, DESCRIPTOR, "up")
    assert (x.name, y.name, y.operation.name) == ("source", "up", "up")
    assert [operation.name for operation in graph.operations] == ["source", "placeholder", "up"]
    assert repr(y) == "<Tensor 'up' (2, 3, 10, 12) float32>"


def test_the_descriptor_is_copied():
    graph, descriptor = Graph(), DESCRIPTOR.replace()
    x, w = graph.placeholder(SOURCE), graph.placeholder(WEIGHTS)
    y = graph.convolution_transpose_2d(x, w, RESULT, descriptor)
    descriptor.stride_in_x = 1
    graph.run({x: numbers(SOURCE), w: numbers(WEIGHTS)}, [y])


def test_what_does_not_fit_is_refused_when_it_is_inserted():
    graph = Graph()
    x, w = graph.placeholder(SOURCE), graph.placeholder(WEIGHTS)
    double = graph.placeholder(WEIGHTS, np.float64)
    count = len(graph.operations)
    with refused("output_shape", "height from 10 to 11", "(2, 3, 12, 12)", by="up"):
        graph.convolution_transpose_2d(x, w, (2, 3, 12, 12), DESCRIPTOR, "up")
    with refused("weights", "the dtype of source, float32", "float64", by="up"):
        graph.convolution_transpose_2d(x, double, RESULT, DESCRIPTOR, "up")
    with refused("weights", "one of another graph"):
        graph.convolution_2d(x, Graph().placeholder(WEIGHTS), DESCRIPTOR)
    with refused("source", "ndarray"):
        graph.convolution_2d(numbers(SOURCE), w, DESCRIPTOR)
    with refused("secondary_tensor", "(2, 4, 5, 6)", by="bias"):
        graph.addition(x, w, "bias")
    with refused("source", "the gradient's shape"):
        graph.relu_gradient(x, w)
    with refused("dtype", "int64", by="image"):
        graph.placeholder((1, 2), np.int64, name="image")
    with refused("shape", "-1"):
        graph.placeholder((1, -1))
    with refused("shape", "1.5"):
        graph.placeholder(1.5)
    with refused("axes", "rank 4"):
        graph.mean(x, 4)
    with refused("axes", "each axis once"):
        graph.mean(x, (1, -3))
    with refused("shape", "240 elements"):
        graph.reshape(x, (2, 100))
    with refused("shape", "broadcasts to"):
        graph.broadcast(x, (1, 4, 5, 6))
    with refused(r"tensors\[1\]", "but for axis 1"):
        graph.concat_tensors([x, w], 1)
    with refused("tensors", "at least one"):
        graph.concat_tensors([], 1)
    with refused("start, length", "0 to 4"):
        graph.slice_tensor(x, 1, 2, 3)
    with refused("left_padding, right_padding", "at least 0"):
        graph.pad_tensor(x, 1, -1, 0)
    with refused("variable", "a variable"):
        graph.assign(x, x)
    with refused("tensor", "the variable's shape"):
        graph.assign(graph.variable(numbers(WEIGHTS)), x)
    assert len(graph.operations) == count + 1  # the last line's variable


def test_what_is_fed_is_checked():
    graph = Graph()
    x = graph.placeholder((2, 3), name="x")
    y = graph.square(x)
    with refused("feeds", "'x'", "none"):
        graph.run({}, [y])
    with refused(r"feeds\[.*\]", "dtype float32", "float64"):
        graph.run({x: np.zeros((2, 3))}, [y])
    with refused(r"feeds\[.*\]", "shape (2, 3)"):
        graph.run({x: np.zeros((3, 2), np.float32)}, [y])
    with refused(r"feeds\[.*\]", "list"):
        graph.run({x: [[0.0] * 3] * 2}, [y])


def test_targets_are_checked():
    graph = Graph()
    v = graph.variable(1.0)
    step, other = graph.assign(v, graph.square(v)), Graph()
    with refused(r"target_tensors\[0\]", "another graph"):
        other.compile([v])
    with refused(r"target_operations\[0\]", "what assign returned"):
        graph.compile([v], [v.operation])
    with refused(r"target_operations\[1\]", "one assign a variable"):
        graph.compile([], [step, graph.assign(v, v)])


def test_results_are_written_where_they_are_wanted():
    graph = Graph()
    x, w = graph.placeholder(SOURCE), graph.constant(numbers(WEIGHTS))
    y = graph.convolution_transpose_2d(x, w, RESULT, DESCRIPTOR)
    z = graph.relu(y)
    executable = graph.compile([y, z])
    out = np.full((2, 3, 12, 10), np.nan, np.float32).transpose(0, 1, 3, 2)
    found = executable.run({x: numbers(SOURCE)}, {y: out})
    assert found[y] is out
    np.testing.assert_array_equal(found[z], np.maximum(out, 0))
    plain = ct.convolution_transpose_2d(numbers(SOURCE), numbers(WEIGHTS), RESULT, DESCRIPTOR)
    np.testing.assert_array_equal(out, plain)
    source = numbers(SOURCE)
    with refused("results", "target tensors"):
        executable.run({x: source}, {x: source})
    with refused(r"results\[.*\]", "writeable"):
        out.flags.writeable = False
        executable.run({x: source}, {y: out})
    square = graph.square(x)
    with refused(r"results\[.*\]", "memory of its own"):
        graph.compile([square]).run({x: source[::-1]}, {square: source})


def test_feeds_have_any_strides_and_any_origin():
    torch = pytest.importorskip("torch")
    graph = Graph()
    x = graph.placeholder((3, 2))
    y = graph.relu(x)
    values = numbers((2, 3)).T
    np.testing.assert_array_equal(graph.run({x: values}, [y])[y], np.maximum(values, 0))
    tensor = torch.from_numpy(numbers((3, 2)))
    np.testing.assert_array_equal(graph.run({x: tensor}, [y])[y], np.maximum(tensor.numpy(), 0))


def test_sources_can_be_targets_and_are_copied():
    graph = Graph()
    x, c = graph.placeholder((2,)), graph.constant([1, 2])
    v = graph.variable([3, 4])
    feed = numbers(2)
    found = graph.run({x: feed}, [x, c, v])
    for value in found.values():
        value += 1
    again = graph.run({x: feed - 1}, [x, c, v])
    np.testing.assert_array_equal(list(again.values()), [numbers(2) - 1, [1, 2], [3, 4]])


def test_assignments_happen_at_once_and_last():
    graph = Graph()
    a, b = graph.variable([1, 2]), graph.variable([3, 4])
    swap = [graph.assign(a, b), graph.assign(b, a)]
    before = graph.run({}, [a], swap)[a]
    np.testing.assert_array_equal(before, [1, 2])
    found = graph.run({}, [a, b])
    np.testing.assert_array_equal(found[a], [3, 4])
    np.testing.assert_array_equal(found[b], [1, 2])


def test_packed_variables_follow_their_assignments():
    graph = Graph()
    x = graph.placeholder(SOURCE)
    w = graph.variable(numbers(WEIGHTS))
    bias = graph.variable(numbers((1, 3, 1, 1), 1))
    y = graph.addition(graph.convolution_transpose_2d(x, w, RESULT, DESCRIPTOR), bias)
    change = [graph.assign(w, graph.negative(w)), graph.assign(bias, graph.negative(bias))]
    executable = graph.compile([y])
    feeds = {x: numbers(SOURCE, 2)}
    first = executable.run(feeds)[y]
    graph.run({}, [], change)
    np.testing.assert_array_equal(executable.run(feeds)[y], -first)


def test_many_threads_share_an_executable():
    graph = Graph()
    x, w = graph.placeholder(SOURCE), graph.constant(numbers(WEIGHTS))
    y = graph.convolution_transpose_2d(x, w, RESULT, DESCRIPTOR)
    z = graph.square(graph.addition(graph.square(y), y))
    executable = graph.compile([z])
    feeds = [{x: numbers(SOURCE, seed)} for seed in range(8)]
    expected, wrong = [executable.run(feed)[z] for feed in feeds], []

    def work(i):
        for _ in range(20):
            wrong.extend([i] * (not np.array_equal(executable.run(feeds[i])[z], expected[i])))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
