# SPDX-License-Identifier: MIT
"""Two pictures of a run: the ratio to the best peer a layer, and the roofline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .machine import Machine
from .results import Results
from .summary import LayerSummary, summarize
from .timing import geometric_mean

# Text stays text and ids repeat, so that an SVG of the same figures is the same file.
_STYLE = {"svg.fonttype": "none", "svg.hashsalt": "convtranspose"}
_WIN, _LOSS, _PEER = "#2a7f62", "#b5483a", "#7a7a7a"


def draw(results: Results, folder: Path, suffix: str = "svg") -> list[Path]:
    """Write ``ratio-<op>`` where both sides were timed and ``roofline-<op>``; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for op, layers in summarize(results.records).items():
        pictures = {"roofline": roofline(op, layers, results.machine)}
        if any(layer.ours and layer.peer for layer in layers):
            pictures["ratio"] = ratios(op, layers)
        for kind, figure in pictures.items():
            path = folder / f"{kind}-{op}.{suffix}"
            metadata = {"Date": None} if suffix == "svg" else None
            with mpl.rc_context(_STYLE):
                figure.savefig(path, bbox_inches="tight", metadata=metadata)
            written.append(path)
    return written


def ratios(op: str, layers: Sequence[LayerSummary]) -> Figure:
    """Bars of best peer's time over our best time, sorted, one a layer."""
    known = [(layer, layer.ratio(lambda r: True, lambda r: True)) for layer in layers]
    pairs = sorted(
        ((layer.any.layer, ratio) for layer, ratio in known if ratio is not None),
        key=lambda pair: pair[1],
    )
    names, values = zip(*pairs, strict=True)
    figure = Figure(figsize=(8, 1.2 + 0.22 * len(pairs)))
    axes = figure.subplots()
    lengths = [value - 1 for value in values]
    colors = [_WIN if value >= 1 else _LOSS for value in values]
    axes.barh(names, lengths, left=1, color=colors, height=0.7)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylim(-0.6, len(pairs) - 0.4)
    for position, value in enumerate(values):
        axes.annotate(
            f"{value:.2f}",
            (max(value, 1), position),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=7,
        )
    axes.tick_params(axis="y", labelsize=7)
    axes.set_xlabel("time of the best peer / time of convtranspose")
    mean = geometric_mean(list(values))
    axes.set_title(f"{op}: geometric mean {mean:.2f}, {len(pairs)} layers", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def roofline(op: str, layers: Sequence[LayerSummary], machine: Machine) -> Figure:
    """Achieved rate over arithmetic intensity, ours and the best peer, under the measured roof."""
    figure = Figure(figsize=(8, 5))
    axes = figure.subplots()
    for label, color, which in (("best peer", _PEER, "peer"), ("convtranspose", _WIN, "ours")):
        chosen = [record for layer in layers if (record := getattr(layer, which)) is not None]
        intensity = [record.flops / record.moved_bytes for record in chosen]
        rates = [record.rate / 1e9 for record in chosen]
        if chosen:
            axes.scatter(intensity, rates, s=18, color=color, label=label, zorder=3)
    _draw_roof(axes, machine)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.set_xlabel("FLOP per byte of source, weights and result")
    axes.set_ylabel("GFLOP/s")
    axes.set_title(f"{op}: {machine.threads} thread(s)", fontsize=10)
    axes.legend(frameon=False, fontsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def _draw_roof(axes: Axes, machine: Machine) -> None:
    left, right = axes.get_xlim()
    intensity = np.geomspace(max(left, 0.1), max(right, 10.0), 200)
    for (size, bandwidth), style in zip(machine.bandwidth, ("--", "-.", "-"), strict=False):
        roof = np.minimum(machine.peak_flops, intensity * bandwidth) / 1e9
        label = f"roof, {bandwidth / 1e9:.0f} GB/s copied within {size / (1 << 20):g} MB"
        axes.plot(intensity, roof, style, color="black", linewidth=0.9, label=label)
