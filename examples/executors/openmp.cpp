// SPDX-License-Identifier: MIT
// OpenMP: a team of its threads for every loop.
#include <omp.h>

#include "try_executor.hpp"

namespace {

class OpenMpExecutor final : public convtranspose::Executor {
 public:
  int concurrency() const noexcept override { return omp_get_max_threads(); }

  void parallel_for(convtranspose::Index count, int workers, Task task,
                    void* context) noexcept override {
    Tasks tasks(count, task, context);
#pragma omp parallel num_threads(workers)
    tasks.work(omp_get_thread_num());
  }
};

}  // namespace

int main() {
  omp_set_num_threads(4);
  OpenMpExecutor executor;
  return try_executor("OpenMP", executor);
}
