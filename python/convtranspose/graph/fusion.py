# SPDX-License-Identifier: MIT
"""From operations to steps: what the targets need, in order, with as much fused as a plan does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from ..typing import Activation, Array
from .memory_ops import CONSTANT, PLACEHOLDER, VARIABLE
from .steps import Step, is_channel_bias, packed, packs, single, weights_gradient
from .tensor import Tensor

_WEIGHTS_GRADIENTS = (
    "convolution_transpose_2d_weights_gradient",
    "convolution_2d_weights_gradient",
)


def needed_tensors(roots: Iterable[Tensor]) -> list[Tensor]:
    """All tensors that the roots are computed from, and the roots, inputs first."""
    found: dict[Tensor, None] = {}
    waiting = list(roots)
    while waiting:
        tensor = waiting.pop()
        if tensor not in found:
            found[tensor] = None
            waiting.extend(tensor.operation.inputs)
    return sorted(found, key=lambda tensor: tensor.operation.number)


def fold_constants(tensors: Iterable[Tensor]) -> dict[Tensor, Array]:
    """Constants, and what follows from constants alone, unless it is larger than they are."""
    known: dict[Tensor, Array] = {}
    for tensor in tensors:
        operation = tensor.operation
        if operation.kind is CONSTANT:
            known[tensor] = operation.attributes["value"]
        elif (
            operation.kind.compute is not None
            and all(source in known for source in operation.inputs)
            and tensor.nbytes <= sum(source.nbytes for source in operation.inputs)
        ):
            value: Array = np.empty(tensor.shape, tensor.dtype)
            operation.kind.compute(operation, [known[x] for x in operation.inputs], value)
            known[tensor] = value
    return known


class Fuser:
    """Walks from each convolution to the bias and the activation that may be computed with it."""

    def __init__(self, tensors: list[Tensor], targets: set[Tensor]) -> None:
        self.constants = fold_constants(tensors)
        self._tensors = [
            tensor
            for tensor in tensors
            if tensor not in self.constants and tensor.operation.kind not in (PLACEHOLDER, VARIABLE)
        ]
        self._targets = targets
        self._readers: dict[Tensor, list[Tensor]] = {}
        for tensor in self._tensors:
            for source, times in Counter(tensor.operation.inputs).items():
                self._readers.setdefault(source, []).extend([tensor] * times)

    def steps(self) -> list[Step]:
        """One step for every tensor that has to be stored."""
        steps: list[Step] = []
        inside: set[Tensor] = set()  # tensors that a fused step computes on its way
        for tensor in self._tensors:
            operation = tensor.operation
            if tensor in inside:
                continue
            if packs(operation, self.constants):
                last, bias, activation = self._chain(tensor, inside)
                steps.append(packed(operation, last, self.constants, bias, activation))
            elif operation.kind.label in _WEIGHTS_GRADIENTS:
                steps.append(weights_gradient(tensor))
            else:
                steps.append(single(tensor))
        # A fused step stands where its convolution stood, so its readers still come later.
        return steps

    def _only_reader(self, tensor: Tensor) -> Tensor | None:
        readers = self._readers.get(tensor, [])
        return readers[0] if len(readers) == 1 and tensor not in self._targets else None

    def _chain(
        self, convolution: Tensor, inside: set[Tensor]
    ) -> tuple[Tensor, Tensor | None, Activation]:
        last, bias, activation = convolution, None, None
        reader = self._only_reader(last)
        if reader is not None and reader.operation.kind.label == "addition":
            a, b = reader.operation.inputs
            other = b if a is last else a
            known = other in self.constants or other.operation.kind is VARIABLE
            if known and is_channel_bias(other, convolution):
                last, bias = reader, other
                inside.add(last)
                reader = self._only_reader(last)
        if reader is not None:
            activation = _activation_of(reader)
            if activation is not None:
                last = reader
                inside.add(last)
        return last, bias, activation


def _activation_of(tensor: Tensor) -> Activation:
    kind = tensor.operation.kind.label
    if kind == "leaky_relu":
        return (kind, tensor.operation.attributes["alpha"])
    return kind if kind in ("relu", "sigmoid", "tanh") else None
