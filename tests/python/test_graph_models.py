# SPDX-License-Identifier: MIT
"""Whole models, against the same layers in PyTorch in float64."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import convtranspose as ct
from convtranspose.graph import Graph

torch = pytest.importorskip("torch")

UP = ct.Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2)
UP.set_explicit_padding(1, 1, 1, 1)
SAME = ct.Convolution2DOpDescriptor()
SAME.set_explicit_padding(1, 1, 1, 1)


def close(found: np.ndarray, expected) -> None:
    """Float64 sums in another order: far below what any wrong tap or channel would do."""
    theirs = expected.detach().numpy()
    assert found.shape == theirs.shape
    np.testing.assert_allclose(found, theirs, rtol=1e-11, atol=1e-11 * np.abs(theirs).max())


def generator(channels=(24, 32, 16, 8, 8, 3)) -> torch.nn.Sequential:
    """DCGAN's: the first layer makes 4x4 of 1x1, every other doubles; tanh ends it."""
    torch.manual_seed(0)
    layers: list[torch.nn.Module] = []
    for i, (few, many) in enumerate(pairwise(channels)):
        stride, padding = (1, 0) if i == 0 else (2, 1)
        layers.append(torch.nn.ConvTranspose2d(few, many, 4, stride, padding))
        layers.append(torch.nn.ReLU() if i < len(channels) - 2 else torch.nn.Tanh())
    return torch.nn.Sequential(*layers).double()


def array(parameter: torch.Tensor) -> np.ndarray:
    return parameter.detach().numpy()


def as_graph(model: torch.nn.Sequential, batch: int, source: str):
    """The model with its parameters as variables or constants."""
    graph = Graph()
    tensor = x = graph.placeholder((batch, model[0].in_channels, 1, 1), np.float64)
    parameters = []
    for layer in model:
        if isinstance(layer, torch.nn.ConvTranspose2d):
            stride, pad = layer.stride[0], layer.padding[0]
            descriptor = ct.Convolution2DOpDescriptor(stride_in_x=stride, stride_in_y=stride)
            descriptor.set_explicit_padding(pad, pad, pad, pad)
            size = (tensor.shape[2] - 1) * stride - 2 * pad + 4
            weights = getattr(graph, source)(array(layer.weight))
            bias = getattr(graph, source)(array(layer.bias).reshape(1, -1, 1, 1))
            shape = (batch, layer.out_channels, size, size)
            tensor = graph.convolution_transpose_2d(tensor, weights, shape, descriptor)
            tensor = graph.addition(tensor, bias)
            parameters += [weights, bias]
        else:
            relu = isinstance(layer, torch.nn.ReLU)
            tensor = graph.relu(tensor) if relu else graph.tanh(tensor)
    return graph, x, tensor, parameters


@pytest.mark.parametrize("source", ["constant", "variable"])
def test_a_generator_of_five_layers(source):
    model = generator()
    graph, x, image, _ = as_graph(model, 2, source)
    noise = torch.randn(2, 24, 1, 1, dtype=torch.float64)
    executable = graph.compile([image])
    assert len(executable.explain().splitlines()) == 5
    assert image.shape == (2, 3, 64, 64)
    close(executable.run({x: noise.numpy()})[image], model(noise))


def test_all_gradients_of_a_generator():
    model = generator((6, 8, 5, 4, 3, 2))
    graph, x, image, parameters = as_graph(model, 3, "variable")
    loss = graph.mean(graph.square(image), (0, 1, 2, 3))
    gradients = graph.gradients(loss, [x, *parameters])
    noise = torch.randn(3, 6, 1, 1, dtype=torch.float64, requires_grad=True)
    expected = model(noise).square().mean()
    expected.backward()
    found = graph.run({x: array(noise)}, [loss, *gradients.values()])
    assert found[loss].item() == pytest.approx(expected.item(), rel=1e-12)
    theirs = [noise.grad, *(p.grad for p in model.parameters())]
    for gradient, their in zip(gradients.values(), theirs, strict=True):
        close(found[gradient].reshape(their.shape), their)


