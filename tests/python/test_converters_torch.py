# SPDX-License-Identifier: MIT
from __future__ import annotations

import numpy as np
import pytest

import convtranspose as ct
from convtranspose import converters
from layers import expected, integers, random_case
from running import from_layout

torch = pytest.importorskip("torch")
functional = torch.nn.functional
D = ct.Convolution2DOpDescriptor


def random_layer(rng: np.random.Generator) -> torch.nn.ConvTranspose2d:
    groups = int(rng.integers(1, 4))
    stride, dilation = rng.integers(1, 5, 2), rng.integers(1, 4, 2)
    layer = torch.nn.ConvTranspose2d(
        groups * int(rng.integers(1, 3)),
        groups * int(rng.integers(1, 3)),
        tuple(map(int, rng.integers(1, 6, 2))),
        tuple(map(int, stride)),
        tuple(map(int, rng.integers(0, 4, 2))),
        tuple(int(rng.integers(0, max(pair))) for pair in zip(stride, dilation, strict=True)),
        groups,
        False,
        tuple(map(int, dilation)),
    )
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(integers(rng, *layer.weight.shape)))
    return layer


def size_of(layer: torch.nn.ConvTranspose2d, source: torch.Tensor) -> bool:
    parameters = zip(
        source.shape[2:],
        layer.kernel_size,
        layer.stride,
        layer.dilation,
        layer.padding,
        layer.output_padding,
        strict=True,
    )
    return min((n - 1) * s + (k - 1) * d + 1 - 2 * p + o for n, k, s, d, p, o in parameters) > 0


@pytest.mark.parametrize("seed", range(80))
def test_from_torch_computes_what_torch_does(seed):
    rng = np.random.default_rng(seed)
    layer, source = random_layer(rng), None
    while source is None or not size_of(layer, source):
        layer = random_layer(rng)
        source = torch.from_numpy(
            integers(rng, 2, layer.in_channels, *map(int, rng.integers(1, 7, 2)))
        )
    theirs = layer(source).detach().numpy()
    descriptor = D.from_torch(layer)
    shape = converters.torch_output_shape(source.shape, layer.weight.shape, layer)
    assert shape == theirs.shape
    weights = layer.weight.detach().numpy()
    # With an output_padding of the stride or more no forward convolution comes back to the source.
    strict = all(o < s for o, s in zip(layer.output_padding, layer.stride, strict=True))
    ours = ct.convolution_transpose_2d(source.numpy(), weights, shape, descriptor, strict=strict)
    assert np.array_equal(ours, theirs)
    if strict:
        padding = converters.output_padding_from_shape(
            descriptor, source.shape, weights.shape, shape
        )
        assert padding == layer.output_padding
        again = converters.output_shape_from_padding(
            descriptor, source.shape, weights.shape, padding
        )
        assert again == shape


@pytest.mark.parametrize("seed", range(80))
def test_to_torch_args_computes_what_the_descriptor_does(seed):
    rng = np.random.default_rng(1000 + seed)
    descriptor, source, weights, output_shape = random_case(rng)
    arguments = descriptor.to_torch_args(source.shape, weights.shape, output_shape)
    theirs = functional.conv_transpose2d(
        torch.from_numpy(from_layout(source, descriptor.data_layout.name).copy()),
        torch.from_numpy(
            np.ascontiguousarray(
                converters.convert_weights(
                    weights, descriptor.weights_layout, ct.TensorNamedDataLayout.OIHW
                )
            )
        ),
        **arguments.keywords,
    )[(..., *arguments.crop)]
    ours = expected(descriptor, source, weights, output_shape)
    assert np.array_equal(theirs.numpy(), from_layout(ours, descriptor.data_layout.name))


@pytest.mark.parametrize("seed", range(40))
def test_round_trip_crops_nothing(seed):
    rng = np.random.default_rng(2000 + seed)
    layer = random_layer(rng)
    source_shape = (1, layer.in_channels, 9, 8)
    shape = converters.torch_output_shape(source_shape, layer.weight.shape, layer)
    back = D.from_torch(layer).to_torch_args(source_shape, layer.weight.shape, shape)
    assert back.keywords == {
        name: getattr(layer, name)
        for name in ("stride", "padding", "output_padding", "groups", "dilation")
    }
    assert back.crop == (slice(0, shape[2]), slice(0, shape[3]))


def test_functional_keywords():
    descriptor = D.from_torch(stride=2, padding=(1, 0), dilation=[3, 1], groups=2)
    assert descriptor == D(
        stride_in_x=2,
        stride_in_y=2,
        padding_top=1,
        padding_bottom=1,
        dilation_rate_in_y=3,
        groups=2,
    )


def test_what_torch_cannot_say_is_refused():
    descriptor = D(stride_in_x=2)
    shapes = (1, 1, 1, 3), (1, 1, 1, 2)
    assert descriptor.to_torch_args(*shapes, (1, 1, 1, 7)).output_padding == (0, 1)
    with pytest.raises(ValueError, match=r"output_shape: expected at most 7, got 8: PyTorch's"):
        descriptor.to_torch_args(*shapes, (1, 1, 1, 8))


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"stride": 0}, ValueError, "stride: expected one or two integers of at least 1, got 0"),
        ({"stride": (1, 2, 3)}, ValueError, "stride"),
        ({"padding": -1}, ValueError, "padding"),
        ({"padding": "same"}, TypeError, "padding: expected an integer or two, got 'same'"),
        ({"stride": 2, "output_padding": 2}, ValueError, "output_padding"),
        ({"dilation": 0.5}, TypeError, "dilation"),
    ],
)
def test_refusals_name_the_argument(arguments, error, named):
    with pytest.raises(error, match=f"^from_torch: {named}"):
        D.from_torch(**arguments)


def test_a_layer_or_keywords():
    layer = torch.nn.ConvTranspose2d(2, 3, 3)
    with pytest.raises(
        TypeError, match="a layer or keywords, got both: ConvTranspose2d and stride"
    ):
        D.from_torch(layer, stride=2)
    with pytest.raises(TypeError, match="got a Linear without stride"):
        D.from_torch(torch.nn.Linear(2, 3))
