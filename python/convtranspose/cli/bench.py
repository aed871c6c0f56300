# SPDX-License-Identifier: MIT
"""``convtranspose bench``: hands over to the benchmark, which the ``bench`` extra completes."""

from __future__ import annotations

import argparse
from typing import Any

from ..bench import command
from .errors import UserError


def add_parser(subcommands: Any) -> None:
    """Add the subcommand."""
    parser = subcommands.add_parser(
        "bench",
        help="time layers against the machine's peak and other libraries",
        description="Times layers against the machine's peak and against other libraries.",
    )
    command.add_arguments(parser)
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> int:
    try:
        return command.main(options)
    except ImportError as error:
        raise UserError(f"bench needs {error.name}: pip install 'convtranspose[bench]'") from error
