# SPDX-License-Identifier: MIT
"""What this build holds, and what it runs on."""

from . import _core
from .typing import FastMath


def available_isas() -> tuple[str, ...]:
    """Instruction sets that this build holds and this CPU runs, slowest first.

    Returns
    -------
    tuple of str
        Out of ``"baseline"``, ``"avx2"``, ``"avx512"`` and ``"neon"``.

    Examples
    --------
    >>> from convtranspose import active_isa, available_isas
    >>> active_isa() in available_isas()
    True
    """
    return _core.available_isas()


def active_isa() -> str:
    """Name of the instruction set in use.

    It is the best one available, unless the environment variable ``CONVTRANSPOSE_ISA`` or
    `set_isa` says otherwise.

    Raises
    ------
    ValueError
        If ``CONVTRANSPOSE_ISA`` names one that is unknown or not supported here.

    Examples
    --------
    >>> from convtranspose import active_isa, set_isa
    >>> set_isa(active_isa())  # changes nothing
    """
    return _core.active_isa()


def set_isa(name: str) -> None:
    """Make later calls use the instruction set `name`.

    Raises
    ------
    ValueError
        If it is unknown or not supported here; the message lists those that are.

    Examples
    --------
    >>> import convtranspose
    >>> before = convtranspose.active_isa()
    >>> convtranspose.set_isa(convtranspose.available_isas()[0])
    >>> convtranspose.set_isa(before)
    """
    _core.set_isa(name)


def get_num_threads() -> int:
    """Number of threads a call may use, the caller's included.

    It is what `set_num_threads` said, else ``CONVTRANSPOSE_NUM_THREADS``, else
    ``OMP_NUM_THREADS``, else the CPUs this process may use (affinity and cgroup quota).

    Examples
    --------
    >>> from convtranspose import get_num_threads
    >>> get_num_threads() >= 1
    True
    """
    return _core.get_num_threads()


def set_num_threads(count: int) -> None:
    """Set the number of threads that later calls may use. Results do not depend on it.

    Raises
    ------
    ValueError
        Unless ``1 <= count <= 1024``.

    Examples
    --------
    >>> from convtranspose import get_num_threads, set_num_threads
    >>> before = get_num_threads()
    >>> set_num_threads(1)
    >>> set_num_threads(before)
    """
    _core.set_num_threads(count)


def get_fast_math() -> FastMath:
    """What calls and plans use whose ``fast_math`` is None.

    It is what `set_fast_math` said, else ``CONVTRANSPOSE_FAST_MATH`` (``0``, ``1`` or
    ``aggressive``), else False. See `convtranspose.operations` for what the levels mean.

    Raises
    ------
    ValueError
        If ``CONVTRANSPOSE_FAST_MATH`` is something else.

    Examples
    --------
    >>> from convtranspose import get_fast_math
    >>> get_fast_math()
    False
    """
    return _core.get_fast_math()


def set_fast_math(level: FastMath) -> None:
    """Set what later calls and plans of this process use whose ``fast_math`` is None.

    Parameters
    ----------
    level : bool or "aggressive"

    Raises
    ------
    ValueError, TypeError
        If it is neither.

    Examples
    --------
    >>> from convtranspose import get_fast_math, set_fast_math
    >>> before = get_fast_math()
    >>> set_fast_math(True)
    >>> set_fast_math(before)
    """
    _core.set_fast_math(level)


def build_info() -> dict[str, str]:
    """Facts for a bug report: version, compiler, libraries.

    Examples
    --------
    >>> from convtranspose import build_info
    >>> sorted(build_info())
    ['build_type', 'compiler', 'eigen', 'pybind11', 'version']
    """
    return _core.build_info()
