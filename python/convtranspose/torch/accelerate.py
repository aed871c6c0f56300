# SPDX-License-Identifier: MIT
"""Put our layers in the place of a model's own."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch.nn.utils import parametrize

from ..typing import FastMath
from .library import fast_math_index
from .modules import ConvTranspose1d, ConvTranspose2d
from .plan_cache import PlanCache
from .tensors import DTYPES

_REPLACEMENTS = {
    torch.nn.ConvTranspose1d: ConvTranspose1d,
    torch.nn.ConvTranspose2d: ConvTranspose2d,
}


@dataclass
class AccelerationReport:
    """What `accelerate` did to the transposed convolutions of a model, by their names in it.

    Attributes
    ----------
    swapped : dict of str to str
        Layers that now run on our kernels, and what they are.
    kept : dict of str to str
        Layers that stay as they were, and why.
    """

    swapped: dict[str, str] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """List the layers, one a line."""
        lines = [f"{len(self.swapped)} swapped, {len(self.kept)} kept"]
        lines += [f"  swapped {name or 'the model'}: {what}" for name, what in self.swapped.items()]
        lines += [f"  kept {name or 'the model'}: {why}" for name, why in self.kept.items()]
        return "\n".join(lines)


def accelerate(
    model: torch.nn.Module, *, prepack: bool = False, fast_math: FastMath | None = None
) -> AccelerationReport:
    """Make the transposed convolutions of a model run on our kernels, in place.

    The layers stay the same objects with the same parameters, hooks and names: they only change
    their class to `ConvTranspose2d` or `ConvTranspose1d`. Optimizers, state dicts, weight and
    spectral norm go on as before, and training is accelerated too.

    Parameters
    ----------
    model : Module
    prepack : bool, default False
        In evaluation mode keep the weights packed, for the last four shapes of input. They are
        packed anew when PyTorch's count of their changes moved, which optimizers, ``load_state_dict``
        and `torch.nn.init` see to; not so ``layer.weight.data.copy_(...)``, after which call
        ``model.train()`` and ``model.eval()``, or `accelerate` again.
    fast_math : bool or "aggressive", optional
        See `convtranspose.operations`; for training, too.

    Returns
    -------
    AccelerationReport
        Also says why the other transposed convolutions were kept.

    Raises
    ------
    TypeError
        If `model` is no Module.
    ValueError
        If `fast_math` is no level of it.

    Examples
    --------
    >>> import torch
    >>> from convtranspose.torch import accelerate
    >>> model = torch.nn.Sequential(
    ...     torch.nn.ConvTranspose2d(8, 3, 4, stride=2, padding=1),
    ...     torch.nn.Tanh())
    >>> print(accelerate(model))
    1 swapped, 0 kept
      swapped 0: ConvTranspose2d(8, 3, kernel_size=(4, 4), stride=(2, 2), padding=(1, 1))
    """
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"accelerate: model: expected a Module, got {type(model).__name__}")
    fast_math_index("accelerate", fast_math)
    report = AccelerationReport()
    for name, layer in model.named_modules():
        if not _is_transposed(layer):
            continue
        reason = _reason_to_keep(layer)
        if reason:
            report.kept[name] = reason
            continue
        _swap(layer)
        # Weights that are computed for every call would be packed for every call.
        layer.plans = PlanCache() if prepack and "weight" in layer._parameters else None
        layer.fast_math = fast_math
        report.swapped[name] = f"{_plain_class(layer).__name__}({layer.extra_repr()})"
    return report


def _is_transposed(layer: torch.nn.Module) -> bool:
    if isinstance(layer, torch.jit.ScriptModule):
        return str(layer.original_name).startswith("ConvTranspose")
    # The name of the base of them all, in torch.nn and in torch.ao.nn.quantized.
    return any(cls.__name__ == "_ConvTransposeNd" for cls in type(layer).__mro__)


def _plain_class(layer: torch.nn.Module) -> type:
    """Return the class of a layer without the one that a parametrization put before it."""
    return type(layer).__bases__[0] if parametrize.is_parametrized(layer) else type(layer)


def _reason_to_keep(layer: torch.nn.Module) -> str | None:
    plain = _plain_class(layer)
    if isinstance(layer, torch.jit.ScriptModule):
        return "it is compiled by TorchScript: accelerate the model before"
    if isinstance(layer, torch.nn.modules.lazy.LazyModuleMixin):
        return "its shape is not known yet: run the model once before"
    if plain not in (*_REPLACEMENTS, *_REPLACEMENTS.values()):
        return f"{plain.__module__}.{plain.__qualname__} is not torch.nn's ConvTranspose1d or 2d"
    if "forward" in vars(layer):
        return "it has a forward method of its own"
    for tensor in (*layer.parameters(), *layer.buffers()):
        if tensor.device.type not in ("cpu", "meta"):
            return f"its parameters are on {tensor.device}"
        if tensor.dtype not in DTYPES:
            return f"its parameters are {tensor.dtype}"
    return None


def _swap(layer: torch.nn.Module) -> None:
    plain = _plain_class(layer)
    replacement = _REPLACEMENTS.get(plain, plain)
    if plain is type(layer):
        layer.__class__ = replacement
    else:
        # The class of a parametrized layer, which copies of the layer share, gives way to its base
        # when the parametrization is removed.
        cls = type(layer)
        own = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
        layer.__class__ = type(cls.__name__, (replacement,), own)
