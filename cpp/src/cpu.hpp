// SPDX-License-Identifier: MIT
// What the processor and the operating system support.
#pragma once

#include "kernels/kernel_set.hpp"

namespace convtranspose {

struct CpuFeatures {
  bool avx2 = false;  // AVX2 and F16C
  bool fma = false;
  bool avx512 = false;  // F, BW, DQ, VL
};

const CpuFeatures& cpu_features() noexcept;

/// Detected sizes, or safe guesses (32 KiB, 512 KiB, 8 MiB); CONVTRANSPOSE_CACHE_BYTES="l1,l2,l3"
/// overrides them for tests.
const CacheSizes& cache_sizes() noexcept;

}  // namespace convtranspose
