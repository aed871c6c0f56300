# SPDX-License-Identifier: MIT
"""Results as tables in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from .results import Record, Results
from .summary import TORCH, LayerSummary, error_ratios, large, summarize, totals
from .timing import geometric_mean

_WORST = 5


def show(results: Results, console: Console, every_candidate: bool = False) -> None:
    """The machine, then for each op a row a layer, the geometric means and the slowest layers."""
    console.print(machine_line(results))
    every_candidate = every_candidate or not any(record.ours for record in results.records)
    for op, layers in summarize(results.records).items():
        peak = results.machine.peak_flops
        table = every_table(op, layers) if every_candidate else layer_table(op, layers, peak)
        console.print(table)
        console.print(footer(layers, peak))


def machine_line(results: Results) -> Text:
    machine, about = results.machine, results.about
    rates = ", ".join(
        f"{rate / 1e9:.0f} GB/s within {_bytes(size)}" for size, rate in machine.bandwidth
    )
    return Text(
        f"{about.get('cpu', '')}, {machine.threads} thread(s), {about.get('date', '')}\n"
        f"peak {machine.peak_flops / 1e9:.1f} GFLOP/s ({machine.peak_source}, "
        f"+-{machine.peak_spread:.1%}); copy {rates}"
    )


def layer_table(op: str, layers: Sequence[LayerSummary], peak: float) -> Table:
    """Our best and the best peer side by side."""
    table = Table(title=f"{op}: GFLOP/s", title_justify="left")
    table.add_column("layer", overflow="fold")
    for column in ("GFLOP", "ours", "of peak", "of roof", "error", "peer", "error"):
        table.add_column(column, justify="right")
    table.add_column("ratio", justify="right")
    table.add_column("to torch", justify="right")
    table.add_column("ours by")
    table.add_column("best peer")
    for layer in layers:
        ours, peer = layer.ours, layer.peer
        table.add_row(
            layer.any.layer,
            f"{layer.any.flops / 1e9:.3g}",
            _rate(ours),
            f"{ours.rate / peak:.2f}" if ours else "",
            f"{ours.rate / ours.attainable_flops:.2f}" if ours else "",
            _error(ours),
            _rate(peer),
            _error(peer),
            _ratio(layer.ratio(lambda r: True, lambda r: True)),
            _ratio(layer.ratio(lambda r: True, lambda r: r.library == TORCH and not r.prepared)),
            _by(ours),
            peer.candidate if peer else "",
        )
    return table


def every_table(op: str, layers: Sequence[LayerSummary]) -> Table:
    """GFLOP/s of every candidate, the fastest in bold."""
    names = list(dict.fromkeys(record.candidate for layer in layers for record in layer.records))
    table = Table(title=f"{op}: GFLOP/s", title_justify="left")
    table.add_column("layer", overflow="fold")
    for name in names:
        table.add_column(name, justify="right")
    for layer in layers:
        rates = {record.candidate: record.rate / 1e9 for record in layer.records}
        best = max(rates.values())
        cells = [
            Text(_short(rates[name]), style="bold" if rates[name] == best else "")
            if name in rates
            else ""
            for name in names
        ]
        table.add_row(layer.any.layer, *cells)
    return table


def footer(layers: Sequence[LayerSummary], peak: float) -> Group:
    """Geometric means, what the large layers reach, errors, and the layers that lose most."""
    lines = [
        Text(
            f"{total.name}: geomean {total.geomean:.3f} over {total.layers} layers, "
            f"lowest {total.worst:.2f} ({total.worst_layer})"
        )
        for total in totals(layers)
    ]
    for layout in ("NHWC", "NCHW"):
        lines += _large_line(layers, peak, layout)
    if errors := error_ratios(layers):
        above = sum(ratio > 1 for ratio, _ in errors)
        worst, layer = errors[0]
        lines.append(
            Text(
                f"largest error of ours above PyTorch's smallest on {above} of {len(errors)} layers, "
                f"at most {worst:.2f} times ({layer.any.layer})"
            )
        )
    ratios = [(layer.ratio(lambda r: True, lambda r: True), layer) for layer in layers]
    losing = sorted(
        ((ratio, layer) for ratio, layer in ratios if ratio is not None and ratio < 1),
        key=lambda pair: pair[0],
    )
    for ratio, layer in losing[:_WORST]:
        lines.append(Text(f"  {ratio:.2f}  {layer.any.layer}  {layer.any.problem}", style="red"))
    return Group(*lines, Text())


def _large_line(layers: Sequence[LayerSummary], peak: float, layout: str) -> list[Text]:
    fractions = [
        (ours.rate / peak, layer)
        for layer in large(layers)
        if (ours := layer.best(lambda r: r.ours and r.layout == layout))
    ]
    if not fractions:
        return []
    lowest, layer = min(fractions, key=lambda pair: pair[0])
    mean = geometric_mean([fraction for fraction, _ in fractions])
    return [
        Text(
            f"{layout}, {len(fractions)} large layers: {mean:.2f} of the peak, "
            f"lowest {lowest:.2f} ({layer.any.layer})"
        )
    ]


def _rate(record: Record | None) -> str:
    return _short(record.rate / 1e9) if record else ""


def _short(gflops: float) -> str:
    return f"{gflops:.1f}" if gflops >= 10 else f"{gflops:.2f}"


def _error(record: Record | None) -> str:
    return f"{record.error:.1e}" if record else ""


def _by(record: Record | None) -> str:
    if record is None:
        return ""
    return record.candidate.removeprefix("ours ") + (f" ({record.note})" if record.note else "")


def _ratio(ratio: float | None) -> Text:
    if ratio is None:
        return Text()
    return Text(f"{ratio:.2f}", style="green" if ratio >= 1 else "red")


def _bytes(size: int) -> str:
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} kB"
