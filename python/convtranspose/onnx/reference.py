# SPDX-License-Identifier: MIT
"""The operator for ``onnx.reference.ReferenceEvaluator``."""

from __future__ import annotations

from typing import Any

from onnx.reference.op_run import OpRun

from ..typing import Array
from .node import conv_transpose


class ConvTranspose(OpRun):  # type: ignore[misc]  # onnx is not looked into
    """ONNX's ConvTranspose on the library's kernels, for ``ReferenceEvaluator(new_ops=[...])``.

    The model's operator set decides which version's rules apply.
    """

    op_domain = ""

    def _run(self, x: Array, w: Array, b: Array | None = None, **attributes: Any) -> tuple[Array]:
        given = {name: value for name, value in attributes.items() if value is not None}
        opset = self.run_params["opsets"].get(self.op_domain, 1)
        return (conv_transpose(x, w, b, **given, opset=opset, name=self.onnx_node.name or None),)
