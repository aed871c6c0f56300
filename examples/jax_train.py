# SPDX-License-Identifier: MIT
"""Recover a blurring kernel under ``jax.jit`` and ``jax.grad``, with a Newton step by ``jax.jvp``.

The transposed convolution is linear in its weights, so the squared error is a quadratic function of
them and conjugate gradients need no more than Hessian-vector products: forward over reverse.

    pip install 'convtranspose[jax]'
    python jax_train.py
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from convtranspose import Convolution2DOpDescriptor, PaddingStyle
from convtranspose.jax import convolution_transpose_2d

DESCRIPTOR = Convolution2DOpDescriptor(
    stride_in_x=2, stride_in_y=2, padding_style=PaddingStyle.TF_SAME
)
SHAPE = (4, 2, 15, 16)  # N, I, H, W: an odd height and an even width


def upsample(source: jax.Array, weights: jax.Array) -> jax.Array:
    """What made the images."""
    return convolution_transpose_2d(source, weights, SHAPE, DESCRIPTOR)


def main() -> None:
    """Find 5 x 3 x 3 x 2 weights from what they made of random images."""
    keys = jax.random.split(jax.random.key(0), 2)
    source = jax.random.normal(keys[0], (4, 5, 8, 8))
    hidden = jax.random.normal(keys[1], (5, 2, 3, 3))
    target = upsample(source, hidden)

    def loss(weights: jax.Array) -> jax.Array:
        return jnp.square(upsample(source, weights) - target).mean()

    @jax.jit
    def solve(weights: jax.Array) -> jax.Array:
        gradient = jax.grad(loss)

        def hessian_times(direction: jax.Array) -> jax.Array:
            return jax.jvp(gradient, (weights,), (direction,))[1]

        step, _ = jax.scipy.sparse.linalg.cg(hessian_times, gradient(weights), maxiter=200)
        return weights - step

    weights = solve(jnp.zeros_like(hidden))
    print(f"loss {loss(jnp.zeros_like(hidden)):.3f} at first, {loss(weights):.1e} at last")
    print(f"largest error of a weight: {jnp.abs(weights - hidden).max():.1e}")


if __name__ == "__main__":
    main()
