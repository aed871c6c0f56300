# SPDX-License-Identifier: MIT
"""A graph made ready to run: plans, and a place for every tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..typing import Array, ArrayLike
from . import memory
from .builder import refuse
from .fusion import Fuser, needed_tensors
from .memory_ops import PLACEHOLDER, VARIABLE, source_value
from .steps import Step
from .tensor import Operation, Tensor


class Executable:
    """What `Graph.compile` returns; MPSGraph's executable.

    Weights that are constants or variables are packed once (those of variables again after an
    `assign`), a bias and an activation are computed with the convolution that they follow, and
    tensors between the operations share memory as soon as nobody needs them any more. Many threads
    may run it at one time, each in memory of its own, unless it assigns.

    Attributes
    ----------
    feed_tensors, target_tensors : tuple of Tensor
    target_operations : tuple of Operation
    workspace_bytes : int
        Of the memory that tensors between the operations share.
    liveness_bound : int
        The most bytes of such tensors that are needed at one time; `workspace_bytes` cannot be
        less.
    """

    def __init__(
        self, target_tensors: Sequence[Tensor], target_operations: Sequence[Operation]
    ) -> None:
        self.target_tensors = tuple(target_tensors)
        self.target_operations = tuple(target_operations)
        assigned = [operation.inputs[1] for operation in target_operations]
        tensors = needed_tensors([*target_tensors, *assigned])
        self.feed_tensors = tuple(t for t in tensors if t.operation.kind is PLACEHOLDER)
        self._variables = tuple(t for t in tensors if t.operation.kind is VARIABLE)
        fuser = Fuser(tensors, {*target_tensors, *assigned})
        self._constants = fuser.constants
        self._steps = fuser.steps()
        self._slots = _slots(self._steps, set(target_tensors), set(assigned))
        self.workspace_bytes = memory.place(self._slots)
        self.liveness_bound = memory.liveness_bound(self._slots)
        self._free: list[dict[Tensor, Array]] = []  # workspaces that no run is using

    def run(
        self,
        feeds: Mapping[Tensor, ArrayLike],
        results: Mapping[Tensor, Array] | None = None,
    ) -> dict[Tensor, Array]:
        """Compute the targets.

        Parameters
        ----------
        feeds : mapping of Tensor to array
            An array of the right shape and dtype, with any strides, for every placeholder that
            the targets need.
        results : mapping of Tensor to ndarray, optional
            Where to put targets: writeable arrays that overlap no other array; new ones otherwise.

        Returns
        -------
        dict of Tensor to ndarray
            Every target.

        Raises
        ------
        ValueError, TypeError
            If a placeholder is not fed, or an array does not fit. Nothing has been computed then.
        """
        values = dict(self._constants)
        for tensor in self.feed_tensors:
            if tensor not in feeds:
                refuse("run", "feeds", f"an array for {tensor!r}", "none")
            values[tensor] = _checked("feeds", tensor, feeds[tensor])
        for tensor in self._variables:
            value = source_value(tensor)
            assert value is not None
            values[tensor] = value
        targets = self._targets(results or {})
        for tensor in results or {}:
            if any(_share_memory(targets[tensor], value) for value in values.values()):
                refuse("run", f"results[{tensor!r}]", "memory of its own", "an input's")
        try:
            workspace = self._free.pop()
        except IndexError:
            workspace = memory.allocate(self._slots, self.workspace_bytes)
        for step in self._steps:
            output = step.output
            out = targets[output] if output in targets else workspace[output]
            step.run([values[tensor] for tensor in step.inputs], out)
            values[output] = out
        for tensor, target in targets.items():
            if values[tensor] is not target:  # a placeholder, a constant or a variable
                np.copyto(target, values[tensor])
        self._assign(values)
        self._free.append(workspace)
        return targets

    def _targets(self, results: Mapping[Tensor, Array]) -> dict[Tensor, Array]:
        for tensor in results:
            if tensor not in self.target_tensors:
                refuse("run", "results", "target tensors", repr(tensor))
        targets = {}
        for tensor in self.target_tensors:
            if tensor in results:
                targets[tensor] = _checked("results", tensor, results[tensor])
                if not targets[tensor].flags.writeable:
                    refuse("run", f"results[{tensor!r}]", "a writeable array", "a read-only one")
            else:
                targets[tensor] = np.empty(tensor.shape, tensor.dtype)
        return targets

    def _assign(self, values: Mapping[Tensor, Array]) -> None:
        new = [
            (operation.inputs[0], values[operation.inputs[1]])
            for operation in self.target_operations
        ]
        held = {id(source_value(tensor)) for tensor in self._variables}
        # A variable's own numbers may be assigned to another and be overwritten before.
        staged = [(tensor, v.copy() if id(v) in held else v) for tensor, v in new]
        for tensor, value in staged:
            tensor.operation.attributes["storage"].assign(value)

    def explain(self) -> str:
        """One line a step: its operation, and for convolutions the algorithm and what is fused."""
        return "\n".join(step.explain() for step in self._steps)


def _checked(mapping: str, tensor: Tensor, value: ArrayLike) -> Array:
    label = f"{mapping}[{tensor!r}]"
    if not isinstance(value, np.ndarray):
        if mapping == "results" or not hasattr(value, "__dlpack__"):
            refuse("run", label, "a numpy array", type(value).__name__, TypeError)
        value = np.from_dlpack(value)  # type: ignore[arg-type]
    if value.dtype != tensor.dtype:
        refuse("run", label, f"dtype {tensor.dtype}", value.dtype, TypeError)
    if value.shape != tensor.shape:
        refuse("run", label, f"shape {tensor.shape}", value.shape)
    return value


def _share_memory(a: Array, b: Array) -> bool:
    if not np.may_share_memory(a, b):
        return False
    try:
        return np.shares_memory(a, b, max_work=1_000_000)  # type: ignore[arg-type]
    except RuntimeError:  # numpy's TooHardError, which has moved between versions
        return True


def _slots(steps: Sequence[Step], targets: set[Tensor], kept: set[Tensor]) -> list[memory.Slot]:
    """How long each tensor between the steps lives, and which may be written over another."""
    last_use = {tensor: i for i, step in enumerate(steps) for tensor in step.inputs}
    last_use.update(dict.fromkeys(kept, len(steps)))
    slots: list[memory.Slot] = []
    holder: dict[Tensor, memory.Slot] = {}
    for i, step in enumerate(steps):
        output = step.output
        if output in targets:
            continue
        last = last_use.get(output, i)
        slot = next(
            (
                holder[tensor]
                for tensor in step.inputs
                if step.in_place
                and tensor in holder
                and last_use[tensor] == i
                and (tensor.shape, tensor.dtype) == (output.shape, output.dtype)
            ),
            None,
        )
        if slot is None:
            slot = memory.Slot([], memory.rounded(output.nbytes), i, last)
            slots.append(slot)
        slot.tensors.append(output)
        slot.last = last
        holder[output] = slot
    return slots
