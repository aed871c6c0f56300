# SPDX-License-Identifier: MIT
from __future__ import annotations

import convtranspose as ct
from subprocesses import python

HEAVY = [
    "torch",
    "jax",
    "onnx",
    "onnxruntime",
    "dask",
    "PIL",
    "matplotlib",
    "rich",
    "scipy",
    "ml_dtypes",
]


def test_import_loads_nothing_but_numpy():
    script = f"import convtranspose, sys; print(*[m for m in {HEAVY} if m in sys.modules])"
    assert python(script).split() == []


def test_public_names():
    assert set(ct.__all__) >= {
        "Algorithm",
        "Convolution2DOpDescriptor",
        "PaddingStyle",
        "TensorNamedDataLayout",
        "active_isa",
        "available_isas",
        "build_info",
        "convolution_2d",
        "convolution_2d_data_gradient",
        "convolution_2d_weights_gradient",
        "convolution_transpose_2d",
        "convolution_transpose_2d_data_gradient",
        "convolution_transpose_2d_weights_gradient",
        "get_num_threads",
        "output_shape_range",
        "set_isa",
        "set_num_threads",
    }
    assert all(hasattr(ct, name) for name in ct.__all__)
    assert len(set(ct.__all__)) == len(ct.__all__)


def test_public_things_say_where_they_live():
    for name in ct.__all__:
        thing = getattr(ct, name)
        if callable(thing):
            assert thing.__module__.partition(".")[0] == "convtranspose", name
