# SPDX-License-Identifier: MIT
"""The graph itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..typing import Array, ArrayLike
from .activation_ops import ActivationOps
from .builder import refuse
from .convolution_ops import ConvolutionOps
from .executable import Executable
from .gradients import insert_gradients
from .memory_ops import ASSIGN, MemoryOps
from .shape_ops import ShapeOps
from .tensor import Operation, Tensor


class Graph(MemoryOps, ConvolutionOps, ActivationOps, ShapeOps):
    """Operations on tensors, as MPSGraph holds them.

    A method inserts an operation and returns its result, a `Tensor` whose shape and dtype are
    known at once; what does not fit is refused there, by the operation's name. Numbers come when
    the graph runs. Shapes are fixed; there is no device.

    Examples
    --------
    >>> import numpy as np
    >>> import convtranspose as ct
    >>> graph = ct.Graph()
    >>> descriptor = ct.Convolution2DOpDescriptor(stride_in_x=2)
    >>> source = graph.placeholder((1, 1, 1, 3), name="source")
    >>> weights = graph.variable(np.float32([1, 10, 100]).reshape(1, 1, 1, 3), name="weights")
    >>> result = graph.convolution_transpose_2d(source, weights, (1, 1, 1, 7), descriptor, "up")
    >>> feeds = {source: np.float32([1, 2, 3]).reshape(1, 1, 1, 3)}
    >>> graph.run(feeds, [result])[result]
    array([[[[  1.,  10., 102.,  20., 203.,  30., 300.]]]], dtype=float32)

    A training step computes gradients and assigns variables:

    >>> loss = graph.mean(graph.square(result), (0, 1, 2, 3))
    >>> gradient = graph.gradients(loss, [weights])[weights]
    >>> rate = graph.constant(0.1)
    >>> new = graph.stochastic_gradient_descent(rate, weights, gradient)
    >>> step = graph.assign(weights, new)
    >>> losses = [float(graph.run(feeds, [loss], [step])[loss].item()) for _ in range(20)]
    >>> losses[0] > 10 * losses[-1]
    True
    """

    def __init__(self) -> None:
        super().__init__()
        self._executables: dict[tuple[object, ...], Executable] = {}

    def gradients(
        self, of: Tensor, with_respect_to: Sequence[Tensor], name: str | None = None
    ) -> dict[Tensor, Tensor]:
        """Insert the operations that compute derivatives, by the reverse mode.

        Parameters
        ----------
        of : Tensor
            What to differentiate; of a tensor that is no scalar, the sum of its elements.
        with_respect_to : sequence of Tensor
        name : str, optional
            Leads error messages.

        Returns
        -------
        dict of Tensor to Tensor
            The gradient, of the same shape, for each of `with_respect_to`. Gradients are ordinary
            tensors and have gradients themselves.

        Raises
        ------
        ValueError
            If `of` does not depend on one of the tensors.

        Examples
        --------
        >>> from convtranspose import Graph
        >>> graph = Graph()
        >>> x = graph.constant(3.0)
        >>> first = graph.gradients(graph.square(x), [x])[x]
        >>> second = graph.gradients(first, [x])[x]
        >>> [float(value) for value in graph.run({}, [first, second]).values()]
        [6.0, 2.0]
        """
        label = name or "gradients"
        self._check(label, of=of)
        for i, tensor in enumerate(with_respect_to):
            self._check(label, **{f"with_respect_to[{i}]": tensor})
        found = insert_gradients(self, of, with_respect_to)
        for i, tensor in enumerate(with_respect_to):
            if tensor not in found:
                refuse(label, f"with_respect_to[{i}]", f"what {of!r} depends on", repr(tensor))
        return found

    def compile(
        self, target_tensors: Sequence[Tensor], target_operations: Sequence[Operation] = ()
    ) -> Executable:
        """Make the computation of some targets ready to run many times.

        Parameters
        ----------
        target_tensors : sequence of Tensor
            What a run returns.
        target_operations : sequence of Operation
            What a run does besides: operations that `assign` returned.

        Returns
        -------
        Executable

        Raises
        ------
        ValueError, TypeError
            If a target is not of this graph, or two operations assign one variable.

        Examples
        --------
        >>> import numpy as np
        >>> from convtranspose import Convolution2DOpDescriptor, Graph
        >>> graph = Graph()
        >>> source = graph.placeholder((1, 8, 16, 16))
        >>> weights = graph.constant(np.ones((8, 3, 2, 2), np.float32))
        >>> descriptor = Convolution2DOpDescriptor(stride_in_x=2, stride_in_y=2)
        >>> up = graph.convolution_transpose_2d(source, weights, (1, 3, 32, 32), descriptor, "up")
        >>> biased = graph.addition(up, graph.constant(np.ones((1, 3, 1, 1), np.float32)))
        >>> executable = graph.compile([graph.relu(biased)])
        >>> print(executable.explain())
        up: ... on ..., because: ... + bias + relu
        """
        for i, tensor in enumerate(target_tensors):
            self._check("compile", **{f"target_tensors[{i}]": tensor})
        variables = set()
        for i, operation in enumerate(target_operations):
            label = f"target_operations[{i}]"
            if not isinstance(operation, Operation) or operation.kind is not ASSIGN:
                refuse("compile", label, "what assign returned", repr(operation), TypeError)
            if operation.graph is not self:
                refuse("compile", label, "an operation of this graph", "one of another graph")
            if operation.inputs[0] in variables:
                refuse("compile", label, "one assign a variable", f"another of {operation!r}")
            variables.add(operation.inputs[0])
        return Executable(target_tensors, target_operations)

    def run(
        self,
        feeds: Mapping[Tensor, ArrayLike],
        target_tensors: Sequence[Tensor],
        target_operations: Sequence[Operation] = (),
    ) -> dict[Tensor, Array]:
        """Compute targets; each combination of them is compiled once.

        Parameters
        ----------
        feeds : mapping of Tensor to array
            For every placeholder that the targets need.
        target_tensors : sequence of Tensor
        target_operations : sequence of Operation

        Returns
        -------
        dict of Tensor to ndarray
            Every target tensor.

        Raises
        ------
        ValueError, TypeError
            As `compile` and `Executable.run`.
        """
        key = (*target_tensors, None, *target_operations)
        executable = self._executables.get(key)
        if executable is None:
            executable = self.compile(target_tensors, target_operations)
            self._executables[key] = executable
        return executable.run(feeds)
