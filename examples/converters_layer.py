# SPDX-License-Identifier: MIT
"""One layer in the words of five frameworks, and as code for MPSGraph. Needs none of them.

pip install convtranspose
python converters_layer.py
"""

from __future__ import annotations

import numpy as np

import convtranspose as ct
from convtranspose import converters

Descriptor = ct.Convolution2DOpDescriptor


def main() -> None:
    """Convert Keras's "same" layer with an odd kernel, which PyTorch cannot say without a crop."""
    source_shape, weights_shape = (1, 16, 16, 8), (5, 5, 4, 8)
    layer = {"strides": 2, "padding": "same"}
    descriptor = Descriptor.from_keras(kernel_size=5, **layer)
    output_shape = converters.keras_output_shape(source_shape, weights_shape, **layer)
    shapes = source_shape, weights_shape, output_shape
    print(f"descriptor: {descriptor}")
    print(f"output shape: {output_shape}")

    torch = descriptor.to_torch_args(*shapes)
    print(f"\nPyTorch: {torch.keywords}, then crop {torch.crop}")
    print(f"ONNX: {descriptor.to_onnx_attributes(*shapes)}")
    print(f"TensorFlow: {descriptor.to_tensorflow_args(*shapes)}")
    print(f"Keras: {descriptor.to_keras_args(*shapes)}")
    print(f"JAX: {descriptor.to_jax_args(*shapes)}")

    rng = np.random.default_rng(0)
    weights = rng.standard_normal(weights_shape, dtype=np.float32)
    oihw = converters.convert_weights(
        weights, descriptor.weights_layout, ct.TensorNamedDataLayout.OIHW
    )
    print(f"\nweights for PyTorch and ONNX: {oihw.shape}, a view of {weights.shape}")

    # Back from PyTorch's words the values are the same, crop included.
    source = rng.standard_normal(source_shape, dtype=np.float32)
    result = ct.convolution_transpose_2d(source, weights, output_shape, descriptor)
    uncropped = converters.torch_output_shape((1, 8, 16, 16), oihw.shape, **torch.keywords)
    nchw = ct.convolution_transpose_2d(
        source.transpose(0, 3, 1, 2), oihw, uncropped, Descriptor.from_torch(**torch.keywords)
    )
    again = nchw[(..., *torch.crop)].transpose(0, 2, 3, 1)
    print(f"there and back: largest difference {np.abs(again - result).max():.1e}")

    print("\n// Swift\n" + descriptor.to_swift(output_shape, name="up"))
    print("\n// Objective-C\n" + descriptor.to_objc(output_shape, name="up"))


if __name__ == "__main__":
    main()
