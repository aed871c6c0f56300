# SPDX-License-Identifier: MIT
"""Chunked results against those on whole arrays, with one process and with several."""

from __future__ import annotations

import doctest
from itertools import pairwise

import numpy as np
import pytest

import convtranspose as ct
from layers import expected, integers, random_case
from subprocesses import python

pytest.importorskip("dask.array")
import dask
import dask.array as da

import convtranspose.dask as ctd
from convtranspose.dask import forward, gradients

CHUNKINGS = 50
# Those whose sums have one order wherever an element lies.
IN_ONE_ORDER = [ct.Algorithm.REFERENCE, ct.Algorithm.DIRECT, ct.Algorithm.FEW_OUTPUT]


@pytest.fixture(autouse=True)
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def cut(rng: np.random.Generator, size: int) -> tuple[int, ...]:
    """`size` in a random number of random pieces."""
    edges = rng.choice(size + 1, int(rng.integers(0, min(size, 6) + 1)), replace=False)
    edges = sorted({0, size, *map(int, edges)})
    return tuple(b - a for a, b in pairwise(edges)) or (size,)


def chunked(rng: np.random.Generator, array: np.ndarray):
    return da.from_array(array, chunks=tuple(cut(rng, size) for size in array.shape))


@pytest.mark.parametrize("module", [forward, gradients], ids=lambda module: module.__name__)
def test_examples(module):
    failed, tried = doctest.testmod(module)
    assert tried
    assert not failed


@pytest.mark.parametrize("seed", range(CHUNKINGS))
def test_any_chunks_give_the_bits_of_whole_arrays(seed):
    rng = np.random.default_rng(seed)
    d, source, weights, output_shape = random_case(rng)
    where = tuple(d.data_layout.name.index(letter) for letter in "HW")
    result = ctd.convolution_transpose_2d(
        chunked(rng, source),
        weights,
        output_shape,
        d,
        chunks=None if seed % 2 else tuple(cut(rng, output_shape[at]) for at in where),
    )
    assert result.shape == output_shape
    whole = ct.convolution_transpose_2d(source, weights, output_shape, d)
    assert np.array_equal(whole, expected(d, source, weights, output_shape))
    assert np.array_equal(result.compute(), whole)

    gradient = integers(rng, *output_shape)
    data_gradient = ctd.convolution_transpose_2d_data_gradient(
        chunked(rng, gradient),
        weights,
        source.shape,
        d,
        chunks=None if seed % 2 else tuple(cut(rng, source.shape[at]) for at in where),
    )
    assert data_gradient.shape == source.shape
    whole = ct.convolution_transpose_2d_data_gradient(gradient, weights, source.shape, d)
    assert np.array_equal(data_gradient.compute(), whole)

    weights_gradient = ctd.convolution_transpose_2d_weights_gradient(
        chunked(rng, gradient), chunked(rng, source), weights.shape, d
    )
    assert weights_gradient.shape == weights.shape
    whole = ct.convolution_transpose_2d_weights_gradient(gradient, source, weights.shape, d)
    assert np.array_equal(weights_gradient.compute(), whole)


@pytest.mark.parametrize("algorithm", IN_ONE_ORDER, ids=lambda algorithm: algorithm.name)
def test_fractions_too_where_sums_have_one_order(algorithm):
    rng = np.random.default_rng(3)
    source = rng.standard_normal((2, 16, 40, 50)).astype(np.float32)
    weights = rng.standard_normal((16, 4, 4, 4)).astype(np.float32)
    d = ct.Convolution2DOpDescriptor.from_torch(stride=2, padding=1)
    whole = ct.convolution_transpose_2d(source, weights, (2, 4, 80, 100), d, algorithm=algorithm)
    for _ in range(5):
        result = ctd.convolution_transpose_2d(
            chunked(rng, source), weights, whole.shape, d, algorithm=algorithm
        )
        assert np.array_equal(result.compute(), whole)


def test_fractions_of_a_depthwise_upsampling():
    rng = np.random.default_rng(4)
    source = rng.standard_normal((1, 3, 60, 70)).astype(np.float32)
    weights = ct.converters.bilinear_weights(2, 3)
    d = ct.Convolution2DOpDescriptor.from_torch(stride=2, padding=1, groups=3)
    whole = ct.convolution_transpose_2d(source, weights, (1, 3, 120, 140), d)
    for _ in range(10):
        result = ctd.convolution_transpose_2d(chunked(rng, source), weights, whole.shape, d)
        assert np.array_equal(result.compute(), whole)


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16"])
def test_types(dtype):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    rng = np.random.default_rng(5)
    source = rng.integers(0, 2, (1, 2, 9, 8)).astype(dtype)
    weights = rng.integers(0, 2, (2, 3, 3, 3)).astype(dtype)
    d = ct.Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2)
    result = ctd.convolution_transpose_2d(chunked(rng, source), weights, (1, 3, 19, 17), d)
    whole = ct.convolution_transpose_2d(source, weights, (1, 3, 19, 17), d)
    assert result.dtype == whole.dtype == result.compute().dtype
    assert np.array_equal(result.compute(), whole)
    gradient = ctd.convolution_transpose_2d_weights_gradient(
        result, chunked(rng, source), weights.shape, d
    )
    whole = ct.convolution_transpose_2d_weights_gradient(whole, source, weights.shape, d)
    assert gradient.dtype == gradient.compute().dtype == whole.dtype
    assert np.array_equal(gradient.compute(), whole)


