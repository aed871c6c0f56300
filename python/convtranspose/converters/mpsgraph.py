# SPDX-License-Identifier: MIT
"""The lines of Swift or Objective-C that add an operation to an MPSGraph.

Labels and their order are those of Apple's documentation; a test holds them against it.
"""

from __future__ import annotations

from operator import index
from typing import Final, NamedTuple

from .._core import Convolution2DOpDescriptor, PaddingStyle
from ..typing import Shape


class _Operation(NamedTuple):
    swift: str  # the method's name; its first argument has no label
    objective_c: str  # the selector's first part
    # Operand that is called so here: its label in Swift, in Objective-C.
    second: tuple[str, str, str]
    has_output_shape: bool
    descriptor: str


_FORWARD: Final = "descriptor"
_GRADIENT: Final = "forwardConvolutionDescriptor"
_WEIGHTS: Final = ("weights", "weights", "weightsTensor")
_SOURCE: Final = ("source", "source", "sourceTensor")
# Swift's label for the source of this gradient is Apple's slip: it says weights.
_SOURCE_AS_WEIGHTS: Final = ("source", "weights", "sourceTensor")

OPERATIONS: Final = {
    "convolution_2d": _Operation(
        "convolution2D", "convolution2DWithSourceTensor", _WEIGHTS, False, _FORWARD
    ),
    "convolution_2d_data_gradient": _Operation(
        "convolution2DDataGradient",
        "convolution2DDataGradientWithIncomingGradientTensor",
        _WEIGHTS,
        True,
        _GRADIENT,
    ),
    "convolution_2d_weights_gradient": _Operation(
        "convolution2DWeightsGradient",
        "convolution2DWeightsGradientWithIncomingGradientTensor",
        _SOURCE,
        True,
        _GRADIENT,
    ),
    "convolution_transpose_2d": _Operation(
        "convolutionTranspose2D",
        "convolutionTranspose2DWithSourceTensor",
        _WEIGHTS,
        True,
        _FORWARD,
    ),
    "convolution_transpose_2d_data_gradient": _Operation(
        "convolutionTranspose2DDataGradient",
        "convolutionTranspose2DDataGradientWithIncomingGradientTensor",
        _WEIGHTS,
        True,
        _GRADIENT,
    ),
    "convolution_transpose_2d_weights_gradient": _Operation(
        "convolutionTranspose2DWeightsGradient",
        "convolutionTranspose2DWeightsGradientWithIncomingGradientTensor",
        _SOURCE_AS_WEIGHTS,
        True,
        _GRADIENT,
    ),
}

_STYLES: Final = {
    PaddingStyle.EXPLICIT: ("explicit", "Explicit"),
    PaddingStyle.TF_VALID: ("TF_VALID", "TF_VALID"),
    PaddingStyle.TF_SAME: ("TF_SAME", "TF_SAME"),
    PaddingStyle.EXPLICIT_OFFSET: ("explicitOffset", "ExplicitOffset"),
    PaddingStyle.ONNX_SAME_LOWER: ("ONNX_SAME_LOWER", "ONNX_SAME_LOWER"),
}
_CLASS: Final = "MPSGraphConvolution2DOpDescriptor"


def to_swift(
    descriptor: Convolution2DOpDescriptor,
    output_shape: Shape | None = None,
    *,
    operation: str = "convolution_transpose_2d",
    name: str | None = None,
) -> str:
    """Swift code that adds the operation to an ``MPSGraph``.

    Parameters
    ----------
    descriptor : Convolution2DOpDescriptor
    output_shape : sequence of 4 int, optional
        As the operation takes it; only ``convolution_2d`` has none.
    operation : str, default "convolution_transpose_2d"
        Name of one of the six operations here.
    name : str, optional
        The operation's name in the graph.

    Returns
    -------
    str
        Statements that use ``graph`` and tensors called as the operands are here: ``source``,
        ``weights``, ``incomingGradient``; and define ``descriptor`` and ``result``.

    Raises
    ------
    ValueError
        If `operation` is unknown, or `output_shape` is missing or has not 4 sizes.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor
    >>> d = Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2)
    >>> print(d.to_swift((1, 3, 8, 8), name="up"))
    let descriptor = MPSGraphConvolution2DOpDescriptor(
        strideInX: 2,
        strideInY: 2,
        dilationRateInX: 1,
        dilationRateInY: 1,
        groups: 1,
        paddingLeft: 0,
        paddingRight: 0,
        paddingTop: 0,
        paddingBottom: 0,
        paddingStyle: .explicit,
        dataLayout: .NCHW,
        weightsLayout: .OIHW)!
    let result = graph.convolutionTranspose2D(
        source,
        weights: weights,
        outputShape: [1, 3, 8, 8],
        descriptor: descriptor,
        name: "up")
    """
    op, shape = _checked("to_swift", operation, output_shape)
    arguments = [f"{label}: {value}" for label, value in _numbers(descriptor)]
    arguments += [
        f"paddingStyle: .{_STYLES[descriptor.padding_style][0]}",
        f"dataLayout: .{descriptor.data_layout.name}",
        f"weightsLayout: .{descriptor.weights_layout.name}",
    ]
    operand, label, _ = op.second
    call = [_first(operation), f"{label}: {operand}"]
    if shape is not None:
        call.append(f"outputShape: [{', '.join(map(str, shape))}]")
    call += [
        f"{op.descriptor}: descriptor",
        f"name: {'nil' if name is None else _quoted(name)}",
    ]
    separator = ",\n    "
    # The initializer is failable, like the method of Objective-C that it stands for.
    return (
        f"let descriptor = {_CLASS}(\n    {separator.join(arguments)})!\n"
        f"let result = graph.{op.swift}(\n    {separator.join(call)})"
    )


