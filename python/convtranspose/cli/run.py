# SPDX-License-Identifier: MIT
"""``convtranspose run``: one operation on ``.npy`` files."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import convtranspose

from ..command_line import enum_member, reported
from ..typing import FastMath
from .descriptor_options import add_descriptor_options, descriptor_from

# Operation -> its two operands, in MPSGraph's order.
_OPERANDS = {
    "convolution_transpose_2d": ("source", "weights"),
    "convolution_transpose_2d_data_gradient": ("incoming_gradient", "weights"),
    "convolution_transpose_2d_weights_gradient": ("incoming_gradient", "source"),
    "convolution_2d": ("source", "weights"),
    "convolution_2d_data_gradient": ("incoming_gradient", "weights"),
    "convolution_2d_weights_gradient": ("incoming_gradient", "source"),
}

_FAST_MATH: dict[str | None, FastMath] = {"off": False, "on": True, "aggressive": "aggressive"}


def add_parser(subcommands: Any) -> None:
    """Register the subcommand and, below it, the six operations."""
    parser: argparse.ArgumentParser = subcommands.add_parser(
        "run", help="run one operation on .npy files"
    )
    operations = parser.add_subparsers(required=True, metavar="OPERATION", dest="operation")
    for operation, operands in _OPERANDS.items():
        _add_operation(operations.add_parser(operation, help=" ".join(operands)), operation)


def _add_operation(parser: argparse.ArgumentParser, operation: str) -> None:
    for operand in _OPERANDS[operation]:
        parser.add_argument(operand, type=Path, metavar=f"{operand.upper()}.npy")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="RESULT.npy", help="file to write"
    )
    if operation != "convolution_2d":
        smallest_is_default = operation == "convolution_transpose_2d"
        parser.add_argument(
            "--output-shape",
            type=int,
            nargs=4,
            metavar=("D0", "D1", "D2", "D3"),
            required=not smallest_is_default,
            help="shape of the result, in the order of its layout"
            + (" (default: the smallest consistent one)" if smallest_is_default else ""),
        )
    add_descriptor_options(parser)
    execution = parser.add_argument_group("execution")
    execution.add_argument(
        "--no-strict",
        dest="strict",
        action="store_false",
        help="crop or zero-fill an inconsistent output shape at its trailing end",
    )
    execution.add_argument("--threads", type=int, metavar="N", help="threads of this call")
    execution.add_argument(
        "--algorithm",
        type=enum_member(convtranspose.Algorithm),
        default=convtranspose.Algorithm.AUTO,
        metavar="NAME",
        help=", ".join(member.name.lower() for member in convtranspose.Algorithm),
    )
    execution.add_argument(
        "--fast-math",
        choices=_FAST_MATH,
        help="whether Winograd's algorithms are allowed (default: CONVTRANSPOSE_FAST_MATH, or off)",
    )
    parser.set_defaults(command=_run)


def _run(options: argparse.Namespace) -> None:
    first, second = (_open(getattr(options, name)) for name in _OPERANDS[options.operation])
    with reported(ValueError, TypeError, OverflowError, MemoryError):
        descriptor = descriptor_from(options)
        operands: list[Any] = [first, second]
        if options.operation != "convolution_2d":
            operands.append(
                options.output_shape
                or convtranspose.output_shape_range(first.shape, second.shape, descriptor)[0]
            )
        result = getattr(convtranspose, options.operation)(
            *operands,
            descriptor,
            strict=options.strict,
            threads=options.threads,
            algorithm=options.algorithm,
            fast_math=_FAST_MATH.get(options.fast_math),
        )
    _save(options.output, result)
    print(f"{options.output}: {result.dtype} {' x '.join(map(str, result.shape))}")


def _open(path: Path) -> NDArray[Any]:
    """Map a file into memory, so that only what the operation reads is ever loaded."""
    with reported(OSError, ValueError, prefix=f"{path}: "):
        return np.lib.format.open_memmap(path, mode="r")


def _save(path: Path, result: NDArray[Any]) -> None:
    # np.save would append ".npy" to a path without it and so write another file than asked.
    with reported(OSError, prefix=f"{path}: "), path.open("wb") as file:
        np.save(file, result)
