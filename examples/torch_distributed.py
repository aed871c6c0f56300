# SPDX-License-Identifier: MIT
"""Train an accelerated decoder on two processes that average their gradients (gloo, CPU).

    pip install 'convtranspose[torch]'
    python torch_distributed.py

Both processes must end with the same weights, and with those that one process gets from the
whole batch.
"""

from __future__ import annotations

import argparse
import copy
import tempfile
from pathlib import Path

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

from convtranspose.torch import accelerate


def decoder() -> nn.Module:
    """Return the same model in every process."""
    torch.manual_seed(1)
    model = nn.Sequential(
        nn.ConvTranspose2d(8, 6, 4, stride=2, padding=1),
        nn.LeakyReLU(0.2),
        nn.ConvTranspose2d(6, 3, 3, stride=2, padding=1, output_padding=1),
    )
    accelerate(model)
    return model


def batch(steps: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return sources and targets of all steps, eight images each."""
    torch.manual_seed(2)
    return torch.randn(steps, 8, 8, 6, 6), torch.randn(steps, 8, 3, 24, 24)


def train(model: nn.Module, steps: int, images: slice) -> None:
    """Move the parameters, looking at some of each step's images."""
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    for source, target in zip(*batch(steps), strict=True):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(source[images]), target[images]).backward()
        optimizer.step()


def worker(rank: int, folder: str, processes: int, steps: int) -> None:
    """Train on this process's share of every batch and save the weights."""
    store = Path(folder, "store").resolve().as_uri()
    distributed.init_process_group("gloo", init_method=store, rank=rank, world_size=processes)
    torch.set_num_threads(1)
    model = DistributedDataParallel(decoder())
    train(model, steps, slice(rank, None, processes))
    torch.save(model.module.state_dict(), Path(folder, f"{rank}.pt"))
    distributed.destroy_process_group()


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--steps", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(
            worker, (folder, options.processes, options.steps), options.processes
        )
        weights = [torch.load(Path(folder, f"{rank}.pt")) for rank in range(options.processes)]

    alone = decoder()
    before = copy.deepcopy(alone.state_dict())
    train(alone, options.steps, slice(None))
    expected = alone.state_dict()
    moved = max((expected[name] - before[name]).abs().max().item() for name in expected)
    apart = max((expected[name] - weights[0][name]).abs().max().item() for name in expected)
    same = all(torch.equal(each[name], weights[0][name]) for each in weights for name in each)
    print(f"weights moved by up to {moved:.1e}")
    print(f"the {options.processes} processes agree: {same}")
    print(f"largest difference from one process: {apart:.1e}")


if __name__ == "__main__":
    main()
