# SPDX-License-Identifier: MIT
"""Builds and runs the project of tests/consume against the package."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class ConvtransposeTest(ConanFile):
    """A program that uses the package."""

    settings = "os", "compiler", "build_type", "arch"
    generators = ("CMakeDeps", "CMakeToolchain")

    def requirements(self) -> None:
        """Test the package that was just made."""
        self.requires(self.tested_reference_str)

    def layout(self) -> None:
        """Keep to Conan's usual folders."""
        cmake_layout(self)

    def build(self) -> None:
        """Compile."""
        cmake = CMake(self)
        cmake.configure(build_script_folder=Path(__file__).parents[3] / "tests" / "consume")
        cmake.build()

    def test(self) -> None:
        """Run, where the machine built for is this one."""
        if can_run(self):
            self.run(str(Path(self.cpp.build.bindir, "consume")), env="conanrun")
