# SPDX-License-Identifier: MIT
"""What the machine can do and what it is: FMA peak, copy bandwidth, noise, names and versions.

Everything is measured in the run that uses it, with as many threads as the candidates get.
"""

from __future__ import annotations

import datetime
import os
import platform
import statistics
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import convtranspose
from convtranspose._core import measure_fma_peak

from .timing import relative_spread, sample

# Bytes that a copy reads and writes together: within L2, within L3, and main memory.
_FOOTPRINTS = (256 << 10, 8 << 20, 512 << 20)
_SAMPLE_BYTES = 64 << 20


@dataclass(frozen=True)
class Machine:
    """Measured limits. ``bandwidth`` holds (bytes touched, bytes a second read plus written)."""

    threads: int
    peak_flops: float
    peak_source: str
    peak_spread: float
    bandwidth: tuple[tuple[int, float], ...]

    def attainable_flops(self, flops: int, moved_bytes: int) -> float:
        """The roofline: the peak, or what the bandwidth allows for this much work per byte."""
        return min(self.peak_flops, flops / moved_bytes * self.bandwidth_for(moved_bytes))

    def bandwidth_for(self, moved_bytes: int) -> float:
        """Of the smallest measured footprint that holds this many bytes."""
        for footprint, rate in self.bandwidth:
            if moved_bytes <= footprint:
                return rate
        return self.bandwidth[-1][1]

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Machine:
        bandwidth = tuple((int(size), float(rate)) for size, rate in saved["bandwidth"])
        return cls(**{**saved, "bandwidth": bandwidth})


def measure(threads: int) -> Machine:
    """Takes about two seconds."""
    peaks, source = measure_peak(threads)
    return Machine(
        threads=threads,
        peak_flops=statistics.median(peaks),
        peak_source=source,
        peak_spread=relative_spread(peaks),
        bandwidth=tuple((size, copy_bandwidth(size, threads)) for size in _FOOTPRINTS),
    )


def measure_peak(threads: int, samples: int = 15) -> tuple[list[float], str]:
    """float32 multiply-adds a second, as FLOP/s, several times over, and how they were measured.

    The extension's own FMA loop, which lives in registers.
    """
    with ThreadPoolExecutor(threads) as pool:
        rounds = [[pool.submit(measure_fma_peak) for _ in range(threads)] for _ in range(samples)]
        return [sum(rate.result() for rate in together) for together in rounds], "FMA loop"


def copy_bandwidth(footprint: int, threads: int, samples: int = 7) -> float:
    """Bytes a second, read plus written, of copies that touch ``footprint`` bytes in all."""
    count = footprint // 2 // threads // 4
    # One allocation for both halves: two page-aligned ones alias in the caches, which on a Zen 3
    # cut the in-cache rate from 60 to 4 GB/s.
    halves = [np.ones(2 * count, np.float32) for _ in range(threads)]
    buffers = [(both[:count], both[count:]) for both in halves]
    repeats = max(1, _SAMPLE_BYTES // footprint)

    def copy(buffer: tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]) -> None:
        source, target = buffer
        for _ in range(repeats):
            np.copyto(target, source)

    with ThreadPoolExecutor(threads) as pool:
        seconds = [sample(lambda: list(pool.map(copy, buffers)), 1) for _ in range(samples)]
    return footprint * repeats / statistics.median(seconds)


def describe(threads: int, versions: dict[str, str]) -> dict[str, Any]:
    """What a reader needs to judge the figures: names, versions, load, date."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "cpu": _cpu_name(),
        "cpus": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "threads": threads,
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        "versions": versions,
        "isa": convtranspose.active_isa(),
        "build": {key: str(value) for key, value in convtranspose.build_info().items()},
    }


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    pairs = (line.partition(":") for line in lines)
    fields = {key.strip(): value.strip() for key, _, value in pairs}
    name = fields.get("model name", platform.machine())
    if "cpu family" in fields and "model" in fields:
        name += f" (family {fields['cpu family']}, model {fields['model']})"
    return name
