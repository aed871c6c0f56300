# SPDX-License-Identifier: MIT
"""One transposed convolution as a value, and the one-line string that names it.

``n16_c512x4x4_o256x8x8_k4x4_s2x2_p1,1,1,1`` reads: batch 16; source 512 channels of 4 x 4; result
256 channels of 8 x 8; kernel 4 x 4; stride 2 x 2; padding left, right, top, bottom. ``_d2x2`` is
the dilation rate, ``_g4`` the groups. Pairs are height x width; one number stands for equal ones
(``k4``, ``p1``). The operation's gradients carry the same string.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

_FIELDS = {
    "n": r"\d+",
    "c": r"\d+x\d+x\d+",
    "o": r"\d+x\d+x\d+",
    "k": r"\d+(?:x\d+)?",
    "s": r"\d+(?:x\d+)?",
    "p": r"\d+(?:,\d+,\d+,\d+)?",
    "d": r"\d+(?:x\d+)?",
    "g": r"\d+",
}
_REQUIRED = ("c", "o", "k")


@dataclass(frozen=True)
class Problem:
    """Shapes in NCHW order, pairs as (y, x), padding as (left, right, top, bottom)."""

    source_shape: tuple[int, int, int, int]
    output_shape: tuple[int, int, int, int]
    kernel: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilation: tuple[int, int] = (1, 1)
    groups: int = 1

    def __post_init__(self) -> None:
        for what, numbers in (
            ("source extents", self.source_shape),
            ("result extents", self.output_shape),
            ("kernel", self.kernel),
            ("stride", self.stride),
            ("dilation", self.dilation),
            ("groups", (self.groups,)),
        ):
            if min(numbers) < 1:
                raise ValueError(f"problem {self}: {what}: expected at least 1, got {min(numbers)}")
        for what, channels in (("source", self.source_shape[1]), ("result", self.output_shape[1])):
            if channels % self.groups:
                raise ValueError(
                    f"problem {self}: {what} channels: expected a multiple of groups="
                    f"{self.groups}, got {channels}"
                )
        for axis, name in enumerate("yx"):
            smallest = self._smallest_padded_extent(axis)
            extent = self.output_shape[2 + axis] + sum(self.pads(axis))
            if not smallest <= extent < smallest + self.stride[axis]:
                raise ValueError(
                    f"problem {self}: result extent in {name} plus padding: expected "
                    f"{smallest}..{smallest + self.stride[axis] - 1}, got {extent}"
                )

    def __str__(self) -> str:
        batch, *source = self.source_shape
        parts = [f"n{batch}", "c" + _joined(source), "o" + _joined(self.output_shape[1:])]
        parts += ["k" + _joined(self.kernel), "s" + _joined(self.stride)]
        parts.append("p" + ",".join(map(str, self.padding)))
        if self.dilation != (1, 1):
            parts.append("d" + _joined(self.dilation))
        if self.groups != 1:
            parts.append(f"g{self.groups}")
        return "_".join(parts)

    @property
    def weights_shape(self) -> tuple[int, int, int, int]:
        """OIHW as MPSGraph counts it: O is the source's channels, I the result's per group."""
        return (self.source_shape[1], self.output_shape[1] // self.groups, *self.kernel)

    @property
    def flops(self) -> int:
        """Two per tap of the plain direct sum, border taps included: the same for all three ops."""
        batch, _, height, width = self.source_shape
        return 2 * batch * height * width * math.prod(self.weights_shape)

    @property
    def elements(self) -> int:
        """Elements of source, weights and result: what any of the ops must at least move once."""
        shapes = (self.source_shape, self.weights_shape, self.output_shape)
        return sum(math.prod(shape) for shape in shapes)

    def pads(self, axis: int) -> tuple[int, int]:
        """Leading and trailing padding of axis 0 (y) or 1 (x)."""
        left, right, top, bottom = self.padding
        return (top, bottom) if axis == 0 else (left, right)

    def slack(self, axis: int) -> int:
        """Trailing result elements beyond the last tap (output padding elsewhere), below stride."""
        extent = self.output_shape[2 + axis] + sum(self.pads(axis))
        return extent - self._smallest_padded_extent(axis)

    def _smallest_padded_extent(self, axis: int) -> int:
        reach = (self.kernel[axis] - 1) * self.dilation[axis] + 1
        return (self.source_shape[2 + axis] - 1) * self.stride[axis] + reach

    @classmethod
    def parse(cls, text: str) -> Problem:
        """Read a problem string; the order is free, fields with a default may be absent."""
        found: dict[str, str] = {}
        for field in text.strip().split("_"):
            key, value = field[:1], field[1:]
            if key not in _FIELDS or not re.fullmatch(_FIELDS[key], value):
                raise ValueError(
                    f"problem {text!r}: field: expected those of "
                    f"n1_c8x4x4_o8x8x8_k4x4_s2x2_p1,1,1,1_d1x1_g1, got {field!r}"
                )
            if key in found:
                raise ValueError(f"problem {text!r}: field {key}: expected once, got it twice")
            found[key] = value
        if missing := [key for key in _REQUIRED if key not in found]:
            raise ValueError(f"problem {text!r}: fields: expected c, o and k, got no {missing[0]}")
        batch = int(found.get("n", "1"))
        padding = [int(side) for side in found.get("p", "0").split(",")] * 4
        return cls(
            source_shape=(batch, *_triple(found["c"])),
            output_shape=(batch, *_triple(found["o"])),
            kernel=_pair(found["k"]),
            stride=_pair(found.get("s", "1")),
            padding=(padding[0], padding[1], padding[2], padding[3]),
            dilation=_pair(found.get("d", "1")),
            groups=int(found.get("g", "1")),
        )


def _joined(numbers: Iterable[int]) -> str:
    return "x".join(str(number) for number in numbers)


def _pair(text: str) -> tuple[int, int]:
    numbers = [int(number) for number in text.split("x")] * 2
    return numbers[0], numbers[1]


def _triple(text: str) -> tuple[int, int, int]:
    channels, height, width = (int(number) for number in text.split("x"))
    return channels, height, width
