# SPDX-License-Identifier: MIT
"""The transposed convolution inside PyTorch, on the CPU (extra ``[torch]``).

`conv_transpose2d` and `conv_transpose1d` take the arguments of their namesakes in
`torch.nn.functional`; `ConvTranspose2d` and `ConvTranspose1d` those of theirs in `torch.nn`, and
`accelerate` puts them in the place of a model's own. The functions that start with ``convolution``
are MPSGraph's, with tensors for arrays.

All of them are differentiable any number of times, work under `torch.compile` without graph
breaks, under autocast and in `torch.nn.parallel.DistributedDataParallel`, read tensors where they
lie, whatever their strides, and use `torch.get_num_threads` threads.
"""

try:
    import torch as _torch
except ImportError as error:
    raise ImportError(
        "convtranspose.torch needs PyTorch 2.4 or newer: pip install 'convtranspose[torch]'"
    ) from error
if not hasattr(_torch.library, "register_autograd"):
    raise ImportError(
        f"convtranspose.torch needs PyTorch 2.4 or newer, got {_torch.__version__}: "
        "pip install 'convtranspose[torch]'"
    )

from . import rules as _rules  # noqa: F401  registers them
from .accelerate import AccelerationReport, accelerate
from .functional import conv_transpose1d, conv_transpose2d
from .modules import ConvTranspose1d, ConvTranspose2d
from .operations import (
    convolution_2d,
    convolution_transpose_2d,
    convolution_transpose_2d_data_gradient,
    convolution_transpose_2d_weights_gradient,
)

__all__ = [
    "AccelerationReport",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "accelerate",
    "conv_transpose1d",
    "conv_transpose2d",
    "convolution_2d",
    "convolution_transpose_2d",
    "convolution_transpose_2d_data_gradient",
    "convolution_transpose_2d_weights_gradient",
]
