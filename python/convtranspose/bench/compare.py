# SPDX-License-Identifier: MIT
"""Two builds of convtranspose side by side: from saved results, or timed in turn."""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import product

from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from ..command_line import UserError
from .layers import select
from .operands import OPS
from .results import Record, Results
from .timing import geometric_mean
from .worker import Worker

# Normal consistency of the median absolute deviation, and the standard error of a median in
# standard deviations of one sample.
_MAD_TO_SIGMA, _MEDIAN_ERROR = 1.4826, 1.2533
_SIGMAS = 3.0


@dataclass(frozen=True)
class Pair:
    """One candidate in both builds: seconds a call, one sample a round."""

    op: str
    layer: str
    candidate: str
    a: tuple[float, ...]
    b: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """Time of A over time of B: above 1, B is faster."""
        return statistics.median(self.a) / statistics.median(self.b)

    @property
    def significant(self) -> bool:
        """Whether the medians differ by more than three of their standard errors."""
        uncertainty = math.hypot(_log_error(self.a), _log_error(self.b))
        return abs(math.log(self.ratio)) > _SIGMAS * uncertainty


def main(args: argparse.Namespace) -> int:
    """Print the comparison."""
    if args.python:
        pairs = list(interleaved(args))
        names = tuple(args.python)
    elif len(args.results) == 2:
        pairs = saved(*(Results.read(path).records for path in args.results))
        names = tuple(str(path) for path in args.results)
    else:
        given = f"got {len(args.results)} files"
        raise UserError(f"bench compare: expected two JSON files or --python A B, {given}")
    if not pairs:
        raise UserError("bench compare: the two have no measurement of ours in common")
    show(pairs, names, Console())
    return 0


def saved(a: Sequence[Record], b: Sequence[Record]) -> list[Pair]:
    """Pairs of our own measurements that both runs hold."""
    theirs = {(*record.case, record.candidate): record for record in b if record.ours}
    return [
        Pair(record.op, record.layer, record.candidate, record.samples, other.samples)
        for record in a
        if record.ours and (other := theirs.get((*record.case, record.candidate)))
    ]


def interleaved(args: argparse.Namespace) -> Iterator[Pair]:
    """Time every layer in both environments, sample by sample in turn, each in its own process."""
    layers = select(args.layers, args.match, args.tier)
    ops = OPS if "all" in args.op else args.op
    cases = list(product(ops, layers, args.layout, args.mode))
    python_a, python_b = args.python
    with closing(Worker(python_a)) as a, closing(Worker(python_b)) as b:
        for op, layer, layout, mode in track(cases, transient=True):
            request = {
                "op": op,
                "problem": str(layer.problem),
                "dtype": args.dtype,
                "threads": args.threads,
                "layout": layout,
                "mode": mode,
                "sample_seconds": args.sample,
            }
            times: tuple[list[float], list[float]] = ([], [])
            try:
                a.ask(**request)
                b.ask(**request)
            except ValueError as error:
                print(f"bench compare: {op} {layer.name}: {error}", file=sys.stderr)
                continue
            for turn in range(args.rounds):
                order = ((a, times[0]), (b, times[1]))
                for worker, seconds in order if turn % 2 == 0 else reversed(order):
                    seconds.append(worker.ask())
            yield Pair(op, layer.name, f"ours {layout} {mode}", tuple(times[0]), tuple(times[1]))


def show(pairs: Sequence[Pair], names: Sequence[str], console: Console) -> None:
    """A row a pair, significant differences in colour, then the geometric mean of each op."""
    console.print(Text(f"A {names[0]}\nB {names[1]}"))
    table = Table("op", "layer", "candidate", title="time of A / time of B", title_justify="left")
    for column in ("A ms", "B ms", "A / B"):
        table.add_column(column, justify="right")
    for pair in pairs:
        style = ("green" if pair.ratio > 1 else "red") if pair.significant else "dim"
        table.add_row(
            pair.op,
            pair.layer,
            pair.candidate,
            f"{statistics.median(pair.a) * 1e3:.4g}",
            f"{statistics.median(pair.b) * 1e3:.4g}",
            Text(f"{pair.ratio:.3f}" + ("" if pair.significant else " ~"), style=style),
        )
    console.print(table)
    for op in dict.fromkeys(pair.op for pair in pairs):
        ratios = [pair.ratio for pair in pairs if pair.op == op]
        clear = [pair for pair in pairs if pair.op == op and pair.significant]
        faster = sum(pair.ratio > 1 for pair in clear)
        console.print(
            f"{op}: geomean A / B {geometric_mean(ratios):.3f} over {len(ratios)}; clearly faster "
            f"{faster}, clearly slower {len(clear) - faster}, within the noise (~) "
            f"{len(ratios) - len(clear)}",
            highlight=False,
        )


def _log_error(samples: Sequence[float]) -> float:
    """Standard error of the logarithm of the median; infinite for fewer than three samples."""
    if len(samples) < 3:
        return math.inf
    logs = [math.log(seconds) for seconds in samples]
    middle = statistics.median(logs)
    deviation = statistics.median(abs(value - middle) for value in logs)
    return _MAD_TO_SIGMA * _MEDIAN_ERROR * deviation / math.sqrt(len(logs))
