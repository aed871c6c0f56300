# SPDX-License-Identifier: MIT
"""How far float32 results are from float64: the tables and pictures of ``docs/accuracy.md``.

    python bench/accuracy.py docs/images

needs matplotlib, and PyTorch for its row. Every kind of data meets every layer and operation; an
error is ``y - y64`` over the largest ``|y64|`` of the result.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import convtranspose as ct

Array = NDArray[Any]

# Batch, source channels, result channels, source side, kernel, stride, padding.
LAYERS = {
    "k4 s2, 512 to 256": (2, 512, 256, 8, 4, 2, 1),
    "k4 s2, 256 to 128": (2, 256, 128, 16, 4, 2, 1),
    "k3 s2, 256 to 128": (1, 256, 128, 32, 3, 2, 1),
    "k3 s1, 256 to 256": (1, 256, 256, 28, 3, 1, 1),
}
COLORS = {
    "direct": "#2a7f62",
    "fast": "#3b6fb6",
    "aggressive": "#b5483a",
    "PyTorch": "#7a7a7a",
}


def uniform(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return rng.uniform(-1, 1, shape)


def relu(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.maximum(rng.standard_normal(shape), 0)


def correlated(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Neighbours in space and channel alike, about a mean: sums that cancel little."""
    noise = rng.standard_normal(shape)
    for axis in (1, 2, 3):
        noise = np.cumsum(noise, axis=axis) if shape[axis] > 4 else noise
        noise = noise / np.abs(noise).max(axis=axis, keepdims=True)
    return noise + 0.5


def badly_scaled(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Magnitudes from 1e-4 to 1e4, element by element."""
    return rng.standard_normal(shape) * 10 ** rng.uniform(-4, 4, shape)


DATA: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Array]] = {
    "random": uniform,
    "ReLU": relu,
    "correlated": correlated,
    "badly scaled": badly_scaled,
}


class Case:
    """One layer with one kind of data."""

    def __init__(self, layer: tuple[int, ...], kind: str) -> None:
        n, ci, co, side, kernel, stride, pad = layer
        rng = np.random.default_rng(1)
        out = (side - 1) * stride + kernel - 2 * pad
        self.stride, self.pad = stride, pad
        make = DATA[kind]
        self.source = make(rng, (n, ci, side, side)).astype(np.float32)
        self.gradient = make(rng, (n, co, out, out)).astype(np.float32)
        draw = make if kind == "badly scaled" else uniform
        self.weights = (draw(rng, (ci, co, kernel, kernel)) / np.sqrt(ci)).astype(np.float32)
        self.descriptor = ct.Convolution2DOpDescriptor(
            stride_in_x=stride,
            stride_in_y=stride,
            padding_left=pad,
            padding_right=pad,
            padding_top=pad,
            padding_bottom=pad,
        )

    def ours(self, dtype: str = "float32", **options: Any) -> dict[str, Array]:
        x, w, g = (a.astype(dtype) for a in (self.source, self.weights, self.gradient))
        d = self.descriptor
        return {
            "forward": ct.convolution_transpose_2d(x, w, g.shape, d, **options),
            "data gradient": ct.convolution_transpose_2d_data_gradient(g, w, x.shape, d, **options),
            "weights gradient": ct.convolution_transpose_2d_weights_gradient(
                g, x, w.shape, d, **options
            ),
        }

    def pytorch(self) -> dict[str, Array]:
        import torch

        x, w, g = (torch.from_numpy(a) for a in (self.source, self.weights, self.gradient))
        x.requires_grad_()
        w.requires_grad_()
        y = torch.nn.functional.conv_transpose2d(x, w, stride=self.stride, padding=self.pad)
        y.backward(g)
        tensors = {"forward": y.detach(), "data gradient": x.grad, "weights gradient": w.grad}
        return {name: tensor.numpy() for name, tensor in tensors.items() if tensor is not None}


def candidates(case: Case) -> Iterator[tuple[str, dict[str, Array]]]:
    yield "direct", case.ours(fast_math=False)
    winograd = ct.Algorithm.WINOGRAD
    yield "fast", case.ours(fast_math=True, algorithm=winograd)
    yield "aggressive", case.ours(fast_math="aggressive", algorithm=winograd)
    with suppress(ImportError):
        yield "PyTorch", case.pytorch()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, help="where accuracy.svg goes")
    folder = parser.parse_args().folder
    errors: dict[tuple[str, str, str], list[Array]] = {}
    worst: dict[tuple[str, str, str], list[float]] = {}
    for kind in DATA:
        for layer in LAYERS.values():
            case = Case(layer, kind)
            exact = case.ours("float64", fast_math=False)
            for name, results in candidates(case):
                for operation, result in results.items():
                    scale = np.abs(exact[operation]).max()
                    error = np.abs(result - exact[operation]).ravel() / scale
                    key = (kind, operation, name)
                    errors.setdefault(key, []).append(error)
                    worst.setdefault(key, []).append(float(error.max()))
    print_table(worst, errors)
    path = folder / "accuracy.svg"
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "convtranspose"}):
        picture(errors).savefig(path, bbox_inches="tight", metadata={"Date": None})
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("".join(line.rstrip() + "\n" for line in lines), encoding="utf-8")


def print_table(
    worst: dict[tuple[str, str, str], list[float]], errors: dict[tuple[str, str, str], list[Array]]
) -> None:
    """Largest and root-mean-square error, geometric means over the layers."""
    names = list(dict.fromkeys(name for *_, name in worst))
    print("| data | operation | " + " | ".join(names) + " |")
    print("|---|---|" + "---|" * len(names))
    for kind, operation in dict.fromkeys((kind, operation) for kind, operation, _ in worst):
        cells = []
        for name in names:
            key = (kind, operation, name)
            top = np.exp(np.mean(np.log(worst[key])))
            rms = np.exp(np.mean([np.log(np.sqrt(np.mean(e**2))) for e in errors[key]]))
            cells.append(f"{top:.1e} ({rms:.1e})")
        print(f"| {kind} | {operation} | " + " | ".join(cells) + " |")


def picture(errors: dict[tuple[str, str, str], list[Array]]) -> Figure:
    """What part of the elements errs by more than so much."""
    operations = list(dict.fromkeys(operation for _, operation, _ in errors))
    figure = Figure(figsize=(11, 9))
    grid = figure.subplots(len(DATA), len(operations), sharex=True, sharey=True)
    parts = np.logspace(0, -5, 60)
    for row, kind in zip(grid, DATA, strict=True):
        for axes, operation in zip(row, operations, strict=True):
            for name, color in COLORS.items():
                if (kind, operation, name) not in errors:
                    continue
                pooled = np.sort(np.concatenate(errors[kind, operation, name]))
                at = np.minimum((len(pooled) * (1 - parts)).astype(int), len(pooled) - 1)
                axes.loglog(np.maximum(pooled[at], 1e-10), parts, color=color, label=name)
            axes.set_title(f"{kind}, {operation}", fontsize=9)
            axes.grid(visible=True, color="#dddddd", linewidth=0.5)
    for axes in grid[-1]:
        axes.set_xlabel("error / largest result")
        axes.set_xlim(1e-9, 1e-4)
    for row in grid:
        row[0].set_ylabel("part beyond it")
    grid[0][0].legend(fontsize=8)
    return figure


if __name__ == "__main__":
    main()
