# SPDX-License-Identifier: MIT
"""Channel counts and widths one by one: vector tails are where kernels elsewhere went wrong."""

from __future__ import annotations

import numpy as np
import pytest

import oracle
from cases import OPERATIONS, Problem
from running import ALGORITHMS, DTYPES, ISAS, LAYOUTS, Setting, attempt


def agrees(p: Problem, turn: int) -> None:
    """Integer data, so every run must equal the oracle; layouts, dtypes and threads take turns."""
    tensors = p.integers()
    exact = oracle.compute(p, tensors)
    for step, isa in enumerate(ISAS):
        for shift, algorithm in enumerate(ALGORITHMS):
            at = turn + step + shift
            setting = Setting(DTYPES[at // 4 % 2], *LAYOUTS[at % 4], isa, at % 3 + 1, algorithm)
            result = attempt(p, tensors, setting)
            assert result is None or np.array_equal(result, exact), f"{p} {setting}"


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("groups", ["dense", "depthwise", "grouped"])
def test_channels(operation, groups):
    for channels in range(1, 41):
        if groups == "dense":
            sources, per_group, count = channels, 7 * channels % 40 + 1, 1
        elif groups == "depthwise":
            sources, per_group, count = channels, 1, channels
        else:
            sources, per_group, count = 3 * channels, channels % 5 + 1, 3
        p = Problem(
            operation,
            (1, sources, 3, 5),
            (sources, per_group, 3, 3),
            (1, per_group * count, 6, 10),
            (2, 2),
            padding=(1, 0, 0, 1),
            groups=count,
            name="channels",
        )
        assert p.consistent
        for turn in range(2):
            agrees(p, channels + 4 * turn)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("stride", [1, 2, 3, 5])
def test_widths(operation, stride):
    for width in range(1, 41):
        kernel = width % 5 + 1
        left, right = width % 2, width % 3
        result = (width - 1) * stride + kernel - left - right + width % stride
        if result < 1:
            continue
        p = Problem(
            operation,
            (2, 3, 2, width),
            (3, 4, 2, kernel),
            (2, 4, 3, result),
            (1, stride),
            padding=(0, 0, left, right),
            name="widths",
        )
        assert p.consistent
        agrees(p, width)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("stride", [1, 2, 4])
def test_heights(operation, stride):
    for height in range(1, 41):
        result = (height - 1) * stride + 2
        p = Problem(
            operation,
            (1, 5, height, 3),
            (5, 9, 2, 3),
            (1, 9, result, 3),
            (stride, 1),
            padding=(0, 0, 1, 1),
            name="heights",
        )
        assert p.consistent
        agrees(p, height)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_kernels(operation):
    for kernel_y, kernel_x in np.ndindex(8, 8):
        kernel = (kernel_y + 1, kernel_x + 1)
        p = Problem(
            operation,
            (1, 6, 4, 5),
            (6, 2, *kernel),
            (1, 4, 9 + kernel[0], 8 + kernel[1]),
            (3, 2),
            groups=2,
            name="kernels",
        )
        assert p.consistent
        agrees(p, kernel_y * 8 + kernel_x)
