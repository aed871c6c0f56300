# SPDX-License-Identifier: MIT
"""MPSGraph's operations on tensors, and the operators beneath: derivatives, rules, compilation."""

from __future__ import annotations

import numpy as np
import pytest

import convtranspose as ct

torch = pytest.importorskip("torch", minversion="2.4")

import convtranspose.torch as ctt
from convtranspose.torch import library
from convtranspose.torch.layouts import Layouts
from torch_cases import sweep

NHWC, HWIO = ct.TensorNamedDataLayout.NHWC, ct.TensorNamedDataLayout.HWIO
DESCRIPTORS = {
    "plain": (ct.Convolution2DOpDescriptor(), (2, 3, 6, 8), True),
    "strided": (
        ct.Convolution2DOpDescriptor(
            stride_in_x=3,
            stride_in_y=2,
            dilation_rate_in_y=2,
            padding_left=1,
            padding_right=2,
            padding_top=3,
        ),
        (2, 3, 9, 16),
        True,
    ),
    "grouped same": (
        ct.Convolution2DOpDescriptor(
            groups=2, stride_in_x=2, stride_in_y=2, padding_style=ct.PaddingStyle.TF_SAME
        ),
        (2, 6, 8, 11),
        True,
    ),
    "same lower": (
        ct.Convolution2DOpDescriptor(
            stride_in_x=2, stride_in_y=3, padding_style=ct.PaddingStyle.ONNX_SAME_LOWER
        ),
        (2, 3, 12, 12),
        True,
    ),
    "cropped": (ct.Convolution2DOpDescriptor(stride_in_x=2), (2, 3, 3, 9), False),
    "filled": (ct.Convolution2DOpDescriptor(dilation_rate_in_x=3), (2, 3, 8, 17), False),
}


@pytest.fixture(params=DESCRIPTORS)
def problem(request):
    """Return a descriptor, the result's shape, strictness, a source and weights."""
    descriptor, shape, strict = DESCRIPTORS[request.param]
    random = torch.Generator().manual_seed(1)
    source = torch.randn(2, 4, 4, 6, generator=random, dtype=torch.float64)
    weights = torch.randn(4, 3, 3, 3, generator=random, dtype=torch.float64)
    return descriptor, shape, strict, source, weights


