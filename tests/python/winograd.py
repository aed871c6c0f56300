# SPDX-License-Identifier: MIT
"""How far Winograd's results may be from the exact ones; derived, not tuned.

F(M, R) computes ``A^T ((G g) * (B^T d))``, and every number on the way is rounded. So a result errs
by at most ``gamma(n)`` (see `tolerance`) times the same expression of absolute values, ``n`` being
the roundings on the longest way: with matrices of at most 4 columns, per axis no more than 4 for
each of B^T, G and A^T, besides the sum over channels (or tiles). With ``|d| <= D`` and ``|g| <= H``
for each channel the expression is at most ``D H`` times a factor for each axis,

    max_i sum_e |A^T[i, e]| (sum_t |G[e, t]|) (sum_j |B^T[e, j]|)

which is 4 for F(2, 2), 6 for F(3, 2), 8 for F(2, 3), and no more for those of one tap or one result.
"""

from __future__ import annotations

from math import prod

import numpy as np

from cases import Problem

AXIS_FACTOR = 8
ROUNDINGS = 2 * 3 * 4


def magnitude(p: Problem, tensors: dict[str, np.ndarray]) -> np.ndarray:
    """What ``gamma`` is multiplied with, for every result."""
    g, per_source, per_output = p.groups, p.source[1] // p.groups, p.weights[1]
    shapes = {
        "source": (-1, g, per_source),
        "gradient": (-1, g, per_output),
        "weights": (g, per_source, per_output),
    }
    largest = {
        name: np.abs(tensors[name].astype(np.float64)).max((2, 3), initial=0).reshape(shapes[name])
        for name in p.operands
    }
    first, second = (largest[name] for name in p.operands)
    if p.operation == "forward":
        channels = np.einsum("ngo,goi->ngi", first, second).reshape(-1, g * per_output)
    elif p.operation == "data_gradient":
        channels = np.einsum("ngi,goi->ngo", first, second).reshape(-1, g * per_source)
        channels = channels * prod(p.stride)
    else:
        channels = np.einsum("ngi,ngo->goi", first, second).reshape(-1, per_output)
        channels = channels * prod(p.source[2:])
    return np.broadcast_to(AXIS_FACTOR**2 * channels[:, :, np.newaxis, np.newaxis], p.result)
