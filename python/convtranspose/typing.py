# SPDX-License-Identifier: MIT
"""Types of the arguments."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]


class SupportsDLPack(Protocol):
    """A tensor of another library, on the CPU."""

    def __dlpack__(self) -> Any: ...


ArrayLike: TypeAlias = Array | SupportsDLPack
Shape: TypeAlias = Sequence[SupportsIndex] | npt.NDArray[np.integer[Any]]
Activation: TypeAlias = str | tuple[str, float] | tuple[str, float, float] | None
FastMath: TypeAlias = bool | Literal["aggressive"]
