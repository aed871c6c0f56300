# SPDX-License-Identifier: MIT
"""Problem strings: the one-line form of every case in ``tests/data`` (grammar in its README)."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from math import prod
from pathlib import Path

import numpy as np

DATA = Path(__file__).resolve().parent.parent / "data"
OPERATIONS = ("forward", "data_gradient", "weights_gradient")
STYLES = ("TF_VALID", "TF_SAME", "ONNX_SAME_LOWER")
FILLS = re.compile(r"ones|arange[01]|const:\S+|mod:\d+")

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Problem:
    """One call. Shapes are those of the transposed operation, in NCHW and OIHW order."""

    operation: str
    source: Shape
    weights: Shape
    output: Shape
    stride: Shape = (1, 1)
    dilation: Shape = (1, 1)
    padding: Shape = (0, 0, 0, 0)  # top, bottom, left, right
    groups: int = 1
    style: str = "EXPLICIT"
    name: str = ""
    provenance: str = ""
    attributes: dict[str, str] = field(default_factory=dict, compare=False)

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        return {"source": self.source, "weights": self.weights, "gradient": self.output}

    @property
    def operands(self) -> tuple[str, str]:
        return {
            "forward": ("source", "weights"),
            "data_gradient": ("gradient", "weights"),
            "weights_gradient": ("gradient", "source"),
        }[self.operation]

    @property
    def result(self) -> Shape:
        return {
            "forward": self.output,
            "data_gradient": self.source,
            "weights_gradient": self.weights,
        }[self.operation]

    @property
    def slack(self) -> tuple[int, int]:
        """Per axis, how far the output exceeds the smallest one the size relation allows."""
        return tuple(
            self.output[2 + a]
            + self.padding[2 * a]
            + self.padding[2 * a + 1]
            - (
                (self.source[2 + a] - 1) * self.stride[a]
                + (self.weights[2 + a] - 1) * self.dilation[a]
                + 1
            )
            for a in (0, 1)
        )

    @property
    def consistent(self) -> bool:
        """True when a forward convolution of the output has exactly the source's extent."""
        return all(0 <= free < step for free, step in zip(self.slack, self.stride, strict=True))

    @property
    def multiply_adds(self) -> int:
        return prod(self.source) * prod(self.weights[1:])

    def but(self, **changes: object) -> Problem:
        return replace(self, **changes)

    def inputs(self) -> dict[str, np.ndarray]:
        """The operands in float64, from the row's fills or drawn from a seed made of its text."""
        rng = np.random.default_rng(zlib.crc32(format_line(self).encode()))
        return {
            name: decode(self.attributes[name], self.shapes[name])
            if name in self.attributes
            else rng.standard_normal(self.shapes[name])
            for name in self.operands
        }

    def integers(self, low: int = -4, high: int = 4) -> dict[str, np.ndarray]:
        """Small integers for the operands: sums are exact in every dtype and order."""
        rng = np.random.default_rng(zlib.crc32(format_line(self).encode()))
        return {
            name: rng.integers(low, high, self.shapes[name], endpoint=True).astype(np.float64)
            for name in self.operands
        }

    def expected(self) -> np.ndarray | None:
        """The values which the row itself asserts, if it does."""
        text = self.attributes.get("result")
        return None if text is None else decode(text, self.result)

    def checksum(self) -> tuple[float, float] | None:
        """The row's sum and position-weighted sum (weights 1 to 97 in turn, row-major)."""
        text = self.attributes.get("checksum")
        return None if text is None else tuple(map(float, text.split()))

    def __str__(self) -> str:
        return format_line(self)


def weighted_sums(values: np.ndarray) -> tuple[float, float]:
    flat = values.astype(np.float64).ravel()
    return float(flat.sum()), float(flat @ (np.arange(flat.size) % 97 + 1.0))


