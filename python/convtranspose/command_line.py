# SPDX-License-Identifier: MIT
"""How the command line tells its user what to change: one line on stderr, exit code 2."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import NoReturn, TypeVar

EXIT_USER_ERROR = 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report it

_Enum = TypeVar("_Enum", bound=IntEnum)


class UserError(Exception):
    """Something only the user can put right; its text is all that is shown."""


class OneLineErrorParser(argparse.ArgumentParser):
    """A parser that does not bury its error under the usage of every option."""

    def error(self, message: str) -> NoReturn:
        """Print the message on one line and exit."""
        self.exit(EXIT_USER_ERROR, f"{self.prog}: error: {message} (--help lists the options)\n")


def exit_code(
    command: Callable[[argparse.Namespace], int | None], given: argparse.Namespace
) -> int:
    """Run a command and return its exit code, having told the user what went wrong."""
    try:
        return command(given) or 0
    except UserError as error:
        print(f"convtranspose: error: {error}", file=sys.stderr)
        return EXIT_USER_ERROR
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


@contextmanager
def reported(*expected: type[Exception], prefix: str = "") -> Iterator[None]:
    """Turn the expected exceptions of the enclosed block into a `UserError`."""
    try:
        yield
    except expected as error:
        # An OSError repeats the path, which the prefix has said already.
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        text = " ".join(reason.split()) or type(error).__name__
        raise UserError(prefix + text) from error


def enum_member(enumeration: type[_Enum]) -> Callable[[str], _Enum]:
    """Return an argparse type that reads a member by its name, in any case."""

    def parse(text: str) -> _Enum:
        try:
            return enumeration[text.upper().replace("-", "_")]
        except KeyError:
            names = ", ".join(member.name.lower() for member in enumeration)
            raise argparse.ArgumentTypeError(f"expected one of {names}, got {text!r}") from None

    return parse


def whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return an argparse type for the integers of a range."""

    def parse(text: str) -> int:
        number = int(text) if text.isdecimal() and len(text) < 20 else least - 1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(
                f"expected a whole number from {least} to {most}, got {text!r}"
            )
        return number

    return parse


def seconds(least: float, most: float) -> Callable[[str], float]:
    """Return an argparse type for durations of a range."""

    def parse(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(
                f"expected seconds from {least:g} to {most:g}, got {text!r}"
            )
        return number

    return parse


def new_file(text: str) -> Path:
    """Read the path of a file to write, whose folder must exist before hours of work begin."""
    path = Path(text)
    if not path.parent.is_dir() or path.is_dir():
        raise argparse.ArgumentTypeError(f"expected a file in an existing folder, got {text!r}")
    return path


def new_folder(text: str) -> Path:
    """Read the path of a folder that exists or can be made."""
    path = Path(text)
    if path.exists() and not path.is_dir():
        raise argparse.ArgumentTypeError(f"expected a folder, got {text!r}")
    return path
