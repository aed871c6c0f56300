# SPDX-License-Identifier: MIT
"""Layers that replace PyTorch's, and `accelerate`, which puts them into models."""

from __future__ import annotations

import copy
import io
import pickle

import pytest

torch = pytest.importorskip("torch", minversion="2.4")

import convtranspose.torch as ctt
from convtranspose.torch import library, plan_cache

PAIRS = [(torch.nn.ConvTranspose1d, ctt.ConvTranspose1d)]
PAIRS += [(torch.nn.ConvTranspose2d, ctt.ConvTranspose2d)]
parametrizations = torch.nn.utils.parametrizations


def source(layer, batch=2, extent=6):
    axes = 2 if isinstance(layer, torch.nn.ConvTranspose2d) else 1
    generator = torch.Generator().manual_seed(3)
    shape = (batch, layer.in_channels, *(extent,) * axes)
    return torch.randn(shape, generator=generator, dtype=layer.bias.dtype)


def close(mine, theirs):
    torch.testing.assert_close(mine, theirs, rtol=1e-12, atol=1e-12)


def layer(**changes):
    return torch.nn.ConvTranspose2d(4, 6, 3, 2, 1, dtype=torch.float64, **changes)


@pytest.mark.parametrize(("theirs", "mine"), PAIRS)
def test_layers_share_state_dicts(theirs, mine):
    arguments = {"stride": 3, "padding": 1, "groups": 2, "dilation": 2, "dtype": torch.float64}
    one, other = theirs(4, 6, 3, **arguments), mine(4, 6, 3, **arguments)
    assert repr(one) == repr(other)
    other.load_state_dict(one.state_dict(), strict=True)
    close(other(source(one)), one(source(one)))
    one.load_state_dict(other.state_dict(), strict=True)
    axes = 2 if isinstance(one, torch.nn.ConvTranspose2d) else 1
    size = [one(source(one)).shape[-1] + 2] * axes
    close(other(source(one), size), one(source(one), size))
    with pytest.raises(ValueError, match="valid sizes range"):
        other(source(one), [1] * axes)


@pytest.mark.parametrize(("theirs", "mine"), PAIRS)
@pytest.mark.parametrize("prepack", [False, True])
def test_accelerated_layers_survive_copies_and_files(theirs, mine, prepack):
    layer = theirs(4, 6, 3, stride=2, dtype=torch.float64).eval()
    expected = layer(source(layer))
    ctt.accelerate(layer, prepack=prepack)
    assert type(layer) is mine
    close(layer(source(layer)), expected)
    file = io.BytesIO()
    torch.save(layer, file)
    file.seek(0)
    for other in (
        copy.deepcopy(layer),
        pickle.loads(pickle.dumps(layer)),
        torch.load(file, weights_only=False),
    ):
        assert type(other) is mine
        assert torch.equal(other(source(layer)), layer(source(layer)))
        if prepack:
            assert other.plans is not layer.plans
            assert len(other.plans) == 1