def test_training_takes_the_same_steps():
    model = generator((4, 6, 5, 3))
    graph, x, image, parameters = as_graph(model, 2, "variable")
    wanted = torch.randn(image.shape, dtype=torch.float64)
    error = graph.subtraction(image, graph.constant(wanted.numpy()))
    loss = graph.mean(graph.square(error), (0, 1, 2, 3))
    rate = graph.constant(0.05, np.float64)
    step = [
        graph.assign(p, graph.stochastic_gradient_descent(rate, p, gradient))
        for p, gradient in graph.gradients(loss, parameters).items()
    ]
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    losses = []
    for _ in range(10):
        noise = torch.randn(2, 4, 1, 1, dtype=torch.float64)
        optimizer.zero_grad()
        expected = (model(noise) - wanted).square().mean()
        expected.backward()
        optimizer.step()
        found = graph.run({x: noise.numpy()}, [loss], step)[loss]
        assert found.item() == pytest.approx(expected.item(), rel=1e-10)
        losses.append(found.item())
    assert losses[-1] < losses[0]
    values = graph.run({}, parameters)
    for parameter, their in zip(values.values(), model.parameters(), strict=True):
        close(parameter.reshape(their.shape), their)


class Decoder(torch.nn.Module):
    """Two levels of a U-Net's right side: up, concatenate the skip, convolve."""

    def __init__(self) -> None:
        super().__init__()
        self.ups = torch.nn.ModuleList(
            [torch.nn.ConvTranspose2d(16, 8, 2, 2), torch.nn.ConvTranspose2d(8, 4, 2, 2)]
        )
        self.convs = torch.nn.ModuleList(
            [torch.nn.Conv2d(16, 8, 3, padding=1), torch.nn.Conv2d(8, 4, 3, padding=1)]
        )
        self.head = torch.nn.Conv2d(4, 2, 1)

    def forward(self, bottom, skips):
        for up, conv, skip in zip(self.ups, self.convs, skips, strict=True):
            joined = torch.cat([up(bottom), skip], 1)
            bottom = torch.nn.functional.leaky_relu(conv(joined), 0.1)
        return torch.sigmoid(self.head(bottom))


def test_a_unet_decoder():
    torch.manual_seed(1)
    model = Decoder().double()
    graph = Graph()
    bottom = tensor = graph.placeholder((2, 16, 5, 7), np.float64)
    skips = [graph.placeholder((2, c, 5 * s, 7 * s), np.float64) for c, s in ((8, 2), (4, 4))]
    plain, two = (
        ct.Convolution2DOpDescriptor(),
        UP.replace(padding_left=0, padding_right=0, padding_top=0, padding_bottom=0),
    )

    def biased(tensor, layer):
        return graph.addition(tensor, graph.constant(array(layer.bias).reshape(1, -1, 1, 1)))

    for up, conv, skip in zip(model.ups, model.convs, skips, strict=True):
        weights = graph.constant(array(up.weight))
        shape = (2, up.out_channels, *skip.shape[2:])
        raised = graph.convolution_transpose_2d(tensor, weights, shape, two)
        joined = graph.concat_tensors([biased(raised, up), skip], 1)
        weights = graph.constant(array(conv.weight))
        tensor = graph.leaky_relu(biased(graph.convolution_2d(joined, weights, SAME), conv), 0.1)
    weights = graph.constant(array(model.head.weight))
    result = graph.sigmoid(biased(graph.convolution_2d(tensor, weights, plain), model.head))
    executable = graph.compile([result])
    assert len(executable.explain().splitlines()) == 7  # five plans and two concatenations
    assert executable.workspace_bytes == executable.liveness_bound

    inputs = [torch.randn(t.shape, dtype=torch.float64) for t in (bottom, *skips)]
    feeds = dict(zip((bottom, *skips), (t.numpy() for t in inputs), strict=True))
    close(executable.run(feeds)[result], model(inputs[0], inputs[1:]))
