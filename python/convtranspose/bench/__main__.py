# SPDX-License-Identifier: MIT
"""``python -m convtranspose.bench``: the same as ``convtranspose bench``."""

from __future__ import annotations

import argparse
import sys

from .command import add_arguments, main

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="convtranspose bench", description=__doc__)
    add_arguments(parser)
    sys.exit(main(parser.parse_args()))
