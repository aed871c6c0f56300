# SPDX-License-Identifier: MIT
"""Reading the arguments that frameworks take: one number for both axes, or one for each."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any, SupportsIndex, TypeAlias

Sizes: TypeAlias = SupportsIndex | Sequence[SupportsIndex]


def pair(function: str, name: str, value: Any, least: int) -> tuple[int, int]:
    """Height and width out of one number or two, each at least `least`."""
    try:
        numbers = tuple(index(number) for number in value)
    except TypeError:
        try:
            numbers = (index(value),) * 2
        except TypeError:
            raise TypeError(
                f"{function}: {name}: expected an integer or two, got {value!r}"
            ) from None
    if len(numbers) != 2 or min(numbers) < least:
        raise ValueError(
            f"{function}: {name}: expected one or two integers of at least {least}, got {value!r}"
        )
    return numbers[0], numbers[1]


def layer_or_keywords(
    function: str, layer: object | None, names: Sequence[str], keywords: dict[str, Any]
) -> dict[str, Any]:
    """`names` from the attributes of a layer, or from keywords (None: not given), not from both."""
    given = {name: value for name, value in keywords.items() if value is not None}
    if layer is None:
        return given
    if given:
        raise TypeError(
            f"{function}: expected a layer or keywords, got both: {type(layer).__name__} and "
            f"{', '.join(given)}"
        )
    missing = [name for name in names if not hasattr(layer, name)]
    if missing:
        raise TypeError(
            f"{function}: layer: expected attributes {', '.join(names)}, got a "
            f"{type(layer).__name__} without {', '.join(missing)}"
        )
    return {name: getattr(layer, name) for name in names if getattr(layer, name) is not None}
