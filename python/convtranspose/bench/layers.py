# SPDX-License-Identifier: MIT
"""The layer list: layers of published networks, and whatever the user names."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources
from itertools import chain
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


def read_layers(text: str) -> list[Layer]:
    """Layers that a problem string, or a file of them, names."""
    if Path(text).is_file():
        return read_lines(Path(text).read_text(encoding="utf-8").splitlines())
    return read_lines([text])


def select(
    given: Iterable[Iterable[Layer]] = (),
    match: re.Pattern[str] | None = None,
    tier: str | None = None,
) -> list[Layer]:
    """The given layers, else the published ones, then filtered.

    ``match`` is searched for in the name and in the problem string.
    """
    layers = list(chain.from_iterable(given)) or published()
    if tier is not None:
        layers = [layer for layer in layers if layer.tier == tier]
    if match is not None:
        layers = [
            layer
            for layer in layers
            if match.search(layer.name) or match.search(str(layer.problem))
        ]
    return layers
