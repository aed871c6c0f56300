# SPDX-License-Identifier: MIT
"""Where the C++ library lies that the wheel carries."""

from __future__ import annotations

from pathlib import Path

from . import _core


def _installed(directory: str, file: str) -> str:
    # Beside the extension module: an editable install keeps the Python files elsewhere.
    path = Path(_core.__file__).resolve().parent / directory
    if not (path / file).is_file():
        raise ImportError(
            f"convtranspose: expected the C++ library's {file} in {path}, got an installation "
            "without it; wheels and `pip install .` have it"
        )
    return str(path)


def get_include() -> str:
    """Folder to give a C++ compiler with ``-I``.

    Returns
    -------
    str
        ``<folder>/convtranspose/convtranspose.hpp`` is in it.

    Raises
    ------
    ImportError
        If this installation has no headers.

    Examples
    --------
    >>> import os.path
    >>> import convtranspose
    >>> os.path.isfile(convtranspose.get_include() + "/convtranspose/convtranspose.hpp")
    True
    """
    return _installed("include", "convtranspose/convtranspose.hpp")


def get_cmake_dir() -> str:
    """Folder of the CMake package, for ``-Dconvtranspose_DIR=<folder>``.

    ``python -m convtranspose --cmake-dir`` prints it. Projects built with scikit-build-core need no
    path: they list convtranspose in ``[build-system].requires``.

    Returns
    -------
    str
        ``find_package(convtranspose)`` reads ``<folder>/convtransposeConfig.cmake``.

    Raises
    ------
    ImportError
        If this installation has no CMake package.

    Examples
    --------
    >>> import os.path
    >>> import convtranspose
    >>> os.path.isfile(convtranspose.get_cmake_dir() + "/convtransposeConfig.cmake")
    True
    """
    return _installed("lib/cmake/convtranspose", "convtransposeConfig.cmake")
