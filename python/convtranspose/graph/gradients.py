# SPDX-License-Identifier: MIT
"""The reverse mode: operations that compute derivatives, inserted into the same graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .tensor import Tensor

if TYPE_CHECKING:
    from .graph import Graph


def _ancestors(of: Tensor) -> list[Tensor]:
    """The tensor and all that it is computed from, latest insertion first."""
    found: dict[Tensor, None] = {}
    waiting = [of]
    while waiting:
        tensor = waiting.pop()
        if tensor not in found:
            found[tensor] = None
            waiting.extend(tensor.operation.inputs)
    return sorted(found, key=lambda tensor: -tensor.operation.number)


def insert_gradients(
    graph: Graph, of: Tensor, with_respect_to: Iterable[Tensor]
) -> dict[Tensor, Tensor]:
    """Gradient of the sum of `of`'s elements; no entry where `of` does not depend on the tensor."""
    wanted = list(with_respect_to)
    ancestors = _ancestors(of)
    relevant = set(wanted)  # tensors whose gradient is wanted or leads to a wanted one
    for tensor in reversed(ancestors):
        if relevant.intersection(tensor.operation.inputs):
            relevant.add(tensor)

    one = graph.constant(1, of.dtype)
    gradients = {of: one if of.shape == () else graph.broadcast(one, of.shape)}
    for tensor in ancestors:
        gradient = tensor.operation.kind.gradient
        if tensor not in gradients or gradient is None:
            continue
        parts = gradient(graph, tensor, gradients[tensor])
        for source, part in zip(tensor.operation.inputs, parts, strict=True):
            if part is None or source not in relevant:
                continue
            gradients[source] = (
                graph.addition(gradients[source], part()) if source in gradients else part()
            )
    return {tensor: gradients[tensor] for tensor in wanted if tensor in gradients}
