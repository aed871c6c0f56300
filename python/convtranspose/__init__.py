# SPDX-License-Identifier: MIT
"""The transposed convolution of Apple's MPSGraph, and its gradients, on the CPU."""

from importlib import import_module
from typing import TYPE_CHECKING

from ._core import (
    Algorithm,
    ConvolutionTranspose2DDataGradientPlan,
    ConvolutionTranspose2DPlan,
    ConvolutionTranspose2DWeightsGradientPlan,
    PaddingStyle,
    TensorNamedDataLayout,
    __version__,
)
from .config import (
    active_isa,
    available_isas,
    build_info,
    get_fast_math,
    get_num_threads,
    set_fast_math,
    set_isa,
    set_num_threads,
)
from .convolution import (
    convolution_2d,
    convolution_2d_data_gradient,
    convolution_2d_weights_gradient,
)
from .descriptor import Convolution2DOpDescriptor
from .operations import (
    convolution_transpose_2d,
    convolution_transpose_2d_data_gradient,
    convolution_transpose_2d_weights_gradient,
    output_shape_range,
)
from .paths import get_cmake_dir, get_include
from .windows import Window, output_window, source_window

if TYPE_CHECKING:
    from . import converters as converters
    from .graph import Graph

__all__ = [
    "Algorithm",
    "Convolution2DOpDescriptor",
    "ConvolutionTranspose2DDataGradientPlan",
    "ConvolutionTranspose2DPlan",
    "ConvolutionTranspose2DWeightsGradientPlan",
    "Graph",
    "PaddingStyle",
    "TensorNamedDataLayout",
    "Window",
    "__version__",
    "active_isa",
    "available_isas",
    "build_info",
    "convolution_2d",
    "convolution_2d_data_gradient",
    "convolution_2d_weights_gradient",
    "convolution_transpose_2d",
    "convolution_transpose_2d_data_gradient",
    "convolution_transpose_2d_weights_gradient",
    "get_cmake_dir",
    "get_fast_math",
    "get_include",
    "get_num_threads",
    "output_shape_range",
    "output_window",
    "set_fast_math",
    "set_isa",
    "set_num_threads",
    "source_window",
]


def __getattr__(name: str) -> object:
    # What few programs need costs the others no time.
    if name == "Graph":
        from .graph import Graph

        return Graph
    if name == "converters":
        return import_module(".converters", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
