// SPDX-License-Identifier: MIT
#include "cpu.hpp"

#include <cstdlib>

#if defined(__x86_64__) || defined(_M_X64)
#define CONVTRANSPOSE_X86 1
#if defined(_MSC_VER)
#include <immintrin.h>
#include <intrin.h>
#else
#include <cpuid.h>
#endif
#endif
#if defined(__linux__)
#include <unistd.h>
#endif
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace convtranspose {
namespace {

#if CONVTRANSPOSE_X86
struct Registers {
  unsigned a, b, c, d;
};

Registers cpuid(unsigned leaf, unsigned subleaf) noexcept {
#if defined(_MSC_VER)
  int r[4];
  __cpuidex(r, static_cast<int>(leaf), static_cast<int>(subleaf));
  return {static_cast<unsigned>(r[0]), static_cast<unsigned>(r[1]), static_cast<unsigned>(r[2]),
          static_cast<unsigned>(r[3])};
#else
  Registers r{0, 0, 0, 0};
  __get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d);
  return r;
#endif
}

/// The register state that the operating system saves.
unsigned saved_state() noexcept {
#if defined(_MSC_VER)
  return static_cast<unsigned>(_xgetbv(0));
#else
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
#endif
}

CpuFeatures detect_features() noexcept {
  CpuFeatures f;
  const Registers one = cpuid(1, 0);
  const auto bit = [](unsigned word, int i) { return ((word >> i) & 1U) != 0; };
  if (!bit(one.c, 27)) return f;  // OSXSAVE
  const unsigned state = saved_state();
  const bool ymm = (state & 0x6U) == 0x6U;
  const bool zmm = (state & 0xe6U) == 0xe6U;
  const Registers seven = cpuid(7, 0);
  f.avx2 = ymm && bit(one.c, 28) && bit(one.c, 29) && bit(seven.b, 5);
  f.fma = ymm && bit(one.c, 12);
  f.avx512 = f.avx2 && f.fma && zmm && bit(seven.b, 16) && bit(seven.b, 17) && bit(seven.b, 30) &&
             bit(seven.b, 31);
  return f;
}
#else
CpuFeatures detect_features() noexcept { return {}; }
#endif

Index positive(long value, Index otherwise) noexcept { return value > 0 ? value : otherwise; }

CacheSizes detect_caches() noexcept {
  CacheSizes sizes{Index{32} << 10, Index{512} << 10, Index{8} << 20};
#if defined(__linux__) && defined(_SC_LEVEL1_DCACHE_SIZE)
  sizes.l1 = positive(sysconf(_SC_LEVEL1_DCACHE_SIZE), sizes.l1);
  sizes.l2 = positive(sysconf(_SC_LEVEL2_CACHE_SIZE), sizes.l2);
  sizes.l3 = positive(sysconf(_SC_LEVEL3_CACHE_SIZE), sizes.l3);
#elif defined(__APPLE__)
  const auto read = [](const char* name, Index otherwise) {
    long long value = 0;
    size_t size = sizeof value;
    return sysctlbyname(name, &value, &size, nullptr, 0) == 0 ? positive(value, otherwise)
                                                              : otherwise;
  };
  sizes.l1 = read("hw.perflevel0.l1dcachesize", sizes.l1);
  sizes.l2 = read("hw.perflevel0.l2cachesize", sizes.l2) / 4;  // shared by a cluster of cores
#endif
  if (const char* text = std::getenv("CONVTRANSPOSE_CACHE_BYTES")) {
    char* end = nullptr;
    for (Index* level : {&sizes.l1, &sizes.l2, &sizes.l3}) {
      *level = positive(std::strtol(text, &end, 10), *level);
      if (*end != ',') break;
      text = end + 1;
    }
  }
  return sizes;
}

}  // namespace

const CpuFeatures& cpu_features() noexcept {
  static const CpuFeatures features = detect_features();
  return features;
}

const CacheSizes& cache_sizes() noexcept {
  static const CacheSizes sizes = detect_caches();
  return sizes;
}

}  // namespace convtranspose
