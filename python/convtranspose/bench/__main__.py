# SPDX-License-Identifier: MIT
"""``python -m convtranspose.bench``: the same as ``convtranspose bench``."""

from __future__ import annotations

import sys

from ..command_line import OneLineErrorParser, exit_code
from .command import add_arguments, main

if __name__ == "__main__":
    parser = OneLineErrorParser(prog="convtranspose bench", description=__doc__)
    add_arguments(parser)
    sys.exit(exit_code(main, parser.parse_args()))
