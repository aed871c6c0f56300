// SPDX-License-Identifier: MIT
// First include of every file in this folder. CMake compiles the folder once per instruction set
// with CONVTRANSPOSE_ISA set to its name; Eigen is renamed with it, so that no inline function of
// one set can be taken for another's by the linker (tests/cpp/check_symbols.cmake proves it).
#pragma once

#if !defined(CONVTRANSPOSE_ISA)
#error "compile this file through cmake/isa.cmake"
#endif

#define CONVTRANSPOSE_JOIN2(a, b) a##b
#define CONVTRANSPOSE_JOIN(a, b) CONVTRANSPOSE_JOIN2(a, b)
#define Eigen CONVTRANSPOSE_JOIN(convtranspose_eigen_, CONVTRANSPOSE_ISA)

#define EIGEN_MPL2_ONLY
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_NO_IO
#define EIGEN_NO_DEBUG

#include <Eigen/Core>

#include "kernel_set.hpp"
#include "number.hpp"
