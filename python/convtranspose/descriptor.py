# SPDX-License-Identifier: MIT
"""The descriptor, which is bound in C++, with its converters, which are written in Python.

``_core.pyi`` declares them on the class; a test holds the two together.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ._core import Convolution2DOpDescriptor

__all__ = ["Convolution2DOpDescriptor"]


class _Converter:
    """Stands for a converter until it is first looked up.

    Their modules would make importing the package five times as long, 40 ms of 48 beside numpy.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> Any:
        function = getattr(import_module(".converters", __package__), self.name)
        static = self.name.startswith("from_")
        setattr(owner, self.name, staticmethod(function) if static else function)
        return getattr(owner if instance is None else instance, self.name)


for _name in (
    "from_torch",
    "from_onnx",
    "from_tensorflow",
    "from_keras",
    "from_jax",
    "to_torch_args",
    "to_onnx_attributes",
    "to_tensorflow_args",
    "to_keras_args",
    "to_jax_args",
    "to_swift",
    "to_objc",
):
    setattr(Convolution2DOpDescriptor, _name, _Converter(_name))

del _name
