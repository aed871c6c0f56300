# SPDX-License-Identifier: MIT
from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NoReturn, SupportsIndex, final

import numpy as np
import numpy.typing as npt

from .converters.arguments import Sizes
from .converters.torch import TorchArguments
from .typing import Activation, Array, ArrayLike, FastMath, Shape

__version__: str

class PaddingStyle(IntEnum):
    EXPLICIT = 0
    TF_VALID = 1
    TF_SAME = 2
    EXPLICIT_OFFSET = 3
    ONNX_SAME_LOWER = 4

class TensorNamedDataLayout(IntEnum):
    NCHW = 0
    NHWC = 1
    OIHW = 2
    HWIO = 3
    CHW = 4
    HWC = 5
    HW = 6
    NCDHW = 7
    NDHWC = 8
    OIDHW = 9
    DHWIO = 10

class Algorithm(IntEnum):
    AUTO = 0
    REFERENCE = 1
    GEMM = 2
    DIRECT = 3
    DEPTHWISE = 4
    FEW_OUTPUT = 5
    OUTER_PRODUCT = 6
    WINOGRAD = 7

@final
class Convolution2DOpDescriptor:
    __hash__: None  # type: ignore[assignment]
    stride_in_x: int
    stride_in_y: int
    dilation_rate_in_x: int
    dilation_rate_in_y: int
    groups: int
    padding_left: int
    padding_right: int
    padding_top: int
    padding_bottom: int
    padding_style: PaddingStyle
    data_layout: TensorNamedDataLayout
    weights_layout: TensorNamedDataLayout
    def __init__(
        self,
        *,
        stride_in_x: SupportsIndex = 1,
        stride_in_y: SupportsIndex = 1,
        dilation_rate_in_x: SupportsIndex = 1,
        dilation_rate_in_y: SupportsIndex = 1,
        groups: SupportsIndex = 1,
        padding_left: SupportsIndex = 0,
        padding_right: SupportsIndex = 0,
        padding_top: SupportsIndex = 0,
        padding_bottom: SupportsIndex = 0,
        padding_style: PaddingStyle = PaddingStyle.EXPLICIT,
        data_layout: TensorNamedDataLayout = TensorNamedDataLayout.NCHW,
        weights_layout: TensorNamedDataLayout = TensorNamedDataLayout.OIHW,
    ) -> None: ...
    def set_explicit_padding(
        self, left: SupportsIndex, right: SupportsIndex, top: SupportsIndex, bottom: SupportsIndex
    ) -> None: ...
    def replace(
        self,
        *,
        stride_in_x: SupportsIndex = ...,
        stride_in_y: SupportsIndex = ...,
        dilation_rate_in_x: SupportsIndex = ...,
        dilation_rate_in_y: SupportsIndex = ...,
        groups: SupportsIndex = ...,
        padding_left: SupportsIndex = ...,
        padding_right: SupportsIndex = ...,
        padding_top: SupportsIndex = ...,
        padding_bottom: SupportsIndex = ...,
        padding_style: PaddingStyle = ...,
        data_layout: TensorNamedDataLayout = ...,
        weights_layout: TensorNamedDataLayout = ...,
    ) -> Convolution2DOpDescriptor: ...
    # From .converters, attached in .descriptor.
    @staticmethod
    def from_torch(
        layer: object | None = None,
        /,
        *,
        stride: Sizes | None = None,
        padding: Sizes | None = None,
        output_padding: Sizes | None = None,
        groups: int | None = None,
        dilation: Sizes | None = None,
    ) -> Convolution2DOpDescriptor: ...
    @staticmethod
    def from_onnx(
        node: Any,
        *,
        source_shape: Shape | None = None,
        weights_shape: Shape | None = None,
        opset: int = 22,
    ) -> Convolution2DOpDescriptor: ...
    @staticmethod
    def from_tensorflow(
        strides: Sizes,
        padding: str | Sequence[Sequence[int]] = "SAME",
        data_format: str = "NHWC",
        dilations: Sizes | None = None,
    ) -> Convolution2DOpDescriptor: ...
    @staticmethod
    def from_keras(
        layer: object | None = None,
        /,
        *,
        kernel_size: Sizes | None = None,
        strides: Sizes | None = None,
        padding: str | None = None,
        output_padding: Sizes | None = None,
        dilation_rate: Sizes | None = None,
        data_format: str | None = None,
    ) -> Convolution2DOpDescriptor: ...
    @staticmethod
    def from_jax(
        strides: Sizes,
        padding: str | Sequence[Sequence[int]],
        *,
        kernel_size: Sizes,
        rhs_dilation: Sizes | None = None,
        dimension_numbers: tuple[str, str, str] | None = None,
        use_consistent_padding: bool = False,
    ) -> Convolution2DOpDescriptor: ...
    def to_torch_args(
        _self, source_shape: Shape, weights_shape: Shape, output_shape: Shape
    ) -> TorchArguments: ...
    def to_onnx_attributes(
        _self, source_shape: Shape, weights_shape: Shape, output_shape: Shape
    ) -> dict[str, Any]: ...
    def to_tensorflow_args(
        _self, source_shape: Shape, weights_shape: Shape, output_shape: Shape
    ) -> dict[str, Any]: ...
    def to_keras_args(
        _self, source_shape: Shape, weights_shape: Shape, output_shape: Shape
    ) -> dict[str, Any]: ...
    def to_jax_args(
        _self, source_shape: Shape, weights_shape: Shape, output_shape: Shape
    ) -> dict[str, Any]: ...
    def to_swift(
        _self,
        output_shape: Shape | None = None,
        *,
        operation: str = "convolution_transpose_2d",
        name: str | None = None,
    ) -> str: ...
    def to_objc(
        _self,
        output_shape: Shape | None = None,
        *,
        operation: str = "convolution_transpose_2d",
        name: str | None = None,
    ) -> str: ...
    def __eq__(self, other: object) -> bool: ...
    def __copy__(self) -> Convolution2DOpDescriptor: ...
    def __deepcopy__(self, memo: dict[int, object]) -> Convolution2DOpDescriptor: ...
    def __getstate__(self) -> tuple[dict[str, object]]: ...
    def __setstate__(self, state: tuple[dict[str, object]], /) -> None: ...