def to_objc(
    descriptor: Convolution2DOpDescriptor,
    output_shape: Shape | None = None,
    *,
    operation: str = "convolution_transpose_2d",
    name: str | None = None,
) -> str:
    """Objective-C code that adds the operation to an ``MPSGraph``; parameters of `to_swift`.

    Examples
    --------
    >>> from convtranspose import Convolution2DOpDescriptor, PaddingStyle
    >>> d = Convolution2DOpDescriptor(stride_in_x=2, padding_style=PaddingStyle.TF_SAME)
    >>> print(d.to_objc((1, 3, 4, 8)).partition("MPSGraphTensor *result")[2])
     = [graph
        convolutionTranspose2DWithSourceTensor:source
        weightsTensor:weights
        outputShape:@[@1, @3, @4, @8]
        descriptor:descriptor
        name:nil];
    """
    op, shape = _checked("to_objc", operation, output_shape)
    numbers = _numbers(descriptor)
    # The first label joins the method's name.
    arguments = [f"descriptorWithStrideInX:{numbers[0][1]}"]
    arguments += [f"{label}:{value}" for label, value in numbers[1:]]
    arguments += [
        f"paddingStyle:MPSGraphPaddingStyle{_STYLES[descriptor.padding_style][1]}",
        f"dataLayout:MPSGraphTensorNamedDataLayout{descriptor.data_layout.name}",
        f"weightsLayout:MPSGraphTensorNamedDataLayout{descriptor.weights_layout.name}",
    ]
    operand, _, label = op.second
    call = [f"{op.objective_c}:{_first(operation)}", f"{label}:{operand}"]
    if shape is not None:
        call.append(f"outputShape:@[{', '.join(f'@{size}' for size in shape)}]")
    call += [
        f"{op.descriptor}:descriptor",
        f"name:{'nil' if name is None else '@' + _quoted(name)}",
    ]
    separator = "\n    "
    return (
        f"{_CLASS} *descriptor = [{_CLASS}\n    {separator.join(arguments)}];\n"
        f"MPSGraphTensor *result = [graph\n    {separator.join(call)}];"
    )


def _checked(
    function: str, operation: str, output_shape: Shape | None
) -> tuple[_Operation, tuple[int, ...] | None]:
    if operation not in OPERATIONS:
        raise ValueError(
            f"{function}: operation: expected one of {', '.join(OPERATIONS)}, got {operation!r}"
        )
    op = OPERATIONS[operation]
    shape = None if output_shape is None else tuple(index(size) for size in output_shape)
    if op.has_output_shape != (shape is not None) or (shape is not None and len(shape) != 4):
        expected = "4 sizes" if op.has_output_shape else f"none for {operation}"
        raise ValueError(f"{function}: output_shape: expected {expected}, got {output_shape}")
    return op, shape


def _first(operation: str) -> str:
    return "incomingGradient" if operation.endswith("gradient") else "source"


def _numbers(d: Convolution2DOpDescriptor) -> list[tuple[str, int]]:
    return [
        ("strideInX", d.stride_in_x),
        ("strideInY", d.stride_in_y),
        ("dilationRateInX", d.dilation_rate_in_x),
        ("dilationRateInY", d.dilation_rate_in_y),
        ("groups", d.groups),
        ("paddingLeft", d.padding_left),
        ("paddingRight", d.padding_right),
        ("paddingTop", d.padding_top),
        ("paddingBottom", d.padding_bottom),
    ]


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
