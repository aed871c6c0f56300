# SPDX-License-Identifier: MIT
"""``convtranspose bench``: its arguments, and what each form of it does.

What needs the ``bench`` extra is imported once a form is chosen.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from .. import Algorithm, active_isa, available_isas
from ..command_line import (
    UserError,
    enum_member,
    new_file,
    new_folder,
    reported,
    seconds,
    whole_number,
)
from .layers import TIERS, Layer, read_layers, select
from .operands import DTYPES, FORWARD, OPS
from .peers import NAMES

SPECIALS = ("istft", "tiny", "groups", "threads", "depthwise")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the benchmark's arguments; a bare ``bench`` times the published layers."""
    _add_selection(parser)
    _add_candidates(parser)
    _add_effort(parser)
    _add_output(parser)
    forms = parser.add_subparsers(dest="form", metavar="{list,show,compare}", title="other forms")
    forms.add_parser("list", help="print the layers that would be timed")
    show = forms.add_parser("show", help="tables and plots of saved results")
    show.add_argument("results", nargs="+", type=Path, help="JSON files of one machine")
    show.add_argument("--every-candidate", action="store_true", default=argparse.SUPPRESS)
    show.add_argument("--plots", type=new_folder, metavar="FOLDER", default=argparse.SUPPRESS)
    show.add_argument("--csv", type=new_file, metavar="FILE", default=argparse.SUPPRESS)
    show.add_argument("--json", type=new_file, metavar="FILE", default=argparse.SUPPRESS)
    compare = forms.add_parser(
        "compare",
        help="two builds: from two JSON files, or timed in turn in two Python environments",
    )
    compare.add_argument("results", nargs="*", type=Path, help="two JSON files")
    compare.add_argument(
        "--python",
        nargs=2,
        metavar=("A", "B"),
        help="two interpreters, each with a convtranspose of its own; timed layer by layer in turn",
    )


def main(args: argparse.Namespace) -> int:
    """Run what the arguments ask for and return the exit code."""
    with reported(ValueError):
        active_isa()  # what CONVTRANSPOSE_ISA names may not be here
    try:
        return _main(args)
    except ImportError as error:
        raise UserError(f"bench needs {error.name}: pip install 'convtranspose[bench]'") from error


def _main(args: argparse.Namespace) -> int:
    if args.form == "list":
        return _list(args)
    if args.form == "compare":
        from . import compare

        return compare.main(args)
    from . import session

    if args.form == "show":
        return session.show(args)
    if args.special:
        from . import special

        return special.main(args)
    return session.run(args)


def _add_selection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("layers")
    group.add_argument(
        "--layers",
        nargs="+",
        type=_layers,
        default=[],
        metavar="PROBLEM|FILE",
        help="problem strings, or files with one a line, instead of the published layers",
    )
    group.add_argument(
        "--match", type=_pattern, metavar="REGEX", help="only layers whose name or string matches"
    )
    group.add_argument("--tier", choices=TIERS, help="only layers of this tier")
    group.add_argument(
        "--shard",
        type=_shard,
        metavar="I/N",
        help="only every N-th layer, starting at the I-th (from 1)",
    )
    group.add_argument(
        "--op",
        choices=(*OPS, "all"),
        nargs="+",
        default=[FORWARD],
        help="operations to time (default: forward)",
    )
    group.add_argument("--dtype", choices=DTYPES, default="float32")
    group.add_argument("--special", choices=SPECIALS, help="a small bench of its own instead")


def _add_candidates(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("candidates")
    group.add_argument(
        "--peers",
        nargs="*",
        choices=NAMES,
        default=list(NAMES),
        metavar="PEER",
        help=f"of {', '.join(NAMES)} (default: all that are installed)",
    )
    group.add_argument("--no-ours", action="store_true", help="time the peers alone")
    group.add_argument("--layout", nargs="+", choices=("NCHW", "NHWC"), default=["NCHW", "NHWC"])
    group.add_argument(
        "--mode",
        nargs="+",
        choices=("one-shot", "plan"),
        default=["one-shot", "plan"],
        help="our calls: weights packed in the call, or once before",
    )
    group.add_argument(
        "--algorithm",
        nargs="+",
        type=enum_member(Algorithm),
        default=[Algorithm.AUTO],
        metavar="NAME",
        help="our algorithms to force, each a candidate; AUTO chooses",
    )
    group.add_argument("--weights-layout", choices=("OIHW", "HWIO"), default="OIHW")
    group.add_argument("--isa", choices=available_isas(), help="our instruction set for this run")
    group.add_argument("--fast-math", action="store_true", help="time our fast_math too")
    group.add_argument("--threads", type=whole_number(1, 1024), default=1, metavar="N")


def _add_effort(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("effort")
    group.add_argument(
        "--sample", type=seconds(1e-6, 60), default=0.02, metavar="S", help="seconds a sample"
    )
    group.add_argument(
        "--rounds", type=whole_number(1, 10**6), default=9, metavar="N", help="most rounds a layer"
    )
    group.add_argument(
        "--budget",
        type=seconds(0, 1e6),
        default=6.0,
        metavar="S",
        help="seconds a layer after which no further round starts (three always run)",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--every-candidate", action="store_true", help="a column a candidate")
    group.add_argument("--json", type=new_file, metavar="FILE", help="keep everything")
    group.add_argument("--csv", type=new_file, metavar="FILE", help="one line a measurement")
    group.add_argument("--plots", type=new_folder, metavar="FOLDER", help="ratio and roofline, SVG")
    group.add_argument("--plot-format", choices=("svg", "png"), default="svg")


def _list(args: argparse.Namespace) -> int:
    for layer in select(args.layers, args.match, args.tier):
        print(f"{layer.problem}\t{layer.tier}\t{layer.name}")
    return 0


def _layers(text: str) -> list[Layer]:
    try:
        return read_layers(text)
    except (OSError, ValueError) as error:
        raise argparse.ArgumentTypeError(f"{text}: {error}") from None


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise argparse.ArgumentTypeError(
            f"expected a regular expression, got {text!r}: {error}"
        ) from None


def _shard(text: str) -> slice:
    match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
    index, count = map(int, match.groups()) if match else (0, 0)
    if not 1 <= index <= count:
        raise argparse.ArgumentTypeError(f"expected I/N with 1 <= I <= N, got {text!r}")
    return slice(index - 1, None, count)
