# SPDX-License-Identifier: MIT
"""A progress line for work that takes a person's patience."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

_SECONDS_BEFORE_SHOWING = 0.5


@contextmanager
def progress(
    label: str, total: int, stream: TextIO | None = None
) -> Iterator[Callable[[int], None]]:
    """Show a percentage on a terminal; show nothing elsewhere, or when the work is short.

    The value of the context is called with how much of the total is done; the line disappears
    with the context.
    """
    output = stream or sys.stderr
    show_after = time.monotonic() + _SECONDS_BEFORE_SHOWING
    shown = ""

    def update(done: int) -> None:
        nonlocal shown
        if output.isatty() and time.monotonic() >= show_after:
            shown = f"{label}: {100 * done // total:3} %"
            output.write(f"\r{shown}")
            output.flush()

    try:
        yield update
    finally:
        if shown:
            output.write(f"\r{' ' * len(shown)}\r")
            output.flush()
