# SPDX-License-Identifier: MIT
"""Every way to check the tree, each in an environment of its own: ``nox --list`` names them."""

from __future__ import annotations

import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.sessions = ["lint", "tests"]
nox.options.default_venv_backend = "virtualenv"

PYPROJECT = nox.project.load_toml("pyproject.toml")
# Builds run without isolation, so that ctest still finds the tools its build was configured with.
BUILD_TOOLS = [*PYPROJECT["build-system"]["requires"], "cmake>=3.25", "ninja"]


@nox.session
def lint(session: nox.Session) -> None:
    """Formatters, linters and type checkers over every tracked file."""
    session.install("pre-commit")
    session.run("pre-commit", "run", "--all-files", "--show-diff-on-failure", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Build and install the package with warnings as errors, then run ctest and pytest on it."""
    build = Path("build", f"tests-{session.python or sys.implementation.cache_tag}")
    session.install(*BUILD_TOOLS)
    session.install(
        "--no-build-isolation",
        f"--config-settings=build-dir={build.as_posix()}",
        "--config-settings=cmake.define.CONVTRANSPOSE_BUILD_TESTS=ON",
        "--config-settings=cmake.define.CONVTRANSPOSE_INSTALL=ON",
        "--config-settings=cmake.define.CONVTRANSPOSE_WARNINGS_AS_ERRORS=ON",
        ".[test]",
    )
    session.run("ctest", "--test-dir", str(build), "--output-on-failure", "--no-tests=error")
    session.run("python", "-m", "pytest", "tests/python", *session.posargs)


@nox.session
def preset(session: nox.Session) -> None:
    """Configure, build and test CMake presets: ``nox -s preset -- sanitizers tsan aarch64``."""
    session.install(*BUILD_TOOLS)
    (site_packages,) = Path(session.virtualenv.location).glob("**/site-packages")
    session.env["CMAKE_PREFIX_PATH"] = str(site_packages / "cmeel.prefix")
    for name in session.posargs or ["sanitizers"]:
        session.run("cmake", "--workflow", "--preset", name)


@nox.session
def dist(session: nox.Session) -> None:
    """Build the sdist and from it the wheel, and run the tests on the oldest supported numpy."""
    session.install("build")
    session.run("python", "-m", "build", "--outdir", session.create_tmp())
    (wheel,) = Path(session.create_tmp()).glob("*.whl")
    (numpy,) = (r for r in PYPROJECT["project"]["dependencies"] if r.startswith("numpy"))
    session.install(f"{wheel}[test]", numpy.replace(">=", "=="))
    session.run("python", "-m", "pytest", "tests/python", *session.posargs)
