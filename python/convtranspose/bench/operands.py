# SPDX-License-Identifier: MIT
"""The numbers a layer is timed on, and the float64 answer its candidates are checked against."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from .problem import Problem

Array = np.ndarray[Any, Any]

FORWARD = "forward"
DATA_GRADIENT = "data_gradient"
WEIGHTS_GRADIENT = "weights_gradient"
OPS = (FORWARD, DATA_GRADIENT, WEIGHTS_GRADIENT)
DTYPES = ("float32", "float64", "float16", "bfloat16")


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The numpy dtype of that name; bfloat16 comes from ml_dtypes."""
    if name != "bfloat16":
        return np.dtype(name)
    import ml_dtypes

    bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return bfloat16


@dataclass(frozen=True)
class Operands:
    """Source, weights and incoming gradient of one problem in NCHW and OIHW.

    Drawn uniformly from [-1, 1) by a seed, so that two runs time the same numbers; rounded to
    ``rounded_to`` (by default ``dtype`` itself) before they become ``dtype``.
    """

    problem: Problem
    op: str
    dtype: str = "float32"
    seed: int = 0
    rounded_to: str | None = None

    @cached_property
    def source(self) -> Array:
        return self._draw(1, self.problem.source_shape)

    @cached_property
    def weights(self) -> Array:
        return self._draw(2, self.problem.weights_shape)

    @cached_property
    def incoming_gradient(self) -> Array:
        return self._draw(3, self.problem.output_shape)

    @property
    def result_shape(self) -> tuple[int, int, int, int]:
        return {
            FORWARD: self.problem.output_shape,
            DATA_GRADIENT: self.problem.source_shape,
            WEIGHTS_GRADIENT: self.problem.weights_shape,
        }[self.op]

    @cached_property
    def reference(self) -> Array:
        """The result in float64, by PyTorch where it is installed, else by our reference loops."""
        exact = replace(self, dtype="float64", rounded_to=self.dtype)
        try:
            from .peers import pytorch
        except ImportError:
            from .peers import ours

            return ours.reference(exact)
        return pytorch.reference(exact)

    def relative_error(self, result: Array) -> float:
        """Largest error over the largest magnitude of the reference; NaN counts as infinite."""
        if result.shape != self.result_shape:
            raise ValueError(
                f"result of {self.op}: shape: expected {self.result_shape}, got {result.shape}"
            )
        error = np.abs(result.astype(np.float64) - self.reference).max(initial=0.0)
        scale = np.abs(self.reference).max(initial=0.0)
        return float(error / scale) if np.isfinite(error) and scale > 0 else float("inf")

    def _draw(self, stream: int, shape: tuple[int, ...]) -> Array:
        generator = np.random.default_rng((self.seed, stream))
        values = generator.random(shape, dtype=np.float32) * np.float32(2) - np.float32(1)
        rounded = values.astype(numpy_dtype(self.rounded_to or self.dtype), copy=False)
        return rounded.astype(numpy_dtype(self.dtype), copy=False)
