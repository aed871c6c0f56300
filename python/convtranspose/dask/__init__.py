# SPDX-License-Identifier: MIT
"""The transposed convolution and its gradients over Dask arrays. Needs the extra ``[dask]``.

Each chunk of a result is computed from just the part of the operands that it depends on, which
`convtranspose.source_window` and `convtranspose.output_window` tell: nothing is computed twice or
trimmed away, and only a few chunks are in memory. It works with every Dask scheduler. Calls build
graphs alone, and raise their errors at once.

The operations take what their namesakes in `convtranspose` do, and:

chunks : chunks of the result's height and width, optional
    As Dask takes them, such as ``1024``, ``(1024, 2048)`` or ``"auto"``. By default they follow
    those of the operand. Channels are never divided.
threads : int, default 1
    Threads in each of Dask's tasks, which run beside each other.

Integer-valued data with exact sums give the bits of the operation on whole arrays. So do other
values with the algorithms ``DIRECT``, ``FEW_OUTPUT`` and ``REFERENCE``, and with ``DEPTHWISE`` in
NCHW; with others the last bits may depend on where chunks end. ``AUTO`` is decided once, for the
whole arrays. A weights gradient is a sum over chunks, kept in float64.
"""

from .forward import convolution_transpose_2d
from .gradients import (
    convolution_transpose_2d_data_gradient,
    convolution_transpose_2d_weights_gradient,
)

__all__ = [
    "convolution_transpose_2d",
    "convolution_transpose_2d_data_gradient",
    "convolution_transpose_2d_weights_gradient",
]
