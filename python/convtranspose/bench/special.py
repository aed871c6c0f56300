# SPDX-License-Identifier: MIT
"""Small benches with a question of their own, each over problems that differ in one thing."""

from __future__ import annotations

import argparse
import os
import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter

from rich.console import Console
from rich.table import Table

from . import machine
from .layers import Layer
from .machine import Machine
from .operands import Operands
from .problem import Problem
from .results import Record
from .runner import Plan, run_layer
from .session import keep, measure_machine, plan_of

_Bench = Callable[[Plan, Machine, Console], list[Record]]

_LARGE = (
    "n1_c512x32x32_o128x64x64_k4_s2_p1",
    "n1_c256x64x64_o128x128x128_k3_s2_p1",
    "n1_c1024x28x28_o512x56x56_k2_s2",
)
_GROUPS = (1, 2, 4, 8, 16, 32)
_ISTFT_LENGTHS = (500, 4999, 733, 2750, 1201, 3907, 641, 5000, 1777, 2221)


def main(args: argparse.Namespace) -> int:
    """Run the special bench that ``--special`` names and keep its records."""
    plan = plan_of(args)
    results = measure_machine(args)
    results.records.extend(BENCHES[args.special](plan, results.machine, Console()))
    keep(results, args)
    return 0


def tiny(plan: Plan, measured: Machine, console: Console) -> list[Record]:
    """The fixed cost of a call: one so small that its arithmetic hardly counts."""
    records = _timed(plan, measured, ["n1_c8x4x4_o8x8x8_k4_s2_p1"])
    table = _table("time of a tiny call", "candidate", "us", "spread")
    for record in sorted(records, key=lambda record: record.seconds):
        table.add_row(record.candidate, f"{record.seconds * 1e6:.2f}", f"{record.spread:.1%}")
    console.print(table)
    return records


def groups(plan: Plan, measured: Machine, console: Console) -> list[Record]:
    """Work falls as 1/groups; ``of work`` is the rate beside that of one group."""
    problems = [f"n1_c256x32x32_o256x64x64_k4_s2_p1_g{count}" for count in _GROUPS]
    records = _timed(plan, measured, problems)
    base = {record.candidate: record.rate for record in records if "_g" not in record.problem}
    table = _table("groups", "candidate", "groups", "ms", "GFLOP/s", "of work")
    for record in sorted(records, key=lambda record: record.candidate):
        table.add_row(
            record.candidate,
            str(Problem.parse(record.problem).groups),
            f"{record.seconds * 1e3:.3f}",
            f"{record.rate / 1e9:.1f}",
            f"{record.rate / base[record.candidate]:.2f}" if record.candidate in base else "",
        )
    console.print(table)
    return records


def threads(plan: Plan, measured: Machine, console: Console) -> list[Record]:
    """Large layers with 1, 2, 4, ... threads. TensorFlow cannot change its pool and stays out."""
    prepare = {name: make for name, make in plan.prepare.items() if name != "TensorFlow"}
    counts = [1]
    while counts[-1] * 2 <= (os.cpu_count() or 1):
        counts.append(counts[-1] * 2)
    records: list[Record] = []
    for count in counts:
        few = replace(plan, prepare=prepare, threads=count)
        records += _timed(few, machine.measure(count), _LARGE)
    single = {(r.problem, r.candidate): r.seconds for r in records if r.threads == 1}
    table = _table("threads", "problem", "candidate", "threads", "GFLOP/s", "speed-up")
    for record in sorted(records, key=lambda r: (r.problem, r.candidate, r.threads)):
        alone = single.get((record.problem, record.candidate))
        table.add_row(
            record.problem,
            record.candidate,
            str(record.threads),
            f"{record.rate / 1e9:.1f}",
            f"{alone / record.seconds:.2f}" if alone else "",
        )
    console.print(table)
    return records


def depthwise(plan: Plan, measured: Machine, console: Console) -> list[Record]:
    """Out of cache a depthwise layer can only be as fast as its tensors move."""
    records = _timed(plan, measured, ["n8_c64x128x128_o64x256x256_k4_s2_p1_g64"])
    title = f"depthwise beside a copy at {measured.bandwidth[-1][1] / 1e9:.1f} GB/s"
    table = _table(title, "candidate", "ms", "GB/s", "of copy")
    for record in sorted(records, key=lambda record: record.seconds):
        bandwidth = record.moved_bytes / record.seconds
        of_copy = bandwidth / measured.bandwidth_for(record.moved_bytes)
        table.add_row(
            record.candidate,
            f"{record.seconds * 1e3:.2f}",
            f"{bandwidth / 1e9:.1f}",
            f"{of_copy:.2f}",
        )
    console.print(table)
    return records


def istft(plan: Plan, measured: Machine, console: Console) -> list[Record]:
    """A spectrogram's inverse with a new length at every call: the first call over a warm one."""
    records: list[Record] = []
    firsts: dict[str, list[float]] = {}
    for length in _ISTFT_LENGTHS:
        problem = Problem.parse(
            f"n1_c1026x1x{length}_o1x1x{(length - 1) * 256 + 1024}_k1x1024_s1x256"
        )
        first = _first_calls(plan, problem)
        timed = _timed(plan, measured, [str(problem)])
        records += timed
        for record in timed:
            if record.candidate in first:
                ratio = first[record.candidate] / record.seconds
                firsts.setdefault(record.candidate, []).append(ratio)
    table = _table("iSTFT, length changing", "candidate", "GFLOP/s", "first / warm", "worst")
    for name, ratios in firsts.items():
        rates = [record.rate / 1e9 for record in records if record.candidate == name]
        table.add_row(
            name,
            f"{statistics.median(rates):.1f}",
            f"{statistics.median(ratios):.2f}",
            f"{max(ratios):.2f}",
        )
    console.print(table)
    return records


def _first_calls(plan: Plan, problem: Problem) -> dict[str, float]:
    """Seconds of the first call of every candidate that prepares nothing for the shape."""
    operands = Operands(problem, "forward", plan.dtype)
    seconds = {}
    for prepare in plan.prepare.values():
        for candidate in prepare(operands, plan.threads):
            if not candidate.prepared:
                started = perf_counter()
                candidate.run()
                seconds[candidate.name] = perf_counter() - started
    return seconds


def _timed(plan: Plan, measured: Machine, problems: Sequence[str]) -> list[Record]:
    records: list[Record] = []
    for op in plan.ops:
        for text in problems:
            records += run_layer(plan, measured, op, Layer(Problem.parse(text)))[0]
    return records


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right", overflow="fold")
    return table


BENCHES: dict[str, _Bench] = {
    "istft": istft,
    "tiny": tiny,
    "groups": groups,
    "threads": threads,
    "depthwise": depthwise,
}
