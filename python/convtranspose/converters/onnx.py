# SPDX-License-Identifier: MIT
"""ONNX's ConvTranspose, from its attributes alone: no onnx is needed.

Its tensors are NCHW and its weights OIHW as they are: (source channels, result channels / group,
height, width). In one dimension the height is 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any

from .._core import Convolution2DOpDescriptor
from ..axes import Axis, with_axes
from ..typing import Shape
from .onnx_rules import attributes_of, axis_rules
from .shapes import sized_axes

#: The newest version of the operator.
OPSET = 22


def from_onnx(
    node: Any,
    *,
    source_shape: Shape | None = None,
    weights_shape: Shape | None = None,
    opset: int = OPSET,
) -> Convolution2DOpDescriptor:
    """Descriptor of an ONNX ConvTranspose node.

    Parameters
    ----------
    node : onnx.NodeProto or mapping
        The node, or its attributes by name.
    source_shape : sequence of int, optional
        The shape of its X: needed where it has an ``output_shape``.
    weights_shape : sequence of int, optional
        The shape of its W: needed where its padding is derived and it has no ``kernel_shape``.
    opset : int, default 22
        The operator set's version.

    Returns
    -------
    Convolution2DOpDescriptor
        With explicit padding; `onnx_output_shape` tells the shape.

    Raises
    ------
    ValueError, TypeError
        If the node is not a valid ConvTranspose in one or two dimensions.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> Convolution2DOpDescriptor.from_onnx(
    ...     {"strides": [2, 2], "auto_pad": "SAME_LOWER", "kernel_shape": [3, 3]})
    Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2, padding_left=1, padding_top=1)
    """
    return resolve("from_onnx", node, source_shape, weights_shape, opset)[0]


def onnx_output_shape(
    node: Any, source_shape: Shape, weights_shape: Shape, *, opset: int = OPSET
) -> tuple[int, ...]:
    """Shape of an ONNX ConvTranspose node's result, of the rank of its X.

    Examples
    --------
    >>> from convtranspose.converters import onnx_output_shape
    >>> onnx_output_shape({"strides": [2], "auto_pad": "SAME_UPPER"}, (1, 3, 10), (3, 4, 5))
    (1, 4, 20)
    """
    descriptor, sizes = resolve("onnx_output_shape", node, source_shape, weights_shape, opset)
    channels = int(weights_shape[1]) * descriptor.groups
    return int(source_shape[0]), channels, *(size for size in sizes if size is not None)


def to_onnx_attributes(
    descriptor: Convolution2DOpDescriptor,
    source_shape: Shape,
    weights_shape: Shape,
    output_shape: Shape,
) -> dict[str, Any]:
    """Attributes of the ONNX ConvTranspose node that computes the same in two dimensions.

    Raises
    ------
    ValueError
        If the output reaches further than ONNX's ``output_padding`` may, or shapes do not match.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> d = Convolution2DOpDescriptor(stride_in_x=2, padding_left=1)
    >>> d.to_onnx_attributes((1, 8, 1, 5), (8, 4, 1, 3), (1, 4, 1, 11))["output_padding"]
    [0, 1]
    """
    function = "to_onnx_attributes"
    sized = sized_axes(function, descriptor, source_shape, weights_shape, output_shape)
    trailing, extras = [], []
    for axis, source, output in sized:
        missing = axis.full(source) - axis.leading - output
        if -missing >= max(axis.stride, axis.dilation):
            raise ValueError(
                f"{function}: output_shape: expected at most "
                f"{output + missing + max(axis.stride, axis.dilation) - 1}, got {output}: ONNX's "
                f"output_padding must be less than stride {axis.stride} or dilation {axis.dilation}"
            )
        trailing.append(max(0, missing))
        extras.append(max(0, -missing))
    axes = [axis for axis, _, _ in sized]
    return {
        "dilations": [axis.dilation for axis in axes],
        "group": descriptor.groups,
        "kernel_shape": [axis.kernel for axis in axes],
        "output_padding": extras,
        "pads": [axis.leading for axis in axes] + trailing,
        "strides": [axis.stride for axis in axes],
    }


def resolve(
    function: str,
    node: Any,
    source_shape: Shape | None,
    weights_shape: Shape | None,
    opset: int,
) -> tuple[Convolution2DOpDescriptor, list[int | None]]:
    """Descriptor, and the size of the result along each axis where that of the source is known."""
    attributes = attributes_of(function, node)
    source, weights = _shape(source_shape), _shape(weights_shape)
    rank = _rank(function, attributes, source, weights)
    rules = axis_rules(function, attributes, rank, opset)
    kernel = _kernel(function, attributes, rank, weights, any(r.needs_kernel() for r in rules))
    sizes: list[int | None] = [None] * rank if source is None else list(source[2:])
    axes, outputs = zip(
        *(r.apply(function, k, s) for r, k, s in zip(rules, kernel, sizes, strict=True)),
        strict=True,
    )
    y, x = (Axis(1), axes[0]) if rank == 1 else axes
    groups = index(attributes.get("group", 1))
    return with_axes(Convolution2DOpDescriptor(groups=groups), y, x), list(outputs)


def _shape(shape: Shape | None) -> tuple[int, ...] | None:
    return None if shape is None else tuple(index(size) for size in shape)


def _rank(
    function: str,
    attributes: Mapping[str, Any],
    source: tuple[int, ...] | None,
    weights: tuple[int, ...] | None,
) -> int:
    """Number of spatial axes, by whatever tells it."""
    ranks = {len(shape) - 2 for shape in (source, weights) if shape is not None}
    for name in ("kernel_shape", "strides", "dilations", "output_padding"):
        if attributes.get(name) is not None:
            ranks.add(len(attributes[name]))
    if attributes.get("pads") is not None:
        ranks.add(len(attributes["pads"]) // 2)
    if len(ranks) > 1:
        raise ValueError(
            f"{function}: expected shapes and attributes for the same number of dimensions, got "
            f"{', '.join(map(str, sorted(ranks)))}"
        )
    rank = ranks.pop() if ranks else 2
    if rank not in (1, 2):
        raise ValueError(f"{function}: expected 1 or 2 dimensions beside N and C, got {rank}")
    return rank


def _kernel(
    function: str,
    attributes: Mapping[str, Any],
    rank: int,
    weights: tuple[int, ...] | None,
    needed: bool,
) -> tuple[int, ...]:
    stated = attributes.get("kernel_shape")
    given = None if stated is None else tuple(index(size) for size in stated)
    if weights is not None:
        if given not in (None, weights[2:]):
            raise ValueError(
                f"{function}: kernel_shape: expected {weights[2:]} as the weights have, got {given}"
            )
        given = weights[2:]
    if given is None:
        if needed:
            raise ValueError(
                f"{function}: weights_shape: expected one, as the padding depends on the kernel "
                "and the node has no kernel_shape, got None"
            )
        return (1,) * rank
    if min(given) < 1:
        raise ValueError(f"{function}: kernel_shape: expected at least 1, got {given}")
    return given
