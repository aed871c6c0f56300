# SPDX-License-Identifier: MIT
"""Layers of other frameworks as MPSGraph's descriptor, and back.

A framework's arguments become a descriptor (``from_...``), an output shape (``..._output_shape``)
and weights in its layout; a descriptor becomes their arguments (``to_...``), or a ValueError that
says why none fit. The ``from_`` and ``to_`` functions are also methods of
`convtranspose.Convolution2DOpDescriptor`. No framework is imported.

==============  ==========================  =====================================================
framework       weights                     output size along an axis
==============  ==========================  =====================================================
PyTorch, ONNX   OIHW                        (S - 1) s + E - pads + output_padding
TensorFlow      HWIO                        given, as MPSGraph's
Keras           HWIO                        S s for "same", (S - 1) s + max(E, s) for "valid"
JAX             HWIO, flipped and swapped   S s for "SAME", (S - 1) s + max(E, s) for "VALID"
==============  ==========================  =====================================================

with S the source's size, s the stride and E the dilated kernel.
"""

from .jax import from_jax, jax_output_shape, to_jax_args, weights_from_jax
from .keras import from_keras, keras_output_shape, to_keras_args
from .mpsgraph import to_objc, to_swift
from .onnx import from_onnx, onnx_output_shape, to_onnx_attributes
from .shapes import output_padding_from_shape, output_shape_from_padding
from .tensorflow import from_tensorflow, to_tensorflow_args
from .torch import TorchArguments, from_torch, to_torch_args, torch_output_shape
from .weights import bilinear_weights, convert_weights, flip_kernel

__all__ = [
    "TorchArguments",
    "bilinear_weights",
    "convert_weights",
    "flip_kernel",
    "from_jax",
    "from_keras",
    "from_onnx",
    "from_tensorflow",
    "from_torch",
    "jax_output_shape",
    "keras_output_shape",
    "onnx_output_shape",
    "output_padding_from_shape",
    "output_shape_from_padding",
    "to_jax_args",
    "to_keras_args",
    "to_objc",
    "to_onnx_attributes",
    "to_swift",
    "to_tensorflow_args",
    "to_torch_args",
    "torch_output_shape",
    "weights_from_jax",
]
