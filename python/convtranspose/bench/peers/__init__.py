# SPDX-License-Identifier: MIT
"""The libraries the bench knows, each a module with LIBRARY, VERSION, DTYPES and candidates().

``candidates(operands, threads)`` yields `Candidate` objects, or raises where the library cannot
compute the problem. A library that is not installed is left out.
"""

from __future__ import annotations

import importlib
from types import ModuleType

NAMES = ("pytorch", "onnxruntime", "openvino", "ncnn", "tensorflow")


def available(names: tuple[str, ...] = NAMES) -> dict[str, ModuleType]:
    """Those of the named peers that are installed, imported."""
    found = {}
    for name in names:
        if name not in NAMES:
            raise ValueError(f"peers: name: expected one of {', '.join(NAMES)}, got {name!r}")
        try:
            found[name] = importlib.import_module(f"{__name__}.{name}")
        except ImportError as error:
            if (error.name or "").startswith("convtranspose"):
                raise
    return found
