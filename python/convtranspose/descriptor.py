# SPDX-License-Identifier: MIT
"""The descriptor, which is bound in C++, with its converters, which are written in Python.

``_core.pyi`` declares them on the class; a test holds the two together.
"""

from . import converters
from ._core import Convolution2DOpDescriptor

__all__ = ["Convolution2DOpDescriptor"]

for _name in ("from_torch", "from_onnx", "from_tensorflow", "from_keras", "from_jax"):
    setattr(Convolution2DOpDescriptor, _name, staticmethod(getattr(converters, _name)))

for _name in (
    "to_torch_args",
    "to_onnx_attributes",
    "to_tensorflow_args",
    "to_keras_args",
    "to_jax_args",
    "to_swift",
    "to_objc",
):
    setattr(Convolution2DOpDescriptor, _name, getattr(converters, _name))

del _name
