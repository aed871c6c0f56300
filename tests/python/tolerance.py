# SPDX-License-Identifier: MIT
"""How far a sum that rounds at every step may be from the exact one; nothing here was tuned.

A sum of ``n`` products in any order, with or without fused multiply-add, errs by at most
``gamma(n + 1) * sum |a||b|`` where ``gamma(n) = n u / (1 - n u)`` and ``u`` is half an epsilon
(Higham, Accuracy and Stability of Numerical Algorithms, chapter 3). Products too small for a normal
number round to a multiple of the smallest subnormal instead, an absolute error for each of them.
"""

from __future__ import annotations

import numpy as np


def gamma(terms: int, dtype: np.dtype | type) -> float:
    unit = np.finfo(dtype).eps / 2
    return terms * unit / (1 - terms * unit)


def bound(dtype: np.dtype | type, absolute_sum: np.ndarray, terms: int) -> np.ndarray:
    """Largest allowed |result - oracle|: the error of ``dtype`` sums plus the oracle's own."""
    relative = gamma(terms + 1, dtype) + gamma(terms + 1, np.float64)
    return relative * absolute_sum + terms * float(np.finfo(dtype).smallest_subnormal)


def mismatch(
    result: np.ndarray, oracle: np.ndarray, absolute_sum: np.ndarray, terms: int
) -> str | None:
    """None when every element is within the bound, else the worst element in words."""
    if result.shape != oracle.shape:
        return f"shape {result.shape}, expected {oracle.shape}"
    error = np.abs(result.astype(np.float64) - oracle)
    allowed = bound(result.dtype, absolute_sum, terms)
    wrong = ~(error <= allowed)  # a NaN is wrong too
    if not wrong.any():
        return None
    excess = np.where(wrong, np.nan_to_num(error - allowed, nan=np.inf), -np.inf)
    worst = np.unravel_index(np.argmax(excess), oracle.shape)
    where = tuple(map(int, worst))
    return (
        f"{int(wrong.sum())} of {wrong.size} elements beyond the bound; at {where} "
        f"got {result[worst]!r}, expected {oracle[worst]!r} within {allowed[worst]:.3g}"
    )
