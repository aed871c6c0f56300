# SPDX-License-Identifier: MIT
"""conv_transpose2d and conv_transpose1d against PyTorch's own, whose signatures they have."""

from __future__ import annotations

import doctest
import importlib
import inspect

import numpy as np
import pytest

import tolerance

torch = pytest.importorskip("torch", minversion="2.4")
pytest.importorskip("ml_dtypes")

import convtranspose.torch as ctt
from convtranspose.torch import library
from convtranspose.torch.tensors import array_of
from torch_cases import (
    Arguments,
    assert_agree,
    named,
    sweep,
    value_and_gradients,
)

OURS = {1: ctt.conv_transpose1d, 2: ctt.conv_transpose2d}
THEIRS = {1: torch.nn.functional.conv_transpose1d, 2: torch.nn.functional.conv_transpose2d}
FORMATS = [torch.contiguous_format, torch.channels_last]


@pytest.mark.parametrize("module", ["accelerate", "functional", "modules", "operations"])
def test_examples(module):
    result = doctest.testmod(importlib.import_module(f"convtranspose.torch.{module}"))
    assert result.attempted
    assert not result.failed


@pytest.mark.parametrize("a", list(sweep()), ids=str)
def test_values_and_gradients(a):
    tensors = a.tensors()
    theirs = value_and_gradients(THEIRS[a.axes], tensors, a.numbers)
    ours = value_and_gradients(OURS[a.axes], tensors, a.numbers)
    absolute = [tensor.detach().abs().requires_grad_() for tensor in tensors]
    assert_agree(ours, theirs, value_and_gradients(THEIRS[a.axes], absolute, a.numbers), a.terms)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("memory_format", FORMATS, ids=str)
def test_narrow_types_round_once(dtype, memory_format):
    a = Arguments(channels=6, stride=2, padding=1, output_padding=1, kernel=(4, 3))
    tensors = [t.detach().to(dtype) for t in a.tensors()]
    tensors[0] = tensors[0].to(memory_format=memory_format)
    exact = [t.double().requires_grad_() for t in tensors]
    theirs = value_and_gradients(THEIRS[2], exact, a.numbers)
    absolute = [t.detach().abs().requires_grad_() for t in exact]
    scale = value_and_gradients(THEIRS[2], absolute, a.numbers)
    ours = value_and_gradients(OURS[2], [t.requires_grad_() for t in tensors], a.numbers)
    for mine, exactly, size, count in zip(ours, theirs, scale, a.terms, strict=True):
        assert mine.dtype == dtype
        rounding = torch.finfo(dtype).eps / 2 * exactly.abs()
        allowed = (rounding + tolerance.gamma(count + 2, np.float32) * size) * (1 + 1e-6)
        assert ((mine.double() - exactly).abs() <= allowed).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_strides_change_no_bit_and_formats_stay(dtype):
    a = Arguments(channels=4, stride=2, padding=1)
    whole = [t.detach().mul(2).round().to(dtype) for t in a.tensors()]
    expected = ctt.conv_transpose2d(*whole, **named(a.numbers))
    assert expected.is_contiguous()
    source, weight, bias = whole
    last = source.to(memory_format=torch.channels_last)
    result = ctt.conv_transpose2d(last, weight, bias, **named(a.numbers))
    assert torch.equal(result, expected)
    assert result.is_contiguous(memory_format=torch.channels_last)
    big = torch.zeros(2, 4, 12, 15, dtype=dtype)
    view = big[:, :, 1:11:2, 3:15:2].copy_(source)
    weight = weight.to(memory_format=torch.channels_last)
    assert torch.equal(ctt.conv_transpose2d(view, weight, bias, **named(a.numbers)), expected)
    # The gradient of a sum has strides of 0.
    expanded, dense = torch.ones(1, dtype=dtype).expand_as(expected), torch.ones_like(expected)
    leaves = [t.requires_grad_() for t in whole]
    gradients = [
        value_and_gradients(ctt.conv_transpose2d, leaves, a.numbers, g) for g in (expanded, dense)
    ]
    assert all(map(torch.equal, *gradients))


@pytest.mark.parametrize("memory_format", FORMATS, ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_kernels_see_the_tensors_memory(monkeypatch, memory_format, dtype):
    seen = []

    def spy(source, weights, *arguments, out, **keywords):
        seen[:] = [each.ctypes.data for each in (source, weights, out)]

    monkeypatch.setattr(library._core, "convolution_transpose_2d", spy)
    source = torch.zeros(2, 4, 5, 6, dtype=dtype).to(memory_format=memory_format)
    weight = torch.zeros(4, 3, 3, 3, dtype=dtype).to(memory_format=memory_format)
    result = ctt.conv_transpose2d(source, weight)
    assert seen == [each.data_ptr() for each in (source, weight, result)]


def test_threads_are_pytorchs(monkeypatch):
    seen = []

    def spy(*arguments, threads, **keywords):
        seen.append(threads)

    monkeypatch.setattr(library._core, "convolution_transpose_2d", spy)
    before = torch.get_num_threads()
    try:
        for threads in (1, 3):
            torch.set_num_threads(threads)
            ctt.conv_transpose2d(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2))
    finally:
        torch.set_num_threads(before)
    assert seen == [1, 3]


