# SPDX-License-Identifier: MIT
"""Prepare the candidates of each layer, check them against float64, time them in rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType

from .candidate import Candidate
from .layers import Layer
from .machine import Machine
from .operands import FORWARD, Operands, numpy_dtype
from .results import Record
from .timing import Effort, interleaved

Prepare = Callable[[Operands, int], Iterator[Candidate]]


@dataclass(frozen=True)
class Plan:
    """What to run: ``prepare`` maps a library's name to what makes its candidates."""

    layers: Sequence[Layer]
    ops: Sequence[str] = (FORWARD,)
    dtype: str = "float32"
    threads: int = 1
    effort: Effort = field(default_factory=Effort)
    prepare: Mapping[str, Prepare] = field(default_factory=dict)


@dataclass(frozen=True)
class Skipped:
    """A library that did not take part in a layer, and why."""

    op: str
    layer: str
    library: str
    reason: str


def run(plan: Plan, machine: Machine) -> Iterator[tuple[list[Record], list[Skipped]]]:
    """Yield the records of one layer and op at a time, so that a caller can show progress."""
    for op in plan.ops:
        for layer in plan.layers:
            yield run_layer(plan, machine, op, layer)


def run_layer(
    plan: Plan, machine: Machine, op: str, layer: Layer
) -> tuple[list[Record], list[Skipped]]:
    """Every candidate of one layer, timed together."""
    operands = Operands(layer.problem, op, plan.dtype)
    candidates: list[Candidate] = []
    errors: list[float] = []
    skipped: list[Skipped] = []
    for library, prepare in plan.prepare.items():
        try:
            for candidate in prepare(operands, plan.threads):
                candidate.run()
                errors.append(operands.relative_error(candidate.result()))
                candidates.append(candidate)
        except Exception as refusal:  # noqa: BLE001 - every library refuses in its own way
            reason = str(refusal).strip().split("\n")[0]
            skipped.append(Skipped(op, layer.name, library, reason))
    timings = interleaved([candidate.run for candidate in candidates], plan.effort)
    moved = layer.problem.elements * numpy_dtype(plan.dtype).itemsize
    attainable = machine.attainable_flops(layer.problem.flops, moved)
    records = [
        Record(
            op=op,
            layer=layer.name,
            tier=layer.tier,
            problem=str(layer.problem),
            dtype=plan.dtype,
            threads=plan.threads,
            candidate=candidate.name,
            library=candidate.library,
            layout=candidate.layout,
            prepared=candidate.prepared,
            note=candidate.note,
            flops=layer.problem.flops,
            moved_bytes=moved,
            attainable_flops=attainable,
            seconds=timing.seconds,
            samples=timing.samples,
            calls_per_sample=timing.calls_per_sample,
            error=error,
        )
        for candidate, timing, error in zip(candidates, timings, errors, strict=True)
    ]
    return records, skipped


def libraries(peers: Mapping[str, ModuleType], dtype: str) -> dict[str, Prepare]:
    """The peers that know this dtype, by their display names."""
    return {
        module.LIBRARY: module.candidates for module in peers.values() if dtype in module.DTYPES
    }