def test_what_is_swapped_and_what_is_kept_why():
    class Own(torch.nn.ConvTranspose2d):
        def forward(self, source):
            return super().forward(source) + 1

    class ConvTransposeBlock(torch.nn.Sequential):
        pass

    patched = torch.nn.ConvTranspose2d(3, 2, 2)
    patched.forward = lambda x: x
    model = torch.nn.ModuleDict(
        {
            "one": torch.nn.ConvTranspose1d(3, 2, 2),
            "inner": ConvTransposeBlock(
                torch.nn.ConvTranspose2d(3, 2, 2), torch.nn.Conv2d(3, 2, 2)
            ),
            "norm": parametrizations.spectral_norm(torch.nn.ConvTranspose2d(3, 2, 2)),
            "ours": ctt.ConvTranspose2d(3, 2, 2),
            "own": Own(3, 2, 2),
            "patched": patched,
            "three": torch.nn.ConvTranspose3d(3, 2, 2),
            "lazy": torch.nn.LazyConvTranspose2d(3, 2),
            "complex": torch.nn.ConvTranspose2d(3, 2, 2, dtype=torch.complex64),
        }
    )
    report = ctt.accelerate(model)
    assert list(report.swapped) == ["one", "inner.0", "norm", "ours"]
    assert list(report.kept) == ["own", "patched", "three", "lazy", "complex"]
    reasons = [
        r"Own is not torch.nn's ConvTranspose1d or 2d",
        "forward method of its own",
        "torch.nn.modules.conv.ConvTranspose3d is not",
        "run the model once",
        "torch.complex64",
    ]
    for said, why in zip(reasons, report.kept.values(), strict=True):
        assert said in why
    assert str(report).splitlines()[:2] == [
        "4 swapped, 5 kept",
        "  swapped one: ConvTranspose1d(3, 2, kernel_size=(2,), stride=(1,))",
    ]
    assert model["inner"][1].__class__ is torch.nn.Conv2d
    with pytest.raises(TypeError, match="accelerate: model: expected a Module, got list"):
        ctt.accelerate([model])


def test_lazy_layers_once_they_know_their_shape():
    model = torch.nn.Sequential(torch.nn.LazyConvTranspose2d(3, 2))
    expected = model(torch.ones(1, 5, 4, 4))
    assert ctt.accelerate(model).swapped
    torch.testing.assert_close(model(torch.ones(1, 5, 4, 4)), expected)


@pytest.mark.filterwarnings("ignore:.*torch.jit.*:DeprecationWarning")
def test_torchscript_is_kept():
    model = torch.nn.Sequential(torch.jit.script(torch.nn.ConvTranspose2d(3, 2, 2)))
    assert "TorchScript" in ctt.accelerate(model).kept["0"]


@pytest.mark.parametrize("prepack", [False, True])
@pytest.mark.parametrize("norm", [parametrizations.weight_norm, parametrizations.spectral_norm])
def test_normalised_weights(norm, prepack):
    model = norm(layer()).eval()
    other = copy.deepcopy(model)
    expected = model(source(model))
    ctt.accelerate(model, prepack=prepack)
    assert isinstance(model, ctt.ConvTranspose2d)
    assert not isinstance(other, ctt.ConvTranspose2d)
    for _ in range(2):
        close(model(source(model)), expected)
    assert model.plans is None
    torch.nn.utils.parametrize.remove_parametrizations(model, "weight")
    assert type(model) is ctt.ConvTranspose2d
    close(model(source(model)), expected)


def test_hooks_and_optimizers_stay():
    model = torch.nn.Sequential(layer(), torch.nn.Tanh())
    seen = []
    model[0].register_forward_hook(lambda *_: seen.append(1))
    other = copy.deepcopy(model)
    optimizers = [torch.optim.Adam(each.parameters(), 0.1) for each in (model, other)]
    parameters = list(model.parameters())
    ctt.accelerate(model)
    assert all(map(lambda a, b: a is b, parameters, model.parameters()))
    for _ in range(3):
        for each, optimizer in zip((model, other), optimizers, strict=True):
            optimizer.zero_grad()
            each(source(layer())).square().sum().backward()
            optimizer.step()
    assert seen
    torch.testing.assert_close(model.state_dict(), other.state_dict())


@pytest.fixture
def packed():
    """Return a prepacked layer with a plan, and PyTorch's with the same weights."""
    theirs = layer().eval()
    mine = copy.deepcopy(theirs)
    ctt.accelerate(mine, prepack=True)
    close(mine(source(mine)), theirs(source(mine)))
    assert len(mine.plans) == 1
    return mine, theirs


def optimized(layer):
    layer(source(layer)).sum().backward()
    torch.optim.SGD(layer.parameters(), 0.1).step()