@pytest.mark.parametrize("axes", [1, 2])
def test_signature(axes):
    parameters = list(inspect.signature(OURS[axes]).parameters.values())
    names = "input weight bias stride padding output_padding groups dilation".split()
    assert [parameter.name for parameter in parameters[:8]] == names
    assert [parameter.default for parameter in parameters[2:8]] == [None, 1, 0, 0, 1, 1]


X, W, B = torch.zeros(1, 4, 5, 6), torch.zeros(4, 3, 3, 3), torch.zeros(3)


@pytest.mark.parametrize(
    ("arguments", "keywords", "said"),
    [
        ((X[0, 0], W), {}, r"input: expected 4 dimensions, or 3 without a batch, got 2 in \(5, 6"),
        ((X, W[0]), {}, r"weight: expected 4 dimensions, got 3"),
        ((X[:, :3], W), {}, r"input: expected 4 channels .*, got 3 in \(1, 3, 5, 6\)"),
        ((X, W), {"groups": 3}, "groups: expected a positive divisor of 4 channels, got 3"),
        ((X, W), {"groups": 0}, "groups: .* got 0"),
        ((X, W, B[:2]), {}, r"bias: expected shape \(3,\), .*, got \(2,\)"),
        ((X, W), {"stride": 0}, "stride: expected at least 1, got 0"),
        ((X, W), {"dilation": (1, 0)}, r"dilation: expected at least 1, got \(1, 0\)"),
        ((X, W), {"padding": -1}, "padding: expected at least 0, got -1"),
        ((X, W), {"output_padding": 1}, "output_padding: expected less than the stride or the"),
        ((X, W), {"padding": 4}, "input: expected a height that leaves a result, got 5 .* be -1"),
        ((X[:, :, :0], W), {}, "input: expected a height that leaves a result, got 0"),
        ((X.to_sparse(), W), {}, "input: expected a strided tensor, got torch.sparse_coo"),
    ],
)
def test_refusals_as_pytorchs(arguments, keywords, said):
    with pytest.raises(RuntimeError):
        torch.nn.functional.conv_transpose2d(*arguments, **keywords)
    with pytest.raises(RuntimeError, match=rf"^conv_transpose2d: {said}"):
        ctt.conv_transpose2d(*arguments, **keywords)


@pytest.mark.parametrize(
    ("arguments", "keywords", "said"),
    [
        (([[1.0]], W), {}, "input: expected a Tensor, got list"),
        ((X, None), {}, "weight: expected a Tensor, got NoneType"),
        ((X, W, [0.0] * 3), {}, "bias: expected a Tensor, got list"),
        ((X, W.double()), {}, "weights: expected the dtype of source, torch.float32, got .*64"),
        ((X, W, B.half()), {}, "bias: expected the dtype of source, torch.float32, got .*16"),
        ((X.long(), W.long()), {}, "source: expected one of float32, .*, got torch.int64"),
        ((X.cfloat(), W.cfloat()), {}, "source: expected one of float32, .*, got torch.complex64"),
        ((X, W), {"stride": 1.5}, "stride: expected an int or 2 of them, got 1.5"),
        ((X, W), {"stride": (1, 1, 1)}, r"stride: expected an int or 2 of them, got \(1, 1, 1\)"),
    ],
)
def test_refusals_of_types(arguments, keywords, said):
    with pytest.raises(TypeError, match=rf"^conv_transpose2d: {said}"):
        ctt.conv_transpose2d(*arguments, **keywords)


def test_other_devices_are_refused():
    from torch._subclasses import FakeTensorMode

    with FakeTensorMode():
        source = torch.empty(1, 4, 5, 6, device="cuda")
        with pytest.raises(
            RuntimeError, match="input: expected a tensor on the CPU, got one on cu"
        ):
            ctt.conv_transpose2d(source, W)


def test_meta_tensors_have_a_shape():
    result = ctt.conv_transpose2d(X.to("meta"), W.to("meta"), stride=2)
    assert result.is_meta
    assert result.shape == (1, 3, 11, 13)


def test_autocast_does_as_pytorchs():
    x, w, b = torch.randn(1, 4, 5, 6), torch.randn(4, 3, 3, 3), torch.randn(3)
    with torch.autocast("cpu", torch.bfloat16):
        result = ctt.conv_transpose2d(x.requires_grad_(), w.half(), b)
        assert torch.nn.functional.conv_transpose2d(x, w, b).dtype == result.dtype
        wide = ctt.conv_transpose2d(x.double(), w.double(), b.double())
    assert result.dtype == torch.bfloat16
    assert wide.dtype == torch.float64
    expected = ctt.conv_transpose2d(*(t.detach().bfloat16() for t in (x, w.half(), b)))
    assert torch.equal(result, expected)
    result.sum().backward()
    assert x.grad.dtype == torch.float32


def test_arrays_are_views():
    for dtype in (torch.float32, torch.bfloat16):
        tensor = torch.zeros(2, 3, dtype=dtype)[:, ::2]
        array_of(tensor)[1, 1] = 7
        assert tensor[1, 1] == 7
