# SPDX-License-Identifier: MIT
"""From records to the figures a reader asks for: ratios to peers, geometric means, worst layers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .problem import Problem
from .results import Record, by_case
from .timing import geometric_mean

TORCH = "PyTorch"


@dataclass(frozen=True)
class LayerSummary:
    """One layer and op: its records, and the best of each kind (None where there is none)."""

    records: tuple[Record, ...]

    @property
    def any(self) -> Record:
        return self.records[0]

    @property
    def ours(self) -> Record | None:
        return self.best(lambda record: record.ours)

    @property
    def peer(self) -> Record | None:
        return self.best(lambda record: not record.ours)

    def best(self, which: Callable[[Record], bool]) -> Record | None:
        """The fastest record of a kind."""
        return min(filter(which, self.records), key=lambda record: record.seconds, default=None)

    def ratio(
        self, ours: Callable[[Record], bool], peers: Callable[[Record], bool]
    ) -> float | None:
        """How many times faster our best of a kind is than the peers' best of a kind."""
        mine = self.best(lambda record: record.ours and ours(record))
        other = self.best(lambda record: not record.ours and peers(record))
        return other.seconds / mine.seconds if mine and other else None


@dataclass(frozen=True)
class Comparison:
    """A named ratio: our candidates of one kind against the peers' of another."""

    name: str
    ours: Callable[[Record], bool]
    peers: Callable[[Record], bool]

    def ratios(self, layers: Iterable[LayerSummary]) -> list[tuple[float, LayerSummary]]:
        """Of the layers that have both sides, smallest first."""
        found = [(layer.ratio(self.ours, self.peers), layer) for layer in layers]
        known = [(ratio, layer) for ratio, layer in found if ratio is not None]
        return sorted(known, key=lambda pair: pair[0])


COMPARISONS = (
    Comparison("best of ours / best peer", lambda r: True, lambda r: True),
    Comparison("one-shot / best peer", lambda r: not r.prepared, lambda r: True),
    Comparison(
        "one-shot / best PyTorch call",
        lambda r: not r.prepared,
        lambda r: r.library == TORCH and not r.prepared,
    ),
    Comparison("NCHW / best NCHW peer", lambda r: r.layout == "NCHW", lambda r: r.layout == "NCHW"),
    Comparison("NHWC / best NHWC peer", lambda r: r.layout == "NHWC", lambda r: r.layout == "NHWC"),
)


def summarize(records: Iterable[Record]) -> dict[str, list[LayerSummary]]:
    """Layer summaries by op, in the records' order."""
    ops: dict[str, list[LayerSummary]] = {}
    for case, together in by_case(records).items():
        ops.setdefault(case[0], []).append(LayerSummary(tuple(together)))
    return ops


@dataclass(frozen=True)
class Total:
    """One comparison over all layers of an op."""

    name: str
    layers: int
    geomean: float
    worst: float
    worst_layer: str


def large(layers: Sequence[LayerSummary]) -> list[LayerSummary]:
    """Those where arithmetic rules: above 1 GFLOP, 64 channels or more a group on both sides."""
    return [layer for layer in layers if layer.any.flops > 1e9 and _fewest_channels(layer) >= 64]


def _fewest_channels(layer: LayerSummary) -> int:
    problem = Problem.parse(layer.any.problem)
    return min(problem.source_shape[1], problem.output_shape[1]) // problem.groups


def error_ratios(layers: Sequence[LayerSummary]) -> list[tuple[float, LayerSummary]]:
    """Our largest error over PyTorch's smallest, a layer each, largest first."""
    found = []
    for layer in layers:
        mine = [record.error for record in layer.records if record.ours]
        torch = [record.error for record in layer.records if record.library == TORCH]
        if mine and torch and min(torch) > 0:
            found.append((max(mine) / min(torch), layer))
    return sorted(found, key=lambda pair: pair[0], reverse=True)


def totals(layers: Sequence[LayerSummary]) -> list[Total]:
    """Those comparisons that at least one layer allows."""
    found = []
    for comparison in COMPARISONS:
        ratios = comparison.ratios(layers)
        if ratios:
            worst, layer = ratios[0]
            mean = geometric_mean([ratio for ratio, _ in ratios])
            found.append(Total(comparison.name, len(ratios), mean, worst, layer.any.layer))
    return found
