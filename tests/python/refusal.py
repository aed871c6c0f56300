# SPDX-License-Identifier: MIT
"""What every refusal looks like: which argument, what was expected, what came."""

from __future__ import annotations

import re
from contextlib import contextmanager

import pytest


@contextmanager
def refused(argument: str, *parts: str, kind=(ValueError, TypeError), by: str = r"\w[\w .]*"):
    """The block raises ``<operation>: <argument>: expected ..., got ...`` naming every part."""
    with pytest.raises(kind) as raised:
        yield
    message = str(raised.value)
    form = rf"(?:{by}): (?:{argument}): expected .+, got .+"
    assert re.fullmatch(form, message, re.DOTALL), f"not of the form {form!r}: {message}"
    for part in parts:
        assert part in message, f"{part!r} is not in: {message}"
