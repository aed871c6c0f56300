# SPDX-License-Identifier: MIT
"""The layer list: layers of published networks, and whatever the user names."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from .problem import Problem

TIERS = ("core", "extra")
_COLUMNS = ("problem", "tier", "network", "layer", "checked", "source")


@dataclass(frozen=True)
class Layer:
    """A problem with the place it comes from."""

    problem: Problem
    network: str = "user"
    layer: str = ""
    tier: str = "extra"
    checked: str = ""
    source: str = ""

    @property
    def name(self) -> str:
        return f"{self.network}/{self.layer}" if self.layer else str(self.problem)


def published() -> list[Layer]:
    """All layers of ``layers.tsv``."""
    text = resources.files(__package__).joinpath("layers.tsv").read_text(encoding="utf-8")
    return read_lines(text.splitlines())


def read_lines(lines: Iterable[str]) -> list[Layer]:
    """Layers from lines of tab-separated columns; only the first, the problem string, is needed.

    A first line that names the columns and lines that start with ``#`` are skipped.
    """
    rows = csv.reader(
        (line for line in lines if line.strip() and not line.startswith("#")), delimiter="\t"
    )
    layers = []
    for row in rows:
        if row[0] == _COLUMNS[0]:
            continue
        named = dict(zip(_COLUMNS[1:], row[1:], strict=False))
        layers.append(Layer(Problem.parse(row[0]), **named))
    return layers


def select(
    given: Sequence[str] = (), match: str | None = None, tier: str | None = None
) -> list[Layer]:
    """Layers of the given problem strings or files, else the published ones, then filtered.

    ``match`` is a regular expression searched for in the name and in the problem string.
    """
    layers: list[Layer] = []
    for text in given:
        if Path(text).is_file():
            layers += read_lines(Path(text).read_text(encoding="utf-8").splitlines())
        else:
            layers += read_lines([text])
    if not given:
        layers = published()
    if tier is not None:
        layers = [layer for layer in layers if layer.tier == tier]
    if match is not None:
        pattern = re.compile(match, re.IGNORECASE)
        layers = [
            layer
            for layer in layers
            if pattern.search(layer.name) or pattern.search(str(layer.problem))
        ]
    return layers
