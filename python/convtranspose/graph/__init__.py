# SPDX-License-Identifier: MIT
"""MPSGraph's way to say it: operations are inserted into a graph, which then runs as a whole.

A graph is also the way to train with numpy alone: `Graph.gradients` inserts the operations of the
reverse mode, and `Graph.assign` writes variables.
"""

from .executable import Executable
from .graph import Graph
from .tensor import Operation, Tensor

__all__ = ["Executable", "Graph", "Operation", "Tensor"]
