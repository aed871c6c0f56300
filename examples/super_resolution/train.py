# SPDX-License-Identifier: MIT
"""Train the network of ``convtranspose upsample --kernel fsrcnn``.

    pip install 'convtranspose[torch,image]' rich scikit-image scikit-learn matplotlib
    python train.py -o fsrcnn_x3.npz

The network is FSRCNN(56, 12, 4) of Dong, Loy and Tang, "Accelerating the Super-Resolution
Convolutional Neural Network" (ECCV 2016), with these differences. It learns what bicubic
interpolation lacks, not the image. It has no biases and the kernels of its first layer sum to zero:
so a constant has no detail, and an image times a factor has that factor times the detail, which
frees it from the range of the pixels. Nothing is padded: the image around a patch is part of it, as
in use. Every layer runs forward and backward on convtranspose's kernels.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from photographs import TRAINING, luma, photograph, reduced
from PIL import Image
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from torch.nn import functional

from convtranspose import Convolution2DOpDescriptor
from convtranspose.resample import upsample
from convtranspose.torch import conv_transpose2d, convolution_2d

SCALE = 3
KERNELS = {  # name -> result channels, source channels, extent
    "feature": (56, 1, 5),
    "shrink": (12, 56, 1),
    "map1": (12, 12, 3),
    "map2": (12, 12, 3),
    "map3": (12, 12, 3),
    "map4": (12, 12, 3),
    "expand": (56, 12, 1),
}
DECONVOLUTION = (56, 1, 9, 9)
REACH = 7  # pixels around a patch that its detail depends on: 2 + 4 * 1 + 1
PATCH = 32
BATCH = 16


class Network(torch.nn.Module):
    """The detail that bicubic interpolation of a luma plane by three lacks."""

    def __init__(self) -> None:
        super().__init__()
        self.kernels = torch.nn.ParameterDict()
        self.slopes = torch.nn.ParameterDict()
        for name, (outputs, inputs, extent) in KERNELS.items():
            deviation = math.sqrt(2 / (inputs * extent**2))
            kernel = deviation * torch.randn(outputs, inputs, extent, extent)
            self.kernels[name] = torch.nn.Parameter(kernel)
            self.slopes[name] = torch.nn.Parameter(torch.full((1,), 0.25))
        self.deconvolution = torch.nn.Parameter(1e-3 * torch.randn(DECONVOLUTION))

    def layers(self) -> dict[str, torch.Tensor]:
        """Return the kernels as they are used."""
        first = self.kernels["feature"]
        return {
            **self.kernels,
            "feature": first - first.mean((2, 3), keepdim=True),
            "deconvolution": self.deconvolution,
        }

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """Return the detail of all but the outer `REACH` pixels."""
        layers = self.layers()
        for name in KERNELS:
            planes = convolution_2d(planes, layers[name], Convolution2DOpDescriptor())
            planes = functional.prelu(planes, self.slopes[name])
        # Keeps what all nine by nine taps reach.
        return conv_transpose2d(planes, layers["deconvolution"], stride=SCALE, padding=2 * SCALE)


def pairs(image: Image.Image) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield luma planes of an image at several sizes, reduced, and the detail they lost."""
    for factor in (1, 0.8, 0.6):
        size = tuple(round(factor * extent) for extent in image.size)
        large, small = reduced(image.resize(size, Image.Resampling.LANCZOS), SCALE)
        plane = luma(np.asarray(small)) / 255
        detail = luma(np.asarray(large)) / 255 - upsample(plane, SCALE)
        yield plane.astype(np.float32), detail.astype(np.float32)


def batches(images: list[Image.Image], steps: int, seed: int) -> Iterator[tuple[torch.Tensor, ...]]:
    """Yield random patches with their surroundings, and their detail, in random orientations."""
    planes = [
        (np.pad(plane, REACH, mode="edge"), detail)
        for image in images
        for plane, detail in pairs(image)
        if min(plane.shape) >= PATCH
    ]
    areas = np.array([detail.size for _, detail in planes], np.float64)
    random = np.random.default_rng(seed)
    around, inside = PATCH + 2 * REACH, PATCH * SCALE
    for _ in range(steps):
        sources = np.empty((BATCH, 1, around, around), np.float32)
        targets = np.empty((BATCH, 1, inside, inside), np.float32)
        for item, index in enumerate(random.choice(len(planes), BATCH, p=areas / areas.sum())):
            plane, detail = planes[index]
            y, x = (random.integers(size - around + 1) for size in plane.shape)
            turns, flip = random.integers(4), 1 - 2 * random.integers(2)
            source = plane[y : y + around, x : x + around]
            target = detail[y * SCALE : y * SCALE + inside, x * SCALE : x * SCALE + inside]
            sources[item, 0] = np.rot90(source, turns)[:, ::flip]
            targets[item, 0] = np.rot90(target, turns)[:, ::flip]
        yield torch.from_numpy(sources), torch.from_numpy(targets)


def train(images: list[Image.Image], steps: int, seed: int) -> Network:
    """Minimise the mean squared error with Adam, its rate falling along a cosine."""
    torch.manual_seed(seed)
    network = Network()
    optimizer = torch.optim.Adam(network.parameters(), 1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps, 1e-6)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, TimeRemainingColumn()) as progress:
        task = progress.add_task("detail left", total=steps)
        left = 1.0
        for source, target in batches(images, steps, seed):
            loss = functional.mse_loss(network(source), target)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 0.1)
            optimizer.step()
            schedule.step()
            left += 0.005 * (loss.item() / target.square().mean().item() - left)
            progress.update(task, advance=1, description=f"detail left: {100 * left:5.1f} %")
    return network


def save(network: Network, path: Path) -> None:
    """Write the kernels as they are used, and the slopes."""
    arrays = {name: kernel.detach().numpy() for name, kernel in network.layers().items()}
    slopes = np.array([network.slopes[name].item() for name in KERNELS], np.float32)
    np.savez_compressed(path, slopes=slopes, **arrays)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT.npz")
    parser.add_argument("--steps", type=int, default=12000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("photographs", nargs="*", type=Path, help="default: those of packages")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.photographs:
        images = [Image.open(path).convert("RGB") for path in options.photographs]
    else:
        images = [photograph(name) for name in TRAINING]
    save(train(images, options.steps, options.seed), options.output)


if __name__ == "__main__":
    main()
