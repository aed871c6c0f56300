# SPDX-License-Identifier: MIT
"""Candidates timed in turn, round after round, so that a drift of the machine meets all alike."""

from __future__ import annotations

import gc
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter

# The threads of the candidate before spin on for about a millisecond (OpenMP, ONNX Runtime).
_SETTLE_SECONDS = 0.002


@dataclass(frozen=True)
class Effort:
    """How long to time: seconds a sample, most rounds, and seconds for all of a layer's candidates.

    ``least_rounds`` are run even when the budget is spent.
    """

    sample_seconds: float = 0.02
    rounds: int = 9
    budget_seconds: float = 6.0
    least_rounds: int = 3


@dataclass(frozen=True)
class Timing:
    """Seconds per call, one sample a round."""

    samples: tuple[float, ...]
    calls_per_sample: int

    @property
    def seconds(self) -> float:
        return statistics.median(self.samples)

    @property
    def spread(self) -> float:
        """Half the interquartile range over the median."""
        return relative_spread(self.samples)


def interleaved(calls: Sequence[Callable[[], object]], effort: Effort) -> list[Timing]:
    """Time each call in rounds; every round runs all of them and starts one further along.

    A sample is ``calls_per_sample`` calls after at least one untimed call, which brings the
    candidate's own data back into the cache after its neighbour's turn.
    """
    if not calls:
        return []
    started = perf_counter()
    repeats = [calls_per_sample(call, effort.sample_seconds) for call in calls]
    samples: list[list[float]] = [[] for _ in calls]
    collecting = gc.isenabled()
    gc.disable()
    try:
        for turn in range(effort.rounds):
            if turn >= effort.least_rounds and perf_counter() - started > effort.budget_seconds:
                break
            for step in range(len(calls)):
                index = (turn + step) % len(calls)
                samples[index].append(sample(calls[index], repeats[index]))
    finally:
        if collecting:
            gc.enable()
    return [Timing(tuple(s), r) for s, r in zip(samples, repeats, strict=True)]


def sample(call: Callable[[], object], repeats: int) -> float:
    """Seconds per call over ``repeats`` calls, after some that are not counted."""
    settled = perf_counter() + _SETTLE_SECONDS
    call()
    while perf_counter() < settled:
        call()
    started = perf_counter()
    for _ in range(repeats):
        call()
    return (perf_counter() - started) / repeats


def calls_per_sample(call: Callable[[], object], sample_seconds: float) -> int:
    """Enough calls to fill a sample; the second call is measured, since the first may prepare."""
    call()
    repeats = 1
    while (took := sample(call, repeats) * repeats) < sample_seconds / 10:
        repeats *= 10
    return max(1, math.ceil(repeats * sample_seconds / took))


def relative_spread(samples: Sequence[float]) -> float:
    """Half the interquartile range over the median; 0 for fewer than two samples."""
    if len(samples) < 2:
        return 0.0
    low, middle, high = statistics.quantiles(samples, n=4, method="inclusive")
    return (high - low) / 2 / middle


def geometric_mean(ratios: Sequence[float]) -> float:
    """NaN for none."""
    return statistics.geometric_mean(ratios) if ratios else math.nan