# ------------------------------------------------------------------------------- tensors
def decode(text: str, shape: Shape) -> np.ndarray:
    count = prod(shape)
    if FILLS.fullmatch(text):
        word, _, argument = text.partition(":")
        index = np.arange(count, dtype=np.float64)
        flat = {
            "ones": lambda: index * 0 + 1,
            "arange0": lambda: index,
            "arange1": lambda: index + 1,
            "const": lambda: index * 0 + float(argument),
            "mod": lambda: (7 * index + 3) % int(argument) - int(argument) // 2,
        }[word]()
    else:
        runs = [token.partition("*") for token in text.split()]
        flat = np.repeat(
            [float(value) for value, _, _ in runs], [int(times or 1) for _, _, times in runs]
        )
    if flat.size != count:
        raise ValueError(f"{flat.size} values for shape {shape}")
    return flat.reshape(shape).astype(np.float64)


def encode(values: np.ndarray) -> str:
    def tokens():
        for value, run in groupby(f"{v:.9g}" for v in np.asarray(values, dtype=float).ravel()):
            times = len(list(run))
            yield value if times == 1 else f"{value}*{times}"

    return " ".join(tokens())


# ------------------------------------------------------------------------------- lines
def parse_shape(text: str) -> Shape:
    return () if text == "scalar" else tuple(int(extent) for extent in text.split("x"))


def format_shape(shape: Shape) -> str:
    return "x".join(map(str, shape)) or "scalar"


def parse_line(line: str) -> Problem:
    head, name = re.fullmatch(r'(.*) "([^"]+)"', line).groups()
    operation, source, weights, output, *options = head.split(" ")
    if operation not in OPERATIONS:
        raise ValueError(f"unknown operation {operation!r}: {line}")
    fields: dict[str, object] = {}
    for option in options:
        if option in STYLES:
            fields["style"] = option
        elif option[0] == "p":
            fields["padding"] = tuple(map(int, option[1:].split(",")))
        elif option[0] == "g":
            fields["groups"] = int(option[1:])
        else:
            fields[{"s": "stride", "d": "dilation"}[option[0]]] = parse_shape(option[1:])
    return Problem(
        operation,
        parse_shape(source),
        parse_shape(weights),
        parse_shape(output),
        name=name,
        **fields,
    )


def format_line(p: Problem) -> str:
    words = [p.operation, format_shape(p.source), format_shape(p.weights), format_shape(p.output)]
    if p.stride != (1, 1):
        words.append("s" + format_shape(p.stride))
    if p.dilation != (1, 1):
        words.append("d" + format_shape(p.dilation))
    if any(p.padding):
        words.append("p" + ",".join(map(str, p.padding)))
    if p.groups != 1:
        words.append(f"g{p.groups}")
    if p.style != "EXPLICIT":
        words.append(p.style)
    return " ".join([*words, f'"{p.name}"'])


# ------------------------------------------------------------------------------- files
def parse(text: str) -> list[Problem]:
    """Problems of one file, each with the provenance line above it and the attributes below it."""
    problems: list[Problem] = []
    provenance = ""
    for line in text.splitlines():
        if line.startswith("@"):
            provenance = line[1:]
        elif line.startswith("  "):
            key, _, value = line.strip().partition(" ")
            problems[-1].attributes[key] = value
        elif line and not line.startswith("#"):
            problems.append(parse_line(line).but(provenance=provenance, attributes={}))
    return problems


def format_problems(problems: list[Problem]) -> str:
    lines: list[str] = []
    provenance = ""
    for p in problems:
        if p.provenance != provenance:
            provenance = p.provenance
            lines.append("@" + provenance)
        lines.append(format_line(p))
        lines += [f"  {key} {value}" for key, value in p.attributes.items()]
    return "\n".join(lines) + "\n"


def corpus_files() -> list[Path]:
    return sorted((DATA / "cases").glob("*.txt"))


def load(path: Path) -> list[Problem]:
    return parse(path.read_text(encoding="utf-8"))


def load_corpora() -> list[Problem]:
    return [problem for path in corpus_files() for problem in load(path)]
