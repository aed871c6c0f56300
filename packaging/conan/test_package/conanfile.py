# SPDX-License-Identifier: MIT
"""Builds and runs the project of tests/consume against the package."""

from pathlib import Path

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class ConvtransposeTest(ConanFile):
    """A program that uses the package."""

    settings = "os", "compiler", "build_type", "arch"
    generators = ("CMakeDeps",)

    def requirements(self) -> None:
        """Test the package that was just made."""
        self.requires(self.tested_reference_str)

    def layout(self) -> None:
        """Keep to Conan's usual folders."""
        cmake_layout(self)

    def generate(self) -> None:
        """Write the toolchain, and nothing into the source tree."""
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.generate()

    def build(self) -> None:
        """Compile."""
        cmake = CMake(self)
        cmake.configure(build_script_folder=Path(__file__).parents[3] / "tests" / "consume")
        cmake.build()

    def test(self) -> None:
        """Run, where the machine built for is this one."""
        if can_run(self):
            program = Path(self.build_folder, self.cpp.build.bindir, "consume")
            self.run(f'"{program}"', env="conanrun")
