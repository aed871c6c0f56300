# SPDX-License-Identifier: MIT
"""How the command line tells its user what to change: one line on stderr, exit code 2."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

EXIT_USER_ERROR = 2
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


class UserError(Exception):
    """Something only the user can put right; its text is all that is shown."""


class OneLineErrorParser(argparse.ArgumentParser):
    """A parser that does not bury its error under the usage of every option."""

    def error(self, message: str) -> NoReturn:
        """Print the message on one line and exit."""
        self.exit(EXIT_USER_ERROR, f"{self.prog}: error: {message} (--help lists the options)\n")


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
