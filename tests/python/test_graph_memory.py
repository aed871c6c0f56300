# SPDX-License-Identifier: MIT
"""Tensors between operations share memory: no more of it than is needed at one time."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import convtranspose as ct
from convtranspose.graph import Graph, memory

UP = ct.Convolution2DOpDescriptor(
    stride_in_x=2, stride_in_y=2, padding_left=1, padding_right=1, padding_top=1, padding_bottom=1
)
KIB = 1024


def chain(channels: list[int], size: int, activation: str = "relu"):
    """Layers that each double the size, as a generator has them."""
    graph, rng = Graph(), np.random.default_rng(0)
    x = tensor = graph.placeholder((1, channels[0], size, size))
    for few, many in pairwise(channels):
        size *= 2
        weights = graph.constant(rng.standard_normal((few, many, 4, 4)).astype(np.float32))
        tensor = graph.convolution_transpose_2d(tensor, weights, (1, many, size, size), UP)
        bias = graph.constant(rng.standard_normal((1, many, 1, 1)).astype(np.float32))
        tensor = getattr(graph, activation)(graph.addition(tensor, bias))
    return graph, x, tensor


def test_a_chain_needs_its_two_largest_neighbours():
    graph, _, y = chain([32, 16, 8, 4, 2], 8)
    executable = graph.compile([y])
    sizes = [16 * 16 * 16 * 4, 8 * 32 * 32 * 4, 4 * 64 * 64 * 4]  # the last layer is the target
    assert executable.liveness_bound == max(a + b for a, b in pairwise(sizes))
    assert executable.workspace_bytes == executable.liveness_bound
    assert len(executable.explain().splitlines()) == 4


def test_skips_live_until_they_are_read():
    graph = Graph()
    x = graph.placeholder((1, 4, 8, 8))  # 1 KiB
    skip = graph.square(x)
    down = graph.mean(skip, 1)  # a quarter
    up = graph.broadcast(down, (1, 4, 8, 8))
    y = graph.concat_tensors([up, skip], 1)
    executable = graph.compile([y])
    assert executable.liveness_bound == (1 + 1 / 4 + 1) * KIB
    assert executable.workspace_bytes == executable.liveness_bound


def test_operations_write_over_what_nobody_needs():
    graph = Graph()
    tensor = graph.placeholder((16, 16))  # 1 KiB
    for _ in range(5):
        tensor = graph.exponent(graph.negative(graph.square(tensor)))
    executable = graph.compile([graph.mean(tensor, (0, 1))])
    assert executable.workspace_bytes == executable.liveness_bound == KIB


def test_a_tensor_that_is_needed_again_is_not_written_over():
    graph = Graph()
    x = graph.placeholder((16, 16))
    a = graph.square(x)
    b = graph.negative(a)
    c = graph.addition(b, a)
    executable = graph.compile([graph.mean(c, (0, 1))])
    assert executable.workspace_bytes == 2 * KIB
    feed = np.random.default_rng(0).standard_normal((16, 16)).astype(np.float32)
    (value,) = executable.run({x: feed}).values()
    assert value.item() == 0


@pytest.mark.parametrize("training", [False, True])
def test_a_run_takes_no_memory_but_results_and_workspace(training):
    graph, x, y = chain([16, 16, 8, 4], 16, "tanh")
    operations = []
    target = y
    if training:
        target = graph.mean(graph.square(y), (0, 1, 2, 3))
        loss_by = graph.gradients(target, [x])[x]
        storage = graph.variable(np.zeros(x.shape, np.float32))
        operations = [graph.assign(storage, loss_by)]
    executable = graph.compile([target], operations)
    feeds = {x: np.ones(x.shape, np.float32)}
    tracemalloc.start()
    executable.run(feeds)
    first = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    before = tracemalloc.get_traced_memory()[0]
    executable.run(feeds)
    again = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    slack = 24 * KIB  # Python's own objects
    assert first < executable.workspace_bytes + target.nbytes + slack
    assert again < target.nbytes + slack


slots = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 6), st.integers(1, 40)), min_size=1, max_size=14
)


@given(slots)
def test_places_never_meet(rows):
    placed = [memory.Slot([], 64 * size, first, first + life) for first, life, size in rows]
    total = memory.place(placed)
    assert total >= memory.liveness_bound(placed)
    assert total == max(slot.offset + slot.nbytes for slot in placed)
    for i, a in enumerate(placed):
        for b in placed[:i]:
            apart = a.offset + a.nbytes <= b.offset or b.offset + b.nbytes <= a.offset
            assert apart or not a.meets(b)
