# SPDX-License-Identifier: MIT
"""MPSGraph's parameters on tensors: find the kernel behind a result by following its gradient.

PyTorch has no TF_SAME padding for a transposed convolution, and no name for the result's shape.

    pip install 'convtranspose[torch]'
    python torch_descriptor.py
"""

from __future__ import annotations

import torch

from convtranspose import Convolution2DOpDescriptor, PaddingStyle, TensorNamedDataLayout
from convtranspose.torch import convolution_transpose_2d

DESCRIPTOR = Convolution2DOpDescriptor(
    stride_in_x=2,
    stride_in_y=2,
    padding_style=PaddingStyle.TF_SAME,
    data_layout=TensorNamedDataLayout.NHWC,
    weights_layout=TensorNamedDataLayout.HWIO,
)


def main() -> None:
    """Recover 3 x 3 weights from what they made of random images."""
    torch.manual_seed(0)
    source = torch.randn(4, 8, 8, 5)  # N, h, w, O
    hidden = torch.randn(3, 3, 2, 5)  # kh, kw, I, O
    shape = (4, 15, 16, 2)  # N, H, W, I: an odd height and an even width
    target = convolution_transpose_2d(source, hidden, shape, DESCRIPTOR)

    weights = torch.zeros_like(hidden, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        result = convolution_transpose_2d(source, weights, shape, DESCRIPTOR)
        error = (result - target).square().mean()
        error.backward()
        return error

    optimizer.step(loss)
    print(f"largest error of a weight: {(weights - hidden).abs().max().item():.1e}")


if __name__ == "__main__":
    main()
