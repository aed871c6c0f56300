# SPDX-License-Identifier: MIT
"""PyTorch as the second opinion, on the layer shapes people use and in its own weight layout."""

from __future__ import annotations

import numpy as np
import pytest

import convtranspose as ct
import tolerance

LAYERS = [
    # channels, result channels per group, kernel, stride, padding, output padding, dilation, groups
    (8, 6, 4, 2, 1, 0, 1, 1),
    (6, 5, 3, 2, 1, 1, 1, 1),
    (12, 1, 4, 2, 1, 0, 1, 12),
    (9, 2, 5, 3, 2, 2, 1, 3),
    (4, 7, 3, 1, 2, 0, 2, 1),
    (16, 3, 7, 2, 3, 1, 1, 1),
    (5, 4, 2, 2, 0, 0, 1, 1),
    (5, 4, 3, 2, 0, 1, 3, 1),
]


@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_conv_transpose2d_and_its_backward(layer):
    torch = pytest.importorskip("torch")
    channels, per_group, kernel, stride, padding, extra, dilation, groups = layer
    torch.manual_seed(0)
    module = torch.nn.ConvTranspose2d(
        channels, per_group * groups, kernel, stride, padding, extra, groups, False, dilation
    ).double()
    source = torch.randn(2, channels, 7, 6, dtype=torch.float64, requires_grad=True)
    result = module(source)
    gradient = torch.randn_like(result)
    result.backward(gradient)
    descriptor = ct.Convolution2DOpDescriptor(
        stride_in_x=stride,
        stride_in_y=stride,
        dilation_rate_in_x=dilation,
        dilation_rate_in_y=dilation,
        groups=groups,
    )
    descriptor.set_explicit_padding(padding, padding, padding, padding)
    x, w, g = (t.detach().numpy() for t in (source, module.weight, gradient))
    theirs = result.detach().numpy(), source.grad.numpy(), module.weight.grad.numpy()

    def ours(x, w, g):
        yield ct.convolution_transpose_2d(x, w, g.shape, descriptor)
        yield ct.convolution_transpose_2d_data_gradient(g, w, x.shape, descriptor)
        yield ct.convolution_transpose_2d_weights_gradient(g, x, w.shape, descriptor)

    taps = kernel * kernel
    terms = channels // groups * taps, per_group * taps, 2 * 7 * 6
    absolute = ours(*map(np.abs, (x, w, g)))
    for mine, their, count, scale in zip(ours(x, w, g), theirs, terms, absolute, strict=True):
        assert tolerance.mismatch(mine, their, scale, count) is None
