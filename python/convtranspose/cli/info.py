# SPDX-License-Identifier: MIT
"""``convtranspose info``: what was built, and what runs here."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
from typing import Any

import numpy as np

import convtranspose

from ..command_line import UserError


def add_parser(subcommands: Any) -> None:
    """Register the subcommand."""
    parser: argparse.ArgumentParser = subcommands.add_parser(
        "info", help="show version, compiler, instruction sets and threads"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.set_defaults(command=_print)


def collect() -> dict[str, Any]:
    """Return everything a bug report should contain.

    Returns
    -------
    dict
        `build_info()` and the state of this process; JSON can represent every value.
    """
    return {
        **convtranspose.build_info(),
        "isas": list(convtranspose.available_isas()),
        "active_isa": convtranspose.active_isa(),
        "threads": convtranspose.get_num_threads(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "pillow": _installed_version("pillow"),
        "platform": platform.platform(),
    }


def _installed_version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _print(options: argparse.Namespace) -> None:
    try:
        facts = collect()
    except ValueError as error:  # CONVTRANSPOSE_ISA names what is not here
        raise UserError(str(error)) from error
    if options.json:
        print(json.dumps(facts, indent=2))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f"{name.replace('_', ' '):{width}}  {_as_text(value)}")


def _as_text(value: Any) -> str:
    if value is None:
        return "not installed"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