def operations(problem):
    """Yield each operation as a function of two tensors, with tensors to give it."""
    descriptor, shape, strict, source, weights = problem
    gradient = torch.randn(shape, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    for name, first, second, output in (
        ("convolution_transpose_2d", source, weights, shape),
        ("convolution_transpose_2d_data_gradient", gradient, weights, source.shape),
        ("convolution_transpose_2d_weights_gradient", gradient, source, weights.shape),
    ):

        def call(a, b, module=ctt, name=name, output=output, how=descriptor, strict=strict):
            return getattr(module, name)(a, b, output, how, strict=strict)

        yield name, call, (first, second), output


def test_values_are_numpys(problem):
    for _, call, tensors, _ in operations(problem):
        ours = call(*tensors).numpy()
        np.testing.assert_array_equal(ours, call(*(t.numpy() for t in tensors), module=ct))


def test_layouts_are_views(problem):
    descriptor, _, _, _, _ = problem
    other = descriptor.replace(data_layout=NHWC, weights_layout=HWIO)
    layouts, fields = Layouts.of(other)
    assert fields == Layouts.of(descriptor)[1]
    for name, call, (first, second), output in operations(problem):
        of_weights = name.endswith("weights_gradient")
        turn_second = layouts.data if of_weights else layouts.weights
        order = (2, 3, 1, 0) if of_weights else (0, 2, 3, 1)
        shape = [output[axis] for axis in order]
        result = call(layouts.data(first), turn_second(second), output=shape, how=other)
        assert list(result.shape) == shape
        assert torch.equal(result, call(first, second).permute(order))
        ours = call(
            layouts.data(first).numpy(), turn_second(second).numpy(), ct, output=shape, how=other
        )
        np.testing.assert_allclose(result, ours, rtol=0, atol=1e-12)


def test_derivatives(problem):
    for _, call, tensors, _ in operations(problem):
        leaves = [tensor.clone().requires_grad_() for tensor in tensors]
        assert torch.autograd.gradcheck(call, leaves, fast_mode=True)
        assert torch.autograd.gradgradcheck(call, leaves, fast_mode=True)


def test_every_entry_of_the_derivatives():
    descriptor = ct.Convolution2DOpDescriptor(stride_in_x=2, groups=2, padding_left=1)
    source = torch.randn(2, 2, 2, 3, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(2, 1, 2, 3, dtype=torch.float64, requires_grad=True)
    bias = torch.randn(2, dtype=torch.float64, requires_grad=True)

    def call(source, weights, bias):
        return ctt.conv_transpose2d(source, weights, bias, (1, 2), (0, 1), groups=2)

    leaves = source, weights, bias
    assert torch.autograd.gradcheck(call, leaves)
    assert torch.autograd.gradgradcheck(call, leaves)
    shape = (2, 2, 3, 6)
    call = lambda s, w: ctt.convolution_transpose_2d(s, w, shape, descriptor)
    assert torch.autograd.gradcheck(call, leaves[:2])
    assert torch.autograd.gradgradcheck(call, leaves[:2])


@pytest.mark.parametrize("a", [a for a in list(sweep())[::9] if a.axes == 2], ids=str)
def test_derivatives_of_the_functional_form(a):
    tensors = a.tensors()

    def call(*tensors):
        return ctt.conv_transpose2d(*tensors, **dict(zip(names, a.numbers, strict=True)))

    names = ("stride", "padding", "output_padding", "groups", "dilation")
    assert torch.autograd.gradcheck(call, tensors, fast_mode=True)
    assert torch.autograd.gradgradcheck(call, tensors, fast_mode=True)


@pytest.mark.parametrize(
    ("problem", "dtype", "memory_format"),
    [
        ("strided", torch.float32, torch.contiguous_format),
        ("grouped same", torch.bfloat16, torch.channels_last),
        ("filled", torch.float64, torch.contiguous_format),
    ],
    indirect=["problem"],
)
def test_opcheck(problem, dtype, memory_format):
    for name, _, tensors, output in operations(problem):
        tensors = [
            t.to(dtype, memory_format=memory_format, copy=True).requires_grad_() for t in tensors
        ]
        bias = torch.ones(output[1], dtype=dtype, requires_grad=True)
        forward = name == "convolution_transpose_2d"
        _, fields = Layouts.of(problem[0])
        torch.library.opcheck(
            getattr(torch.ops.convtranspose, name).default,
            (
                *tensors,
                *([bias] if forward else []),
                list(output),
                fields,
                problem[2],
                name,
                0,
                *([0] if forward else []),
            ),
            atol=1e-2,
            rtol=1e-2,
        )


@pytest.mark.parametrize(
    ("problem", "dynamic"), [("strided", False), ("grouped same", True)], indirect=["problem"]
)
def test_compiles_without_graph_breaks(problem, dynamic):
    torch._dynamo.reset()
    for _, call, tensors, _ in operations(problem):
        leaves = [tensor.clone().requires_grad_() for tensor in tensors]
        compiled = torch.compile(call, fullgraph=True, backend="aot_eager", dynamic=dynamic)
        ours, theirs = compiled(*leaves), call(*leaves)
        assert torch.equal(ours, theirs)
        for mine, their in zip(
            torch.autograd.grad(ours.square().sum(), leaves),
            torch.autograd.grad(theirs.square().sum(), leaves),
            strict=True,
        ):
            assert torch.equal(mine, their)


def test_compiled_code_sees_another_descriptor():
    torch._dynamo.reset()

    @torch.compile(fullgraph=True, backend="aot_eager")
    def call(source, weights, shape, descriptor):
        return ctt.convolution_transpose_2d(source, weights, shape, descriptor)

    source, weights = torch.ones(1, 1, 1, 3), torch.ones(1, 1, 1, 2)
    one = ct.Convolution2DOpDescriptor()
    two = ct.Convolution2DOpDescriptor(stride_in_x=2)
    assert call(source, weights, (1, 1, 1, 4), one).flatten().tolist() == [1, 2, 2, 1]
    assert call(source, weights, (1, 1, 1, 6), two).flatten().tolist() == [1] * 6
    one.stride_in_x = 2
    assert call(source, weights, (1, 1, 1, 6), one).flatten().tolist() == [1] * 6


def test_compiled_shapes_are_dynamic():
    torch._dynamo.reset()
    graphs = []

    def backend(module, _):
        graphs.append(module)
        return module

    call = torch.compile(ctt.conv_transpose2d, fullgraph=True, backend=backend, dynamic=True)
    weight = torch.randn(4, 3, 3, 3)
    for batch, height in ((2, 5), (3, 7), (4, 9)):
        source = torch.randn(batch, 4, height, 6)
        assert torch.equal(call(source, weight), ctt.conv_transpose2d(source, weight))
    assert len(graphs) == 1


@pytest.mark.parametrize("level", [None, False, True, "aggressive"])
def test_fast_math_reaches_every_operation(monkeypatch, level):
    seen = []
    for name in (
        "convolution_transpose_2d",
        "convolution_transpose_2d_data_gradient",
        "convolution_transpose_2d_weights_gradient",
    ):
        monkeypatch.setattr(library._core, name, lambda *a, fast_math, **k: seen.append(fast_math))
    x, w = (torch.zeros(1, 1, 3, 3, requires_grad=True) for _ in "xw")
    ctt.conv_transpose2d(x, w, fast_math=level).sum().backward()
    ctt.convolution_transpose_2d_data_gradient(
        x, w, (1, 1, 1, 1), ct.Convolution2DOpDescriptor(), fast_math=level
    )
    assert seen == [ct.get_fast_math() if level is None else level] * 4


def test_fast_math_changes_little():
    x, w = torch.randn(1, 32, 12, 12), torch.randn(32, 32, 3, 3)
    exact = torch.nn.functional.conv_transpose2d(x.double(), w.double(), padding=1)
    for level, error in ((False, 1e-5), (True, 1e-5), ("aggressive", 1e-3)):
        result = ctt.conv_transpose2d(x, w, padding=1, fast_math=level)
        assert (result - exact).abs().max() < error * exact.abs().max()
    with pytest.raises(ValueError, match="fast_math: expected None, False, True or 'aggressive'"):
        ctt.conv_transpose2d(x, w, fast_math="fast")


def test_exports_with_dynamic_shapes():
    model = ctt.ConvTranspose2d(4, 3, 3, stride=2).eval()
    shapes = {"input": {0: torch.export.Dim("batch"), 2: torch.export.Dim("height")}}
    program = torch.export.export(model, (torch.randn(2, 4, 5, 6),), dynamic_shapes=shapes)
    other = torch.randn(3, 4, 9, 6)
    assert torch.equal(program.module()(other), model(other))


@pytest.mark.parametrize(
    ("source", "weights", "shape", "error", "said"),
    [
        (torch.ones(1, 1, 2, 2), torch.ones(1, 1, 3, 3), (1, 1, 9, 5), ValueError, "got height 9"),
        (torch.ones(1, 2, 2), torch.ones(1, 1, 3, 3), (1, 1, 4, 4), ValueError, "source: .* got 3"),
        (torch.ones(1, 1, 2, 2), torch.ones(1, 1, 3, 3), (1, 4, 4), ValueError, "output_shape"),
        (torch.ones(1, 1, 2, 2), torch.ones(2, 1, 3, 3), (1, 1, 4, 4), ValueError, "weights"),
        (torch.ones(1, 1, 2, 2), np.ones((1, 1, 3, 3)), (1, 1, 4, 4), TypeError, "got ndarray"),
        (torch.ones(1, 1, 2, 2), torch.ones(1, 1, 3, 3).half(), (1,) * 4, TypeError, "16"),
    ],
)
def test_refusals(source, weights, shape, error, said):
    descriptor = ct.Convolution2DOpDescriptor()
    with pytest.raises(error, match=rf"^up: .*{said}"):
        ctt.convolution_transpose_2d(source, weights, shape, descriptor, "up")


@pytest.mark.parametrize("style", ["EXPLICIT", "TF_VALID", "TF_SAME", "ONNX_SAME_LOWER"])
def test_convolution_2d_is_numpys(style):
    descriptor = ct.Convolution2DOpDescriptor(
        stride_in_x=2,
        stride_in_y=3,
        dilation_rate_in_x=2,
        padding_left=1,
        padding_bottom=2,
        groups=2,
        padding_style=ct.PaddingStyle[style],
    )
    source = torch.randn(2, 4, 9, 10, dtype=torch.float64, requires_grad=True)
    weights = torch.randn(6, 2, 2, 3, dtype=torch.float64, requires_grad=True)
    result = ctt.convolution_2d(source, weights, descriptor)
    expected = ct.convolution_2d(source.detach().numpy(), weights.detach().numpy(), descriptor)
    np.testing.assert_array_equal(result.detach(), expected)
    call = lambda s, w: ctt.convolution_2d(s, w, descriptor)
    assert torch.autograd.gradcheck(call, (source, weights), fast_mode=True)
    with pytest.raises(ValueError, match=r"^convolution_2d: source: "):
        ctt.convolution_2d(source[:, :3], weights, descriptor)
    if style in ("EXPLICIT", "TF_VALID"):
        with pytest.raises(
            ValueError, match=r"^convolution_2d: source: .* at least 5 along axis 3"
        ):
            ctt.convolution_2d(source[..., : 1 + (style == "TF_VALID")], weights, descriptor)
