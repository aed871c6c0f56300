# SPDX-License-Identifier: MIT
"""Every way to check the tree, each in an environment of its own: ``nox --list`` names them."""

from __future__ import annotations

import hashlib
import sys
import tarfile
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


@nox.session
def integrations(session: nox.Session) -> None:
    """Run the tests, and the examples with them, against every library that there is a bridge to."""
    session.install(
        ".[test,torch,jax,onnx,dask]",
        "distributed",
        "expecttest",  # PyTorch's own samples need it
        "keras>=3",
        "onnxruntime>=1.18",
        "tensorflow-cpu>=2.16; platform_machine == 'x86_64'",
        "zarr>=3",
    )
    session.run("python", "-m", "pytest", "tests/python", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation into build/docs, with warnings as errors."""
    session.install(".[docs]")
    session.run("sphinx-build", "-W", "--keep-going", "docs", "build/docs", *session.posargs)


@nox.session
def consume(session: nox.Session) -> None:
    """Use the C++ library from other projects in every way, as tests/consume/matrix says."""
    session.install(*BUILD_TOOLS)
    (site_packages,) = Path(session.virtualenv.location).glob("**/site-packages")
    eigen = site_packages / "cmeel.prefix"
    session.run(
        "bash",
        "tests/consume/matrix",
        f"-DCMAKE_PREFIX_PATH={eigen}",
        *session.posargs,
        external=True,
    )


@nox.session
def fuzz(session: nox.Session) -> None:
    """Fuzz for a minute, or as the arguments say: ``nox -s fuzz -- -runs=1000000``."""
    session.install(*BUILD_TOOLS)
    (site_packages,) = Path(session.virtualenv.location).glob("**/site-packages")
    session.env["CMAKE_PREFIX_PATH"] = str(site_packages / "cmeel.prefix")
    compiler = session.env.get("CXX", "clang++")
    session.run("cmake", "--preset", "fuzz", f"-DCMAKE_CXX_COMPILER={compiler}")
    session.run("cmake", "--build", "--preset", "fuzz")
    session.run(
        "build/fuzz/tests/fuzz/convtranspose_fuzz",
        "-max_len=64",
        "-timeout=20",
        *(session.posargs or ["-max_total_time=60"]),
        session.create_tmp(),
        "tests/fuzz/corpus",
        external=True,
    )


@nox.session
def valgrind(session: nox.Session) -> None:
    """Run a smoke set of the C++ programs under valgrind: no wrong access, no leak.

    Arguments are for CMake, such as ``-DCONVTRANSPOSE_ISAS=avx2``.
    """
    session.install(*BUILD_TOOLS)
    (site_packages,) = Path(session.virtualenv.location).glob("**/site-packages")
    session.env["CMAKE_PREFIX_PATH"] = str(site_packages / "cmeel.prefix")
    session.run("cmake", "--preset", "dev", *session.posargs)
    session.run("cmake", "--build", "--preset", "dev")
    for program in ("c_program", "mpsgraph_numbers", "adjoint", "errors", "descriptor"):
        session.run(
            *("valgrind", "--quiet", "--error-exitcode=1", "--leak-check=full"),
            *("--show-leak-kinds=definite,indirect", "--errors-for-leak-kinds=definite,indirect"),
            f"build/dev/tests/cpp/convtranspose_test_{program}",
            external=True,
        )


@nox.session
def reproducible(session: nox.Session) -> None:
    """Build the wheel of HEAD twice, in folders of different names: the same bytes."""
    session.install("build")
    when = session.run("git", "log", "-1", "--format=%ct", external=True, silent=True)
    archive = Path(session.create_tmp(), "head.tar").resolve()
    session.run("git", "archive", f"--output={archive}", "HEAD", external=True)
    sums = set()
    for name in ("first", "the-second"):
        tree = archive.parent / name
        with tarfile.open(archive) as tar:
            tar.extractall(tree, filter="data")
        dist = archive.parent / f"{name}-dist"
        session.run(
            *("python", "-m", "build", "--wheel", "--outdir", str(dist), str(tree)),
            *session.posargs,
            env={"SOURCE_DATE_EPOCH": (when or "").strip()},
        )
        (wheel,) = dist.glob("*.whl")
        sums.add(hashlib.sha256(wheel.read_bytes()).hexdigest())
    if len(sums) != 1:
        session.error(f"the wheels differ: {archive.parent}")
    session.log(f"sha256 {sums.pop()}, twice")
