// SPDX-License-Identifier: MIT
#include "thread_count.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace convtranspose {
namespace {

/// A positive whole number at the start of the text (OMP_NUM_THREADS may be a list), else 0.
int from_environment(const char* variable) noexcept {
  const char* text = std::getenv(variable);
  if (text == nullptr) return 0;
  const long value = std::strtol(text, nullptr, 10);
  return value < 1 ? 0 : static_cast<int>(std::min<long>(value, kMaxThreads));
}

int affinity() noexcept {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

/// CPUs of the cgroup v2 quota, rounded up; 0 where there is none.
int quota() noexcept {
  int cpus = 0;
#if defined(__linux__)
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "r")) {
    long long limit = 0, period = 0;
    if (std::fscanf(file, "%lld %lld", &limit, &period) == 2 && limit > 0 && period > 0) {
      cpus = static_cast<int>(std::min<long long>((limit + period - 1) / period, kMaxThreads));
    }
    std::fclose(file);
  }
#endif
  return cpus;
}

}  // namespace

int default_thread_count() noexcept {
  for (const char* variable : {"CONVTRANSPOSE_NUM_THREADS", "OMP_NUM_THREADS"}) {
    if (const int count = from_environment(variable)) return count;
  }
  const int cpus = std::clamp(affinity(), 1, kMaxThreads);
  const int limit = quota();
  return limit > 0 ? std::min(cpus, limit) : cpus;
}

}  // namespace convtranspose
