# SPDX-License-Identifier: MIT
"""What the bench times: one way to compute one layer, prepared as far as its library allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

OURS = "convtranspose"


class Unsupported(Exception):
    """The library cannot compute this problem; the text says why."""


@dataclass(frozen=True)
class Candidate:
    """``run`` is the timed call; ``result`` gives the outcome of the last one in NCHW / OIHW.

    ``prepared`` says whether the weights were packed before the timing.
    """

    name: str
    library: str
    layout: str
    prepared: bool
    run: Callable[[], object]
    result: Callable[[], np.ndarray[Any, Any]]
    note: str = ""


def to_nhwc(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """NCHW -> NHWC in memory."""
    return np.ascontiguousarray(array.transpose(0, 2, 3, 1))


def from_nhwc(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """NHWC -> NCHW as a view."""
    return array.transpose(0, 3, 1, 2)


def to_hwio(weights: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """OIHW -> HWIO in memory."""
    return np.ascontiguousarray(weights.transpose(2, 3, 1, 0))


def from_hwio(weights: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """HWIO -> OIHW as a view."""
    return weights.transpose(3, 2, 0, 1)
