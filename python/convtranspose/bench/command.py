# SPDX-License-Identifier: MIT
"""``convtranspose bench``: its arguments, and what each form of it does.

What needs the ``bench`` extra is imported once a form is chosen.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from .layers import TIERS, select
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
    show.add_argument("--plots", type=Path, metavar="FOLDER", default=argparse.SUPPRESS)
    show.add_argument("--csv", type=Path, metavar="FILE", default=argparse.SUPPRESS)
    show.add_argument("--json", type=Path, metavar="FILE", default=argparse.SUPPRESS)
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
        default=[],
        metavar="PROBLEM|FILE",
        help="problem strings, or files with one a line, instead of the published layers",
    )
    group.add_argument("--match", metavar="REGEX", help="only layers whose name or string matches")
    group.add_argument("--tier", choices=TIERS, help="only layers of this tier")
    group.add_argument(
        "--shard", metavar="I/N", help="only every N-th layer, starting at the I-th (from 1)"
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
        default=["AUTO"],
        metavar="NAME",
        help="our algorithms to force, each a candidate; AUTO chooses",
    )
    group.add_argument("--weights-layout", choices=("OIHW", "HWIO"), default="OIHW")
    group.add_argument("--isa", metavar="NAME", help="our instruction set for this run")
    group.add_argument("--fast-math", action="store_true", help="time our fast_math too")
    group.add_argument("--threads", type=int, default=1, metavar="N")


def _add_effort(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("effort")
    group.add_argument("--sample", type=float, default=0.02, metavar="S", help="seconds a sample")
    group.add_argument("--rounds", type=int, default=9, metavar="N", help="most rounds a layer")
    group.add_argument(
        "--budget",
        type=float,
        default=6.0,
        metavar="S",
        help="seconds a layer after which no further round starts (three always run)",
    )


def _add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--every-candidate", action="store_true", help="a column a candidate")
    group.add_argument("--json", type=Path, metavar="FILE", help="keep everything")
    group.add_argument("--csv", type=Path, metavar="FILE", help="one line a measurement")
    group.add_argument("--plots", type=Path, metavar="FOLDER", help="ratio and roofline, SVG")
    group.add_argument("--plot-format", choices=("svg", "png"), default="svg")


def _list(args: argparse.Namespace) -> int:
    for layer in select(args.layers, args.match, args.tier):
        print(f"{layer.problem}\t{layer.tier}\t{layer.name}")
    return 0
