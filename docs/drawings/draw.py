# SPDX-License-Identifier: MIT
"""Draw the pictures of the concepts page: ``python docs/drawings/draw.py``.

They come out of the formulas alone; the tests hold the files against this script.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
CELL, GAP, ROW = 30, 6, 74  # pixels: a cell, the space between two, from source to result
LEFT, TITLE, FOOT = 76, 34, 14
# Okabe and Ito's colours, which colour-blind readers can tell apart.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00")


@dataclass(frozen=True)
class Axis:
    """One axis of a transposed convolution: lengths, stride, dilation and leading padding."""

    title: str
    source: int
    result: int
    kernel: int = 3
    stride: int = 1
    dilation: int = 1
    leading: int = 0

    def position(self, element: int, tap: int) -> int:
        """Where in the result a tap puts a source element; outside it is dropped."""
        return element * self.stride - self.leading + tap * self.dilation

    def reached(self) -> list[int]:
        """All positions that taps reach, also those outside."""
        return [self.position(y, t) for y in range(self.source) for t in range(self.kernel)]


def text(x: float, y: float, words: str, fill: str = "#333", anchor: str = "middle") -> str:
    """A word or more on the line `y`."""
    return f'<text x="{x:g}" y="{y:g}" fill="{fill}" text-anchor="{anchor}">{words}</text>'


def box(x: float, y: float, fill: str, label: str, *, dropped: bool = False) -> str:
    """A labelled cell; what is dropped has a dashed border."""
    dashes = ' stroke-dasharray="3 3"' if dropped else ""
    ink = "#999" if dropped else "#333" if fill in ("#fff", "#eee") else "#fff"
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{CELL}" height="{CELL}" rx="3" fill="{fill}" '
        f'stroke="#999"{dashes}/>' + text(x + CELL / 2, y + CELL / 2 + 5, label, ink)
    )


def panel(axis: Axis, top: float, first: int) -> list[str]:
    """Source above, result below, a line for every tap; column 0 is the result's position `first`."""

    def x(position: int) -> float:
        return LEFT + (position - first) * (CELL + GAP)

    above, below = top + TITLE, top + TITLE + ROW
    reached = axis.reached()
    parts = [text(12, top + 18, f"<tspan font-weight='bold'>{axis.title}</tspan>", anchor="start")]
    parts += [
        text(12, y + 20, word, anchor="start") for y, word in ((above, "source"), (below, "result"))
    ]
    for element in range(axis.source):
        colour = COLOURS[element % len(COLOURS)]
        # A source element stands above its first tap, so that strides and dilation can be seen.
        start = x(axis.position(element, 0)) + CELL / 2
        for tap in range(axis.kernel):
            end = x(axis.position(element, tap)) + CELL / 2
            inside = 0 <= axis.position(element, tap) < axis.result
            style = "" if inside else ' stroke-dasharray="3 3" opacity="0.5"'
            parts.append(
                f'<line x1="{start:g}" y1="{above + CELL}" x2="{end:g}" y2="{below}" '
                f'stroke="{colour}" stroke-width="2"{style}/>'
            )
        parts.append(box(start - CELL / 2, above, colour, str(element)))
    for position in sorted({*range(axis.result), *reached}):
        inside = 0 <= position < axis.result
        if inside:
            fill = "#eee" if position in reached else "#fff"
            parts.append(box(x(position), below, fill, str(position)))
        else:
            parts.append(box(x(position), below, "#fff", "", dropped=True))
    return parts


def picture(width: float, height: float, parts: list[str]) -> str:
    """A whole SVG file."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif" font-size="14">'
    )
    licence = "<!-- SPDX-License-Identifier: MIT; drawn by draw.py -->"
    paper = f'<rect width="{width:g}" height="{height:g}" rx="6" fill="#fff"/>'
    return "\n".join([head, licence, paper, *parts, "</svg>\n"])


def panels(*axes: Axis) -> str:
    """Axes one below the other, on one scale."""
    first = min(min(axis.reached()) for axis in axes)
    last = max(max(*axis.reached(), axis.result - 1) for axis in axes)
    pitch = TITLE + ROW + CELL + FOOT
    parts = [part for i, axis in enumerate(axes) for part in panel(axis, i * pitch, min(first, 0))]
    width = max(LEFT + (last - min(first, 0) + 1) * (CELL + GAP) + 8, 470)
    return picture(width, pitch * len(axes), parts)


def sizes(kernel: int, stride: int, dilation: int, padding: int, sources: int) -> str:
    """Result lengths that go with each source length: a row a source, a column a result."""
    extent = (kernel - 1) * dilation + 1
    lengths = range(1, (sources - 1) * stride + extent + stride - 1 - padding + 1)
    parts = [
        text(12, 22, "result's length", anchor="start"),
        text(12, 44, "source", anchor="start"),
    ]
    parts += [text(LEFT + i * (CELL + GAP) + CELL / 2, 44, str(n)) for i, n in enumerate(lengths)]
    for row, source in enumerate(range(1, sources + 1)):
        y = 54 + row * (CELL + GAP)
        parts.append(text(30, y + 20, str(source)))
        smallest = (source - 1) * stride + extent - padding
        for i, length in enumerate(lengths):
            fits = smallest <= length < smallest + stride
            colour = COLOURS[row % len(COLOURS)] if fits else "#fff"
            label = str(length - smallest) if fits else ""
            parts.append(box(LEFT + i * (CELL + GAP), y, colour, label, dropped=not fits))
    width = LEFT + len(lengths) * (CELL + GAP) + 8
    return picture(width, 54 + sources * (CELL + GAP) + 8, parts)


def drawings() -> dict[str, str]:
    """Every file's name and content."""
    same = {"source": 3, "result": 6, "stride": 2}
    return {
        "stride.svg": panels(
            Axis("stride 1", source=3, result=5),
            Axis("stride 2", source=3, result=7, stride=2),
            Axis("stride 4: no tap reaches elements 3 and 7", source=3, result=11, stride=4),
        ),
        "dilation.svg": panels(
            Axis("dilation 1", source=2, result=4),
            Axis("dilation 2", source=2, result=6, dilation=2),
            Axis("stride 2, dilation 2: only even elements are reached", 2, 7, 3, 2, 2),
        ),
        "padding.svg": panels(
            Axis("no padding", source=3, result=7, stride=2),
            Axis("leading padding 1, trailing padding 1", 3, 5, stride=2, leading=1),
            Axis("leading padding 2, trailing padding 0", 3, 5, stride=2, leading=2),
        ),
        "output_shape.svg": panels(
            Axis("padding 1, output_shape 5: the smallest", 3, 5, stride=2, leading=1),
            Axis("padding 1, output_shape 6: the largest", 3, 6, stride=2, leading=1),
        ),
        "same.svg": panels(
            Axis("TF_SAME: T = 1 is dropped at the end", **same),
            Axis("ONNX_SAME_LOWER: T = 1 is dropped at the start", **same, leading=1),
        ),
        "sizes.svg": sizes(kernel=3, stride=3, dilation=1, padding=2, sources=4),
    }


def main() -> None:
    """Write the files beside this one."""
    for name, content in drawings().items():
        (HERE / name).write_text(content, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
