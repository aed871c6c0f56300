# SPDX-License-Identifier: MIT
"""Two models in plain PyTorch, before and after ``convtranspose.torch.accelerate``.

pip install 'convtranspose[torch]'
python torch_accelerate.py --threads 1
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable

import torch
from torch import nn

from convtranspose.torch import accelerate


def dcgan_generator() -> nn.Sequential:
    """64 x 64 images from noise (Radford, Metz and Chintala, 2015)."""
    layers: list[nn.Module] = []
    channels = 100
    for index, width in enumerate((512, 256, 128, 64)):
        stride, padding = (1, 0) if index == 0 else (2, 1)
        layers.append(nn.ConvTranspose2d(channels, width, 4, stride, padding, bias=False))
        layers += [nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
        channels = width
    return nn.Sequential(*layers, nn.ConvTranspose2d(64, 3, 4, 2, 1, bias=False), nn.Tanh())


def fsrcnn(features: int, shrunk: int, depth: int) -> nn.Sequential:
    """Luma planes three times as large (Dong, Loy and Tang, 2016)."""
    layers: list[nn.Module] = [nn.Conv2d(1, features, 5, padding=2), nn.PReLU(features)]
    layers += [nn.Conv2d(features, shrunk, 1), nn.PReLU(shrunk)]
    for _ in range(depth):
        layers += [nn.Conv2d(shrunk, shrunk, 3, padding=1), nn.PReLU(shrunk)]
    layers += [nn.Conv2d(shrunk, features, 1), nn.PReLU(features)]
    return nn.Sequential(*layers, nn.ConvTranspose2d(features, 1, 9, 3, 4, output_padding=2))


def fastest(calls: list[Callable[[], object]], seconds: float) -> list[float]:
    """Return the best time of each call in milliseconds; they take turns."""
    best = [float("inf")] * len(calls)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for index, call in enumerate(calls):
            start = time.perf_counter()
            call()
            best[index] = min(best[index], 1e3 * (time.perf_counter() - start))
    return best


def inference(model: nn.Module, source: torch.Tensor) -> Callable[[], torch.Tensor]:
    """Return a call that runs the model."""
    return torch.inference_mode()(lambda: model(source))


def training_step(model: nn.Module, source: torch.Tensor) -> Callable[[], None]:
    """Return a call that moves the model's parameters once."""
    optimizer = torch.optim.Adam(model.parameters())

    def step() -> None:
        optimizer.zero_grad()
        model(source).square().mean().backward()
        optimizer.step()

    return step


def compare(name: str, model: nn.Module, source: torch.Tensor, seconds: float) -> None:
    """Print what changed for one model."""
    ours, packed = copy.deepcopy(model), copy.deepcopy(model)
    report = accelerate(ours)
    accelerate(packed, prepack=True)
    for each in (model, ours, packed):
        each.eval()
    with torch.inference_mode():
        expected = model(source)
        error = max((each(source) - expected).abs().max().item() for each in (ours, packed))
    print(f"{name}, input {tuple(source.shape)}: {report}")
    print(f"  largest difference {error:.1e}, largest result {expected.abs().max().item():.1e}")

    models = (model, ours, packed)
    theirs, mine, prepacked = fastest([inference(each, source) for each in models], seconds)
    print(f"  inference: PyTorch {theirs:.2f} ms, ours {mine:.2f} ms: {theirs / mine:.2f} x")
    print(f"             prepacked {prepacked:.2f} ms: {theirs / prepacked:.2f} x")
    steps = [training_step(each.train(), source) for each in (model, ours)]
    theirs, mine = fastest(steps, seconds)
    print(f"  training:  PyTorch {theirs:.2f} ms, ours {mine:.2f} ms: {theirs / mine:.2f} x")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    parser.add_argument("--seconds", type=float, default=5, help="for each comparison")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    compare("DCGAN generator", dcgan_generator(), torch.randn(16, 100, 1, 1), options.seconds)
    compare("FSRCNN(56, 12, 4)", fsrcnn(56, 12, 4), torch.randn(1, 1, 128, 128), options.seconds)
    compare("FSRCNN-s(32, 5, 1)", fsrcnn(32, 5, 1), torch.randn(1, 1, 128, 128), options.seconds)


if __name__ == "__main__":
    main()
