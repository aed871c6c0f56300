# SPDX-License-Identifier: MIT
"""ONNX's ConvTranspose on the library's kernels. Needs the extra ``[onnx]``.

`conv_transpose` runs one node from its attributes. `ConvTranspose` plugs into ONNX's reference
evaluator, so that a whole model runs with it::

    evaluator = onnx.reference.ReferenceEvaluator(model, new_ops=[ConvTranspose])

Where the operator's text leaves a choice, `convtranspose.converters.onnx_rules` says which is
taken. `convtranspose.Convolution2DOpDescriptor.from_onnx` needs neither this module nor onnx.
"""

from .node import conv_transpose
from .reference import ConvTranspose

__all__ = ["ConvTranspose", "conv_transpose"]
