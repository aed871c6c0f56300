# SPDX-License-Identifier: MIT
"""``convtranspose bench``: hands over to the benchmark, which the ``bench`` extra completes."""

from __future__ import annotations

from typing import Any

from ..bench import command


def add_parser(subcommands: Any) -> None:
    """Add the subcommand."""
    parser = subcommands.add_parser(
        "bench",
        help="time layers against the machine's peak and other libraries",
        description="Times layers against the machine's peak and against other libraries.",
    )
    command.add_arguments(parser)
    parser.set_defaults(command=command.main)
