# SPDX-License-Identifier: MIT
"""The ``convtranspose`` command: one module a subcommand."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from .. import __version__, get_cmake_dir
from ..command_line import OneLineErrorParser, exit_code
from . import bench, info, run, upsample

__all__ = ["build_parser", "main"]


class _PrintCMakeDir(argparse.Action):
    """As ``--version`` does: print, and ask for no subcommand."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print the folder of the CMake package."""
        try:
            print(get_cmake_dir())
        except ImportError as error:
            parser.error(str(error))
        parser.exit()


def build_parser() -> OneLineErrorParser:
    """Return the parser of the whole command line."""
    parser = OneLineErrorParser(
        prog="convtranspose",
        description="Transposed convolution and its gradients, as MPSGraph defines them.",
    )
    parser.add_argument("--version", action="version", version=f"convtranspose {__version__}")
    parser.add_argument(
        "--cmake-dir",
        action=_PrintCMakeDir,
        nargs=0,
        help="print the folder for CMake's -Dconvtranspose_DIR and exit",
    )
    subcommands = parser.add_subparsers(required=True, metavar="COMMAND")
    for subcommand in (info, run, upsample, bench):
        subcommand.add_parser(subcommands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows ``convtranspose`` on the command line; ``sys.argv[1:]`` by default.

    Returns
    -------
    int
        0 on success, 2 when the user has to change something (one line on stderr says what),
        130 when the user stopped the work.

    Raises
    ------
    SystemExit
        With code 2 for arguments that do not parse, with 0 after ``--help``, ``--version`` or
        ``--cmake-dir``.
    """
    options = build_parser().parse_args(arguments)
    return exit_code(options.command, options)
