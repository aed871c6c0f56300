# SPDX-License-Identifier: MIT
"""The rules of ONNX's ConvTranspose, along one axis and by operator set version.

The operator's text contradicts itself in three places. What is taken here, and why:

* Which end gets the odd element of derived padding: the attribute ``auto_pad`` says the end for
  SAME_UPPER and the start for SAME_LOWER, the equations say the reverse. ONNX Runtime and the
  reference evaluator follow the attribute's words, and put the odd one at the start where there is
  no ``auto_pad``.
* SAME in version 1: "match the input", copied from Conv. Every runtime reads it as later versions
  say, input times stride.
* Padding that would be negative (an output beyond all taps): the reference evaluator shifts the
  output by it, ONNX Runtime shortens the output. Pads are documented as at least 0, and
  ``output_padding`` as elements at the end; so here the shape is as asked and the rest is at the
  end, which is also what the operator's own test of ``output_shape`` expects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import index
from typing import Any

from ..axes import Axis

ATTRIBUTES = (
    "auto_pad",
    "dilations",
    "group",
    "kernel_shape",
    "output_padding",
    "output_shape",
    "pads",
    "strides",
)
_AUTO_PADS = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
# AttributeProto.AttributeType: what its value is called there.
_VALUE_FIELDS = {2: "i", 3: "s", 7: "ints"}


@dataclass(frozen=True)
class AxisRule:
    """What a node says along one axis."""

    stride: int
    dilation: int
    pads: tuple[int, int]
    output_padding: int
    output_size: int | None
    auto_pad: str
    opset: int

    def needs_kernel(self) -> bool:
        """Whether the padding depends on the kernel."""
        return self.output_size is not None or self.auto_pad.startswith("SAME")

    def apply(self, function: str, kernel: int, source: int | None) -> tuple[Axis, int | None]:
        """The axis with its padding, and the output's size if the source's is given."""
        axis = Axis(kernel, self.stride, self.dilation)
        most = max(self.stride, self.dilation) - 1
        if self.opset >= 11 and self.output_padding > most:
            raise ValueError(
                f"{function}: output_padding: expected less than stride {self.stride} or dilation "
                f"{self.dilation}, got {self.output_padding}"
            )
        if self.output_size is not None:
            if source is None:
                raise ValueError(
                    f"{function}: source_shape: expected one, as output_shape makes the padding "
                    "depend on it, got None"
                )
            largest = axis.full(source) + most
            if not 0 <= self.output_size <= largest:
                raise ValueError(
                    f"{function}: output_shape: expected from 0 to {largest} for source size "
                    f"{source}, kernel {kernel}, stride {self.stride} and dilation "
                    f"{self.dilation}, got {self.output_size}"
                )
            total = axis.full(source) + self.output_padding - self.output_size
            return self._split(axis, total), self.output_size
        if self.auto_pad.startswith("SAME"):
            total = axis.extent - self.stride + self.output_padding
            size = None if source is None else source * self.stride
            return self._split(axis, total), size
        axis = Axis(kernel, self.stride, self.dilation, *self.pads)
        if source is None:
            return axis, None
        size = axis.smallest(source) + self.output_padding
        if size < 0:
            raise ValueError(
                f"{function}: pads: expected at most {axis.full(source) + self.output_padding} in "
                f"all, got {self.pads[0]} + {self.pads[1]}"
            )
        return axis, size

    def _split(self, axis: Axis, total: int) -> Axis:
        half = max(0, total) // 2
        rest = max(0, total) - half
        leading, trailing = (half, rest) if self.auto_pad == "SAME_UPPER" else (rest, half)
        return Axis(axis.kernel, axis.stride, axis.dilation, leading, trailing)


def attributes_of(function: str, node: Any) -> dict[str, Any]:
    """Attributes of a NodeProto, or of a mapping, without those that are None."""
    if isinstance(node, Mapping):
        found = {name: value for name, value in node.items() if value is not None}
    elif getattr(node, "op_type", None) == "ConvTranspose":
        found = {}
        for attribute in node.attribute:
            if attribute.ref_attr_name or attribute.type not in _VALUE_FIELDS:
                raise ValueError(
                    f"{function}: {attribute.name}: expected an integer, integers or a string, got "
                    f"{attribute.ref_attr_name or f'type {attribute.type}'}"
                )
            found[attribute.name] = getattr(attribute, _VALUE_FIELDS[attribute.type])
    else:
        raise TypeError(
            f"{function}: node: expected a ConvTranspose node or a mapping of its attributes, got "
            f"{getattr(node, 'op_type', type(node).__name__)}"
        )
    unknown = sorted(set(found) - set(ATTRIBUTES))
    if unknown:
        raise ValueError(
            f"{function}: expected attributes out of {', '.join(ATTRIBUTES)}, got "
            f"{', '.join(unknown)}"
        )
    return found


def axis_rules(
    function: str, attributes: Mapping[str, Any], rank: int, opset: int
) -> list[AxisRule]:
    """The node's rules for its `rank` spatial axes."""

    def numbers(name: str, count: int, default: int, least: int) -> Sequence[int]:
        value = attributes.get(name)
        found = (default,) * count if value is None else tuple(index(number) for number in value)
        if len(found) != count or min(found) < least:
            raise ValueError(
                f"{function}: {name}: expected {count} integers of at least {least}, got {found}"
            )
        return found

    auto_pad = attributes.get("auto_pad", "NOTSET")
    auto_pad = auto_pad.decode() if isinstance(auto_pad, bytes) else auto_pad
    if auto_pad not in _AUTO_PADS:
        raise ValueError(
            f"{function}: auto_pad: expected one of {', '.join(_AUTO_PADS)}, got {auto_pad!r}"
        )
    if auto_pad != "NOTSET" and "pads" in attributes:
        raise ValueError(
            f"{function}: pads: expected none beside auto_pad {auto_pad}, got "
            f"{tuple(attributes['pads'])}"
        )
    strides = numbers("strides", rank, 1, 1)
    dilations = numbers("dilations", rank, 1, 1)
    pads = numbers("pads", 2 * rank, 0, 0)
    extras = numbers("output_padding", rank, 0, 0)
    sizes: Sequence[int | None] = (None,) * rank
    if attributes.get("output_shape") is not None:
        # Version 1 does not say whether batch and channels belong to it, and models have both.
        given = tuple(attributes["output_shape"])
        batch_and_channels = 2 if opset < 11 and len(given) == rank + 2 else 0
        sizes = numbers("output_shape", rank + batch_and_channels, 0, 0)[batch_and_channels:]
    return [
        AxisRule(
            strides[axis],
            dilations[axis],
            (pads[axis], pads[axis + rank]),
            extras[axis],
            sizes[axis],
            auto_pad,
            opset,
        )
        for axis in range(rank)
    ]