@final
class ConvolutionTranspose2DPlan:
    def __init__(
        self,
        source_shape: Shape,
        weights: ArrayLike,
        output_shape: Shape,
        descriptor: Convolution2DOpDescriptor,
        name: str | None = None,
        *,
        bias: Array | None = None,
        activation: Activation = None,
        threads: int | None = None,
        strict: bool = True,
        algorithm: Algorithm = Algorithm.AUTO,
        fast_math: FastMath | None = None,
    ) -> None: ...
    def __call__(self, source: ArrayLike, out: Array | None = None) -> Array: ...
    @property
    def algorithm(self) -> Algorithm: ...
    @property
    def reason(self) -> str: ...
    @property
    def isa(self) -> str: ...
    @property
    def output_shape(self) -> tuple[int, int, int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def flops(self) -> float: ...
    @property
    def packed_bytes(self) -> int: ...
    @property
    def workspace_bytes(self) -> int: ...
    def explain(self) -> str: ...
    def __copy__(self) -> ConvolutionTranspose2DPlan: ...
    def __deepcopy__(self, memo: dict[int, object]) -> ConvolutionTranspose2DPlan: ...
    def __reduce__(self) -> NoReturn: ...

@final
class ConvolutionTranspose2DDataGradientPlan:
    def __init__(
        self,
        incoming_gradient_shape: Shape,
        weights: ArrayLike,
        output_shape: Shape,
        forward_convolution_descriptor: Convolution2DOpDescriptor,
        name: str | None = None,
        *,
        bias: Array | None = None,
        activation: Activation = None,
        threads: int | None = None,
        strict: bool = True,
        algorithm: Algorithm = Algorithm.AUTO,
        fast_math: FastMath | None = None,
    ) -> None: ...
    def __call__(self, incoming_gradient: ArrayLike, out: Array | None = None) -> Array: ...
    @property
    def algorithm(self) -> Algorithm: ...
    @property
    def reason(self) -> str: ...
    @property
    def isa(self) -> str: ...
    @property
    def output_shape(self) -> tuple[int, int, int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def flops(self) -> float: ...
    @property
    def packed_bytes(self) -> int: ...
    @property
    def workspace_bytes(self) -> int: ...
    def explain(self) -> str: ...
    def __copy__(self) -> ConvolutionTranspose2DDataGradientPlan: ...
    def __deepcopy__(self, memo: dict[int, object]) -> ConvolutionTranspose2DDataGradientPlan: ...
    def __reduce__(self) -> NoReturn: ...

@final
class ConvolutionTranspose2DWeightsGradientPlan:
    def __init__(
        self,
        incoming_gradient_shape: Shape,
        source_shape: Shape,
        output_shape: Shape,
        forward_convolution_descriptor: Convolution2DOpDescriptor,
        name: str | None = None,
        *,
        dtype: npt.DTypeLike = "float32",
        threads: int | None = None,
        strict: bool = True,
        algorithm: Algorithm = Algorithm.AUTO,
        fast_math: FastMath | None = None,
    ) -> None: ...
    def __call__(
        self, incoming_gradient: ArrayLike, source: ArrayLike, out: Array | None = None
    ) -> Array: ...
    @property
    def algorithm(self) -> Algorithm: ...
    @property
    def reason(self) -> str: ...
    @property
    def isa(self) -> str: ...
    @property
    def output_shape(self) -> tuple[int, int, int, int]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def flops(self) -> float: ...
    @property
    def packed_bytes(self) -> int: ...
    @property
    def workspace_bytes(self) -> int: ...
    def explain(self) -> str: ...
    def __copy__(self) -> ConvolutionTranspose2DWeightsGradientPlan: ...
    def __deepcopy__(
        self, memo: dict[int, object]
    ) -> ConvolutionTranspose2DWeightsGradientPlan: ...
    def __reduce__(self) -> NoReturn: ...

def convolution_transpose_2d(
    source: ArrayLike,
    weights: ArrayLike,
    output_shape: Shape,
    descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    out: Array | None = None,
    strict: bool = True,
    threads: int | None = None,
    algorithm: Algorithm = Algorithm.AUTO,
    fast_math: FastMath | None = None,
) -> Array: ...
def convolution_transpose_2d_data_gradient(
    incoming_gradient: ArrayLike,
    weights: ArrayLike,
    output_shape: Shape,
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    out: Array | None = None,
    strict: bool = True,
    threads: int | None = None,
    algorithm: Algorithm = Algorithm.AUTO,
    fast_math: FastMath | None = None,
) -> Array: ...
def convolution_transpose_2d_weights_gradient(
    incoming_gradient: ArrayLike,
    source: ArrayLike,
    output_shape: Shape,
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    out: Array | None = None,
    strict: bool = True,
    threads: int | None = None,
    algorithm: Algorithm = Algorithm.AUTO,
    fast_math: FastMath | None = None,
) -> Array: ...
def convolution_2d(
    source: ArrayLike,
    weights: ArrayLike,
    descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    out: Array | None = None,
    strict: bool = True,
    threads: int | None = None,
    algorithm: Algorithm = Algorithm.AUTO,
    fast_math: FastMath | None = None,
) -> Array: ...
def convolution_2d_data_gradient(
    incoming_gradient: ArrayLike,
    weights: ArrayLike,
    output_shape: Shape,
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    out: Array | None = None,
    strict: bool = True,
    threads: int | None = None,
    algorithm: Algorithm = Algorithm.AUTO,
    fast_math: FastMath | None = None,
) -> Array: ...
def convolution_2d_weights_gradient(
    incoming_gradient: ArrayLike,
    source: ArrayLike,
    output_shape: Shape,
    forward_convolution_descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    out: Array | None = None,
    strict: bool = True,
    threads: int | None = None,
    algorithm: Algorithm = Algorithm.AUTO,
    fast_math: FastMath | None = None,
) -> Array: ...
def output_shape_range(
    source_shape: Shape, weights_shape: Shape, descriptor: Convolution2DOpDescriptor
) -> tuple[tuple[int, int, int, int], tuple[int, int, int, int]]: ...
def result_shape(
    function: str,
    first_shape: Shape,
    second_shape: Shape,
    output_shape: Shape | None,
    descriptor: Convolution2DOpDescriptor,
    name: str | None = None,
    *,
    strict: bool = True,
) -> tuple[int, int, int, int]: ...

# Only where the build found jaxlib's headers.
jax_ffi_api_version: tuple[int, int]
jax_ffi_handlers: dict[str, object]

def active_isa() -> str: ...
def available_isas() -> tuple[str, ...]: ...
def set_isa(name: str) -> None: ...
def get_num_threads() -> int: ...
def set_num_threads(count: SupportsIndex) -> None: ...
def get_fast_math() -> FastMath: ...
def set_fast_math(level: FastMath) -> None: ...
def measure_fma_peak() -> float: ...
def build_info() -> dict[str, str]: ...
