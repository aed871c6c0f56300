# SPDX-License-Identifier: MIT
"""A progress line for work that takes a person's patience."""

from __future__ import annotations

import sys
import time
from typing import TextIO

_SECONDS_BEFORE_SHOWING = 0.5


class Progress:
    """Show a percentage on a terminal; show nothing elsewhere, or when the work is short."""

    def __init__(self, label: str, total: int, stream: TextIO | None = None) -> None:
        self._label = label
        self._total = total
        self._stream = stream or sys.stderr
        self._show_after = time.monotonic() + _SECONDS_BEFORE_SHOWING
        self._shown = False

    def __enter__(self) -> Progress:
        return self

    def update(self, done: int) -> None:
        """Tell how much of the total is done."""
        if self._stream.isatty() and time.monotonic() >= self._show_after:
            self._stream.write(f"\r{self._label}: {100 * done // self._total:3} %")
            self._stream.flush()
            self._shown = True

    def __exit__(self, *exception: object) -> None:
        if self._shown:
            self._stream.write("\r" + " " * (len(self._label) + len(": 100 %")) + "\r")
            self._stream.flush()