def test_chunks_follow_those_of_the_operand():
    source = da.zeros((1, 1, 30, 40), chunks=(1, 1, (10, 20), (25, 15)), dtype=np.float32)
    weights = np.zeros((1, 1, 5, 4), np.float32)
    d = ct.Convolution2DOpDescriptor.from_torch(stride=(2, 3), padding=(2, 0))
    result = ctd.convolution_transpose_2d(source, weights, (1, 1, 59, 121), d)
    assert result.chunks == ((1,), (1,), (20, 39), (75, 46))
    back = ctd.convolution_transpose_2d_data_gradient(result, weights, source.shape, d)
    assert back.chunks == source.chunks
    assert ctd.convolution_transpose_2d(
        source, weights, (1, 1, 59, 121), d, chunks=(50, -1)
    ).chunks == ((1,), (1,), (50, 9), (121,))


def test_sizes_that_no_forward_convolution_relates():
    rng = np.random.default_rng(6)
    source, weights = integers(rng, 1, 1, 4, 5), integers(rng, 1, 1, 3, 3)
    d = ct.Convolution2DOpDescriptor()
    for shape in ((1, 1, 9, 12), (1, 1, 3, 2)):
        whole = ct.convolution_transpose_2d(source, weights, shape, d, strict=False)
        result = ctd.convolution_transpose_2d(
            chunked(rng, source), weights, shape, d, chunks=2, strict=False
        )
        assert np.array_equal(result.compute(), whole)
        with pytest.raises(ValueError, match="output_shape: expected a height"):
            ctd.convolution_transpose_2d(chunked(rng, source), weights, shape, d)


def test_errors_come_when_called():
    source = da.zeros((1, 2, 4, 4), dtype=np.float32)
    weights = np.zeros((2, 1, 3, 3), np.float32)
    d = ct.Convolution2DOpDescriptor()
    with pytest.raises(ValueError, match=r"^up: output_shape"):
        ctd.convolution_transpose_2d(source, weights, (1, 1, 9, 9), d, "up")
    with pytest.raises(TypeError, match="source: expected a Dask array, got ndarray"):
        ctd.convolution_transpose_2d(np.zeros((1, 2, 4, 4)), weights, (1, 1, 6, 6), d)
    with pytest.raises(TypeError, match="source: expected float32 as the other, got float64"):
        ctd.convolution_transpose_2d(source.astype(float), weights, (1, 1, 6, 6), d)
    with pytest.raises(TypeError, match="incoming_gradient: expected float32"):
        ctd.convolution_transpose_2d_weights_gradient(
            da.zeros((1, 1, 6, 6)), source, weights.shape, d
        )


def test_a_chunk_needs_only_its_window():
    """Reading one chunk of the result reads 4 of the source's 100."""
    read = []

    def chunk(block_info=None):
        read.append(block_info[None]["chunk-location"])
        return np.ones((1, 1, 10, 10), np.float32)

    source = da.map_blocks(chunk, chunks=((1,), (1,), (10,) * 10, (10,) * 10), dtype=np.float32)
    weights = np.ones((1, 1, 4, 4), np.float32)
    d = ct.Convolution2DOpDescriptor.from_torch(stride=2, padding=1)
    result = ctd.convolution_transpose_2d(source, weights, (1, 1, 200, 200), d, chunks=(10, 10))
    read.clear()
    result[..., 40:50, 40:50].compute()
    # Result 40 to 49 depends on source 19 to 25.
    assert sorted(read) == [(0, 0, 1, 1), (0, 0, 1, 2), (0, 0, 2, 1), (0, 0, 2, 2)]


DISTRIBUTED = """
import os
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import convtranspose as ct
import convtranspose.dask as ctd

def pid(block):
    return np.full((1, 1, 1, 1), os.getpid())

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    source = rng.integers(-4, 5, (2, 3, 64, 48)).astype(np.float32)
    weights = rng.integers(-4, 5, (3, 5, 4, 5)).astype(np.float32)
    shape = (2, 5, 128, 145)
    gradient = rng.integers(-4, 5, shape).astype(np.float32)
    d = ct.Convolution2DOpDescriptor(
        stride_in_y=2, stride_in_x=3, padding_top=1, padding_bottom=1, padding_left=2)
    x = da.from_array(source, chunks=(1, 3, 17, 13))
    g = da.from_array(gradient, chunks=(2, 5, 50, 31))
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, Client(cluster):
        y = ctd.convolution_transpose_2d(x, weights, shape, d)
        assert len(np.unique(y.map_blocks(pid, dtype=int).compute())) > 1
        assert np.array_equal(y.compute(), ct.convolution_transpose_2d(source, weights, shape, d))
        dx = ctd.convolution_transpose_2d_data_gradient(g, weights, source.shape, d)
        assert np.array_equal(dx.compute(), ct.convolution_transpose_2d_data_gradient(
            gradient, weights, source.shape, d))
        dw = ctd.convolution_transpose_2d_weights_gradient(g, x, weights.shape, d)
        assert np.array_equal(dw.compute(), ct.convolution_transpose_2d_weights_gradient(
            gradient, source, weights.shape, d))
    print("equal")
"""


def test_several_processes(tmp_path):
    pytest.importorskip("distributed")
    script = tmp_path / "cluster.py"  # workers import it
    script.write_text(DISTRIBUTED, encoding="utf-8")
    run = f"import runpy; runpy.run_path({str(script)!r}, run_name='__main__')"
    assert python(run, timeout=300, DASK_TEMPORARY_DIRECTORY=str(tmp_path)).split() == ["equal"]
