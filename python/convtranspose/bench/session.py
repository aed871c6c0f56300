# SPDX-License-Identifier: MIT
"""The plain run: time layers, show a progress bar, print and keep the results."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

import convtranspose

from ..command_line import UserError, reported
from . import machine, peers, report
from .candidate import OURS
from .layers import Layer, select
from .operands import OPS
from .peers import ours
from .results import Record, Results, read_all
from .runner import Plan, Prepare, Skipped, libraries
from .runner import run as run_plan
from .timing import Effort


def run(args: argparse.Namespace) -> int:
    """Time what the arguments select."""
    console, notes = Console(), Console(stderr=True)
    plan = plan_of(args)
    if not plan.layers or not plan.prepare:
        counts = f"{len(plan.layers)} layers, {len(plan.prepare)} libraries"
        raise UserError(f"bench: nothing to time: {counts}")
    results = measure_machine(args)
    skipped: list[Skipped] = []
    with _progress(notes) as progress:
        task = progress.add_task("", total=len(plan.layers) * len(plan.ops))
        try:
            for records, left_out in run_plan(plan, results.machine):
                results.records.extend(records)
                skipped.extend(left_out)
                progress.update(task, advance=1, description=_latest(records))
        except KeyboardInterrupt:
            notes.print("bench: interrupted; these are the layers timed so far")
    report.show(results, console, args.every_candidate)
    for line in _reasons(skipped):
        console.print(line, style="dim", highlight=False)
    if not results.records:
        raise UserError("bench: no candidate could do any of these layers")
    keep(results, args)
    return 0


def measure_machine(args: argparse.Namespace) -> Results:
    """The machine's limits and the versions of what takes part, without records yet."""
    modules = peers.available(tuple(args.peers)).values()
    versions = {module.LIBRARY: module.VERSION for module in (ours, *modules)}
    about = machine.describe(args.threads, versions)
    return Results(about, machine.measure(args.threads), [])


def show(args: argparse.Namespace) -> int:
    """Tables and plots of saved results."""
    results = read_all(args.results)
    report.show(results, Console(), args.every_candidate)
    keep(results, args)
    return 0


def keep(results: Results, args: argparse.Namespace) -> None:
    """Write the files that were asked for."""
    with reported(OSError, prefix="bench: "):
        if args.json:
            results.write_json(args.json)
        if args.csv:
            results.write_csv(args.csv)
        if args.plots:
            from . import plots

            plots.draw(results, args.plots, args.plot_format)


def plan_of(args: argparse.Namespace) -> Plan:
    """The arguments as a plan, with our own candidates first."""
    layers: Sequence[Layer] = select(args.layers, args.match, args.tier)
    if args.shard:
        layers = layers[args.shard]
    prepare: dict[str, Prepare] = {}
    if not args.no_ours:
        prepare[OURS] = _ours(args)
    prepare |= libraries(peers.available(tuple(args.peers)), args.dtype)
    return Plan(
        layers=layers,
        ops=OPS if "all" in args.op else args.op,
        dtype=args.dtype,
        threads=args.threads,
        effort=Effort(args.sample, args.rounds, args.budget),
        prepare=prepare,
    )


def _ours(args: argparse.Namespace) -> Prepare:
    if args.isa:
        convtranspose.set_isa(args.isa)
    variants = ours.Variants(
        layouts=tuple(args.layout),
        modes=tuple(args.mode),
        algorithms=tuple(args.algorithm),
        fast_math=args.fast_math,
        weights_layout=args.weights_layout,
    )
    return lambda operands, threads: ours.candidates(operands, threads, variants)


def _progress(console: Console) -> Progress:
    latest = TextColumn("{task.description}")
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), latest)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _latest(records: list[Record]) -> str:
    if not records:
        return ""
    best = min(records, key=lambda record: record.seconds)
    return f"{best.op} {best.layer}: {best.rate / 1e9:.1f} GFLOP/s ({best.candidate})"


def _reasons(skipped: list[Skipped]) -> list[str]:
    """Each library and reason once, with how many layers it concerns."""
    layers: dict[tuple[str, str, str], int] = {}
    for skip in skipped:
        key = (skip.op, skip.library, skip.reason)
        layers[key] = layers.get(key, 0) + 1
    return [f"{op}: {lib} left out {n} layer(s): {why}" for (op, lib, why), n in layers.items()]
