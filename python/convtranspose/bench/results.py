# SPDX-License-Identifier: MIT
"""Measurements as records, and their files: JSON keeps everything, CSV one line a measurement."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ..command_line import reported
from .candidate import OURS
from .machine import Machine
from .timing import relative_spread

FORMAT = 1


@dataclass(frozen=True)
class Record:
    """One candidate on one layer; ``error`` is max|y - ref64| / max|ref64|."""

    op: str
    layer: str
    tier: str
    problem: str
    dtype: str
    threads: int
    candidate: str
    library: str
    layout: str
    prepared: bool
    note: str
    flops: int
    moved_bytes: int
    attainable_flops: float
    seconds: float
    samples: tuple[float, ...]
    calls_per_sample: int
    error: float

    @property
    def rate(self) -> float:
        """Useful FLOP/s, by the count of the plain direct sum."""
        return self.flops / self.seconds

    @property
    def spread(self) -> float:
        return relative_spread(self.samples)

    @property
    def ours(self) -> bool:
        return self.library == OURS

    @property
    def case(self) -> tuple[str, str, str, str, int]:
        """What two records must share to be compared."""
        return (self.op, self.layer, self.problem, self.dtype, self.threads)


@dataclass(frozen=True)
class Results:
    """One run, or several of the same machine put together."""

    about: dict[str, Any]
    machine: Machine
    records: list[Record]

    def write_json(self, path: Path) -> None:
        head = {"format": FORMAT, "about": self.about, "machine": asdict(self.machine)}
        # A line a record: half the size of indented JSON, and a diff shows measurements.
        records = ",\n".join(json.dumps(asdict(record)) for record in self.records)
        text = json.dumps(head, indent=1).removesuffix("\n}")
        path.write_text(f'{text},\n "records": [\n{records}\n]}}\n', encoding="utf-8")

    def write_csv(self, path: Path) -> None:
        columns = [field.name for field in fields(Record) if field.name != "samples"]
        with path.open("w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow([*columns, "gflops", "of_attainable", "spread"])
            for record in self.records:
                derived = [record.rate / 1e9, record.rate / record.attainable_flops, record.spread]
                rows.writerow([*(getattr(record, column) for column in columns), *derived])

    @classmethod
    def read(cls, path: Path) -> Results:
        wrong = (OSError, ValueError, LookupError, TypeError, AttributeError)
        with reported(*wrong, prefix=f"{path}: expected results of the bench: "):
            saved = json.loads(path.read_text(encoding="utf-8"))
            if saved.get("format") != FORMAT:
                raise ValueError(f"format: expected {FORMAT}, got {saved.get('format')}")
            records = [
                Record(**{**record, "samples": tuple(record["samples"])})
                for record in saved["records"]
            ]
            return cls(saved["about"], Machine.from_dict(saved["machine"]), records)


def read_all(paths: Sequence[Path]) -> Results:
    """Runs in several files as one; of a measurement that was repeated the last one counts."""
    runs = [Results.read(path) for path in paths]
    latest = {(*record.case, record.candidate): record for run in runs for record in run.records}
    return Results(runs[-1].about, runs[-1].machine, list(latest.values()))


def by_case(records: Iterable[Record]) -> dict[tuple[str, str, str, str, int], list[Record]]:
    """Records grouped by op, layer, dtype and threads, in their order."""
    grouped: dict[tuple[str, str, str, str, int], list[Record]] = {}
    for record in records:
        grouped.setdefault(record.case, []).append(record)
    return grouped
