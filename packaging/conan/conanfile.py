# SPDX-License-Identifier: MIT
"""``conan create packaging/conan``: the C++ library of this checkout."""

import re
from pathlib import Path
from typing import ClassVar

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy

SOURCES = ("CMakeLists.txt", "LICENSE", "THIRD_PARTY_NOTICES", "cpp/*")


class Convtranspose(ConanFile):
    """The library, static unless asked otherwise."""

    name = "convtranspose"
    description = "MPSGraph's transposed convolution and its gradients on the CPU"
    license = "MIT"
    topics = ("convolution", "transposed-convolution", "simd", "mpsgraph")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options: ClassVar = {"shared": [True, False], "fPIC": [True, False]}
    default_options: ClassVar = {"shared": False, "fPIC": True}
    implements = ("auto_shared_fpic",)

    @property
    def _checkout(self) -> Path:
        return Path(self.recipe_folder).parents[1]

    def set_version(self) -> None:
        """Take the version that CMake has."""
        cmake = (self._checkout / "CMakeLists.txt").read_text()
        self.version = re.search(r"VERSION ([0-9.]+)\n", cmake)[1]

    def export_sources(self) -> None:
        """Copy what the library is built from."""
        for pattern in SOURCES:
            copy(self, pattern, self._checkout, self.export_sources_folder)

    def layout(self) -> None:
        """Keep to Conan's usual folders."""
        cmake_layout(self)

    def requirements(self) -> None:
        """Eigen is compiled in, and no business of those who use the library."""
        self.requires("eigen/[>=3.4 <6]", visible=False)

    def validate(self) -> None:
        """Refuse compilers that are told an older standard."""
        check_min_cppstd(self, 17)

    def generate(self) -> None:
        """Write the files that CMake reads."""
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["CONVTRANSPOSE_SHARED"] = bool(self.options.shared)
        toolchain.cache_variables["CONVTRANSPOSE_BUILD_TESTS"] = False
        toolchain.cache_variables["CMAKE_INSTALL_LIBDIR"] = "lib"
        toolchain.generate()

    def build(self) -> None:
        """Compile."""
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self) -> None:
        """Install; the licences go where Conan looks for them."""
        CMake(self).install(component="devel")
        for name in ("LICENSE", "THIRD_PARTY_NOTICES"):
            copy(self, name, self.source_folder, Path(self.package_folder, "licenses"))

    def package_info(self) -> None:
        """Tell other build systems what the CMake package tells CMake."""
        self.cpp_info.libs = ["convtranspose"]
        self.cpp_info.builddirs = ["lib/cmake/convtranspose"]
        self.cpp_info.set_property("cmake_find_mode", "none")  # the package's own files are found
        if not self.options.get_safe("shared"):
            self.cpp_info.defines = ["CONVTRANSPOSE_STATIC"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["pthread", "m"]
