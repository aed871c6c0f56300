# SPDX-License-Identifier: MIT
"""Train a small generator with numpy alone, then compile it for use.

The model is DCGAN's: a transposed convolution makes 4 x 4 pixels of a latent vector, and each of
the others doubles the size. It learns to draw discs where the latent vectors say.

    pip install convtranspose
    python graph_generator.py
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise

import numpy as np

from convtranspose import Convolution2DOpDescriptor
from convtranspose.graph import Graph, Tensor

CHANNELS = (16, 32, 16, 1)
BATCH = 32


def layers(graph: Graph, tensor: Tensor, sizes: list[int]) -> tuple[Tensor, list[Tensor]]:
    """The generator, from (N, C, 1, 1) to (N, 1, 16, 16), and its parameters."""
    rng = np.random.default_rng(0)
    parameters = []
    for i, (few, many) in enumerate(pairwise(CHANNELS)):
        stride, padding = (1, 0) if i == 0 else (2, 1)
        descriptor = Convolution2DOpDescriptor(stride_in_x=stride, stride_in_y=stride)
        descriptor.set_explicit_padding(padding, padding, padding, padding)
        scale = np.sqrt(2 * stride**2 / (few * 16))
        weights = scale * rng.standard_normal((few, many, 4, 4))
        parameters.append(graph.variable(weights, np.float32, f"weights {i}"))
        parameters.append(graph.variable(np.zeros((1, many, 1, 1)), np.float32, f"bias {i}"))
        shape = (tensor.shape[0], many, sizes[i], sizes[i])
        tensor = graph.convolution_transpose_2d(
            tensor, parameters[-2], shape, descriptor, f"up {i}"
        )
        tensor = graph.addition(tensor, parameters[-1])
        tensor = graph.sigmoid(tensor) if many == 1 else graph.leaky_relu(tensor, 0.2)
    return tensor, parameters


def examples(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Latent vectors (sines of a position) and the discs at these positions."""
    position = rng.uniform(4, 12, (BATCH, 2))
    waves = np.arange(1, 5) * np.pi / 16
    angles = (position[:, :, None] * waves).reshape(BATCH, -1)
    latent = np.concatenate([np.sin(angles), np.cos(angles)], 1)
    y, x = np.ogrid[:16, :16]
    distance = np.hypot(y + 0.5 - position[:, 0, None, None], x + 0.5 - position[:, 1, None, None])
    discs = np.clip(4 - distance, 0, 1)
    return latent.astype(np.float32)[:, :, None, None], discs.astype(np.float32)[:, None]


def momentum(graph: Graph, loss: Tensor, parameters: list[Tensor], rate: float) -> list:
    """Operations that make a step: each velocity follows a gradient, each parameter a velocity."""
    keep, step = graph.constant(0.9), graph.constant(rate)
    operations = []
    for parameter, gradient in graph.gradients(loss, parameters).items():
        velocity = graph.variable(np.zeros(parameter.shape), np.float32)
        faster = graph.addition(graph.multiplication(keep, velocity), gradient)
        new = graph.stochastic_gradient_descent(step, parameter, faster)
        operations += [graph.assign(velocity, faster), graph.assign(parameter, new)]
    return operations


def main() -> None:
    """Train, report, and draw one disc as text."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=300)
    steps = parser.parse_args().steps

    graph = Graph()
    latent = graph.placeholder((BATCH, CHANNELS[0], 1, 1), name="latent")
    wanted = graph.placeholder((BATCH, 1, 16, 16), name="wanted")
    image, parameters = layers(graph, latent, [4, 8, 16])
    error = graph.subtraction(image, wanted)
    loss = graph.mean(graph.square(error), (0, 1, 2, 3))
    training = graph.compile([loss], momentum(graph, loss, parameters, rate=1.0))

    rng = np.random.default_rng(1)
    losses = []
    start = time.perf_counter()
    for _ in range(steps):
        vectors, discs = examples(rng)
        losses.append(training.run({latent: vectors, wanted: discs})[loss].item())
    print(f"{steps} steps in {time.perf_counter() - start:.1f} s")
    print(f"loss {np.mean(losses[:10]):.4f} at first, {np.mean(losses[-10:]):.4f} at last")

    generator = graph.compile([image])
    print(generator.explain())
    print(f"{generator.workspace_bytes / 1024:.0f} KiB between the layers")
    vectors, _ = examples(rng)
    drawing = generator.run({latent: vectors})[image][0, 0]
    print("\n".join("".join(" .:*#"[int(4.99 * value)] * 2 for value in row) for row in drawing))


if __name__ == "__main__":
    main()