CHANGES = {
    "in place": lambda layer: layer.weight.detach().mul_(2),
    "bias": lambda layer: layer.bias.detach().add_(1),
    "init": lambda layer: torch.nn.init.constant_(layer.weight, 0.5),
    "state dict": lambda layer: layer.load_state_dict(
        {name: 3 * value for name, value in layer.state_dict().items()}
    ),
    "optimizer": optimized,
    "new parameter": lambda layer: setattr(
        layer, "weight", torch.nn.Parameter(layer.weight.detach() * 4)
    ),
    "new data": lambda layer: setattr(layer.weight, "data", layer.weight.data * 5),
    "no bias": lambda layer: setattr(layer, "bias", None),
    "another dtype": lambda layer: layer.float().double().weight.detach().mul_(2),
    "format": lambda layer: layer.to(memory_format=torch.channels_last),
    "training": lambda layer: (layer.train(), layer.weight.data.mul_(2), layer.eval()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_plans_follow_the_weights(packed, change):
    mine, theirs = packed
    before = mine(source(theirs))
    x = source(theirs)
    for each in packed:
        CHANGES[change](each)
    close(mine(x), theirs(x))
    assert change == "format" or not torch.equal(mine(x), before)


def test_plans_are_kept_and_bounded(packed, monkeypatch):
    mine, theirs = packed
    made = []
    plan = plan_cache.ConvolutionTranspose2DPlan

    def counted(*arguments, **keywords):
        made.append(arguments[0])
        return plan(*arguments, **keywords)

    monkeypatch.setattr(plan_cache, "ConvolutionTranspose2DPlan", counted)
    mine(source(mine))
    assert not made
    for extent in (7, 8, 9, 10, 7, 6):
        x = source(mine, extent=extent)
        close(mine(x), theirs(x))
    assert [shape[-1] for shape in made] == [7, 8, 9, 10, 6]
    assert len(mine.plans) == 4
    mine.train()
    assert len(mine.plans) == 0
    mine(source(mine))
    assert len(mine.plans) == 0


def test_plans_follow_fast_math(packed):
    mine, theirs = packed
    ctt.accelerate(mine, prepack=True, fast_math=True)
    assert mine.fast_math is True
    mine(source(mine))
    mine.fast_math = False
    mine(source(mine))
    assert len(mine.plans) == 2
    mine.fast_math = None
    close(mine(source(mine)), theirs(source(mine)))
    assert len(mine.plans) == 2  # the process asks for no fast math
    with pytest.raises(ValueError, match="accelerate: fast_math: expected"):
        ctt.accelerate(mine, fast_math=2)


def test_plans_differentiate_and_compile(packed):
    mine, theirs = packed
    x = source(mine).requires_grad_()
    gradients = [torch.autograd.grad(each(x).square().sum(), x) for each in packed]
    close(*gradients)
    torch._dynamo.reset()
    compiled = torch.compile(mine, fullgraph=True, backend="aot_eager")
    with torch.no_grad():
        close(compiled(x), theirs(x))
        CHANGES["in place"](mine)
        CHANGES["in place"](theirs)
        close(compiled(x), theirs(x))


def test_inference_mode():
    with torch.inference_mode():
        made_inside = layer().eval()
        expected = made_inside(source(made_inside))
        ctt.accelerate(made_inside, prepack=True)
        close(made_inside(source(made_inside)), expected)
        assert len(made_inside.plans) == 0  # its changes are not counted
    made_outside = layer().eval()
    ctt.accelerate(made_outside, prepack=True)
    with torch.inference_mode():
        made_outside(source(made_outside))
    assert len(made_outside.plans) == 1


def test_plans_go_with_their_layer():
    mine = layer().eval()
    ctt.accelerate(mine, prepack=True)
    number = mine.plans.number
    assert plan_cache.PlanCache.find(number) is mine.plans
    del mine
    assert plan_cache.PlanCache.find(number) is None
    x, w = torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2)
    arguments = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0], True, "up", 0
    alone = library.forward(x, w, None, [1, 1, 3, 3], *arguments, number)
    assert torch.equal(alone, ctt.conv_transpose2d(x, w))
