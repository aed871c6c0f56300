// SPDX-License-Identifier: MIT
// Where the work runs: an executor of the caller's, the library's pool, or the calling thread.
#pragma once

#include "convtranspose/descriptor.hpp"
#include "convtranspose/export.hpp"

namespace convtranspose {

/// Runs independent tasks. Implement it to run the library on threads of your own.
class CONVTRANSPOSE_EXPORT Executor {
 public:
  /// Does task number `task` on worker number `worker`; never throws.
  using Task = void (*)(void* context, Index task, int worker);

  virtual ~Executor();
  /// How many workers a call may sensibly ask for; at least 1.
  virtual int concurrency() const noexcept = 0;
  /// Calls task(context, i, worker) once for every i in [0, count) and returns when all are done.
  /// No two tasks that run at one time may be given the same worker, and 0 <= worker < workers.
  virtual void parallel_for(Index count, int workers, Task task, void* context) noexcept = 0;
};

/// Runs everything in the calling thread: the default in C++.
CONVTRANSPOSE_EXPORT Executor& serial_executor() noexcept;

/// The library's own pool, started on first use: the default in Python. Safe after fork(); a nested
/// call, or one made while the pool is busy, runs in the calling thread.
CONVTRANSPOSE_EXPORT Executor& default_executor() noexcept;

/// Number of threads default_executor() uses, the caller's included: what set_num_threads() said,
/// else CONVTRANSPOSE_NUM_THREADS, else OMP_NUM_THREADS, else the CPUs this process may use
/// (affinity and cgroup quota).
CONVTRANSPOSE_EXPORT int get_num_threads() noexcept;

/// Throws std::invalid_argument unless 1 <= count <= 1024.
CONVTRANSPOSE_EXPORT void set_num_threads(int count);

}  // namespace convtranspose
