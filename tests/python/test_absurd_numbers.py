# SPDX-License-Identifier: MIT
"""Strides, dilations and paddings up to 2**63 - 1: a right answer or a ValueError, never a crash.

Such numbers are refused under the size relation nearly always; without it they describe results
that next to no tap reaches. A stride of 2**61 once ended in a division by zero.
"""

from __future__ import annotations

import numpy as np

import convtranspose as ct

NUMBERS = (1, 2, 255, 2**20, 2**31 - 1, 2**31, 2**40, 2**53, 2**61, 2**62, 2**63 - 1)
FIELDS = (
    "stride_in_x",
    "stride_in_y",
    "dilation_rate_in_x",
    "dilation_rate_in_y",
    "padding_left",
    "padding_right",
    "padding_top",
    "padding_bottom",
)
REAL_ALGORITHMS = [a for a in ct.Algorithm if a > ct.Algorithm.REFERENCE]


def results(operation, arguments, descriptor, strict):
    """The reference's result and those of all algorithms that take the problem; None if refused."""
    try:
        reference = operation(
            *arguments, descriptor, strict=strict, algorithm=ct.Algorithm.REFERENCE
        )
    except ValueError:
        return None
    others = [operation(*arguments, descriptor, strict=strict)]
    for algorithm in REAL_ALGORITHMS:
        try:
            others.append(operation(*arguments, descriptor, strict=strict, algorithm=algorithm))
        except ValueError as error:
            assert "algorithm" in str(error)  # noqa: PT017 - any other refusal is the reference's
    return reference, others


def test_absurd_numbers():
    rng = np.random.default_rng(20261130)
    done = 0
    for _ in range(800):
        fields = {
            name: int(rng.choice(NUMBERS) if rng.random() < 0.5 else rng.integers(1, 4))
            for name in FIELDS
        }
        last = bool(rng.integers(0, 2))
        descriptor = ct.Convolution2DOpDescriptor(
            **fields, data_layout=ct.TensorNamedDataLayout(int(last))
        )
        strict = bool(rng.random() < 0.2)
        o, i = rng.integers(1, 20, 2)
        source, kernel, result = (
            rng.integers(1, 3, 2),
            rng.integers(1, 4, 2),
            rng.integers(0, 30, 2),
        )

        def shape(channels, extent, last=last):
            return (1, *extent, channels) if last else (1, channels, *extent)

        shapes = shape(o, source), (o, i, *kernel), shape(i, result)
        x, w, g = (rng.integers(-2, 3, s).astype(np.float32) for s in shapes)
        for operation, arguments in (
            (ct.convolution_transpose_2d, (x, w, shapes[2])),
            (ct.convolution_transpose_2d_data_gradient, (g, w, shapes[0])),
            (ct.convolution_transpose_2d_weights_gradient, (g, x, shapes[1])),
        ):
            found = results(operation, arguments, descriptor, strict)
            if found is None:
                continue
            done += 1
            for other in found[1]:
                np.testing.assert_array_equal(other, found[0], err_msg=f"{descriptor} {shapes}")
    assert done > 300
