# SPDX-License-Identifier: MIT
"""The fields of `Convolution2DOpDescriptor` as command line options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from .. import Convolution2DOpDescriptor, PaddingStyle, TensorNamedDataLayout
from ..command_line import enum_member

_INTEGER_FIELDS = {
    "stride_in_x": "stride along the width",
    "stride_in_y": "stride along the height",
    "dilation_rate_in_x": "dilation along the width",
    "dilation_rate_in_y": "dilation along the height",
    "groups": "number of channel groups",
    "padding_left": "zeros left of the forward source",
    "padding_right": "zeros right of it",
    "padding_top": "zeros above it",
    "padding_bottom": "zeros below it",
}
_LAYOUT_FIELDS = {"data_layout": ("NCHW", "NHWC"), "weights_layout": ("OIHW", "HWIO")}
_FIELDS = (*_INTEGER_FIELDS, "padding_style", *_LAYOUT_FIELDS)


class _StoreFields(argparse.Action):
    """Store the values of a short form under the names of the descriptor's fields."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        for field, value in zip(self.const, values, strict=True):
            setattr(namespace, field, value)


def add_descriptor_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for each field, and short forms for the pairs.

    Fields that are not given stay absent from the namespace, so that the defaults are the
    descriptor's own.
    """
    group = parser.add_argument_group(
        "descriptor", "X is the width, Y the height; defaults are the library's"
    )
    for field, text in _INTEGER_FIELDS.items():
        _add_field(group, field, type=int, metavar="N", help=text)
    _add_pair(group, "--stride", ("stride_in_y", "stride_in_x"), ("Y", "X"))
    _add_pair(group, "--dilation-rate", ("dilation_rate_in_y", "dilation_rate_in_x"), ("Y", "X"))
    sides = ("left", "right", "top", "bottom")
    _add_pair(group, "--padding", [f"padding_{side}" for side in sides], [s.upper() for s in sides])
    _add_field(
        group,
        "padding_style",
        type=enum_member(PaddingStyle),
        metavar="STYLE",
        help=", ".join(style.name.lower() for style in PaddingStyle),
    )
    for field, layouts in _LAYOUT_FIELDS.items():
        _add_field(group, field, type=str.upper, choices=layouts)


def descriptor_from(options: argparse.Namespace) -> Convolution2DOpDescriptor:
    """Return the descriptor that the options describe."""
    fields = {field: getattr(options, field) for field in _FIELDS if hasattr(options, field)}
    for field in _LAYOUT_FIELDS.keys() & fields.keys():
        fields[field] = TensorNamedDataLayout[fields[field]]
    return Convolution2DOpDescriptor(**fields)


def _add_field(group: Any, field: str, **arguments: Any) -> None:
    group.add_argument(f"--{field.replace('_', '-')}", default=argparse.SUPPRESS, **arguments)


def _add_pair(group: Any, option: str, fields: Sequence[str], names: Sequence[str]) -> None:
    group.add_argument(
        option,
        action=_StoreFields,
        const=fields,
        nargs=len(fields),
        type=int,
        metavar=tuple(names),
        default=argparse.SUPPRESS,
        help=f"sets {', '.join(fields)}",
    )
