# SPDX-License-Identifier: MIT
"""The programs in docs/recipes do what they say; test_docs.py runs the examples."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import convtranspose as ct

RECIPES = Path(__file__).resolve().parents[2] / "docs" / "recipes"
pytestmark = pytest.mark.skipif(not RECIPES.is_dir(), reason="the tests are not in their tree")


def code_of(recipe: str) -> str:
    """The Python block of a recipe that is no doctest."""
    (block,) = re.findall(
        r"```python\n(?!>>>)(.*?)```", (RECIPES / recipe).read_text("utf-8"), re.DOTALL
    )
    return block


def run(tmp_path: Path, code: str) -> dict:
    script = tmp_path / "recipe.py"
    script.write_text(code, encoding="utf-8")
    return runpy.run_path(str(script))


class Exchange:
    """What the recipe uses of a communicator, for ranks that run one after another in rounds.

    In the first round every rank's messages are kept; in the second they are received.
    """

    def __init__(self, size: int):
        self.size, self.rank, self.messages = size, 0, {}

    def Isend(self, array, to):  # noqa: N802
        self.messages[self.rank, to] = array.copy()
        return SimpleNamespace(Wait=lambda: None)

    def Irecv(self, array, source):  # noqa: N802
        if (source, self.rank) in self.messages:
            np.copyto(array, self.messages[source, self.rank])
        return SimpleNamespace(Wait=lambda: None)


@pytest.mark.parametrize("ranks", [1, 2, 3, 7])
def test_mpi_with_ranks_in_turn(ranks, monkeypatch, tmp_path):
    comm = Exchange(ranks)
    mpi = SimpleNamespace(MPI=SimpleNamespace(COMM_WORLD=comm))
    monkeypatch.setitem(sys.modules, "mpi4py", mpi)
    names = run(tmp_path, code_of("mpi.md"))
    rng = np.random.default_rng(0)
    source = rng.integers(0, 255, (1, 2, 23, 11)).astype(np.float32)
    weights = ct.converters.bilinear_weights(2, 2)
    for _ in range(2):
        bands = []
        for comm.rank in range(ranks):
            mine = names["bands"](23)[comm.rank]
            band = source[:, :, mine.start : mine.stop]
            bands.append(names["upsample"](band, weights, 23))
    descriptor = ct.Convolution2DOpDescriptor.from_torch(stride=2, padding=1, groups=2)
    whole = ct.convolution_transpose_2d(source, weights, (1, 2, 46, 22), descriptor)
    assert np.array_equal(np.concatenate(bands, axis=2), whole)


def test_ray_actor(tmp_path):
    """The class alone: Ray itself takes half a minute to start."""
    code = code_of("ray.md")
    code = code.replace("import ray\n", "")
    names = run(tmp_path, code[: code.index("images = ")])
    actor = names["Upsample"](ct.converters.bilinear_weights(2, 3))
    image = np.ones((16, 3, 256, 256), np.float32)
    image.flags.writeable = False
    result = actor({"data": image})["data"]
    assert result.shape == (16, 3, 512, 512)
    assert (result[:, :, 1:-1, 1:-1] == 1).all()
