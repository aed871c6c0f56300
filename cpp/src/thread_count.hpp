// SPDX-License-Identifier: MIT
#pragma once

namespace convtranspose {

constexpr int kMaxThreads = 1024;

/// From the environment, else the CPUs that affinity and cgroup quota leave; 1 to kMaxThreads.
int default_thread_count() noexcept;

}  // namespace convtranspose
