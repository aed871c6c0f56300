// SPDX-License-Identifier: MIT
// oneTBB. A loop over workers rather than over tasks: a worker's number is its own that way, on
// whatever thread it runs.
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "try_executor.hpp"

namespace {

class TbbExecutor final : public convtranspose::Executor {
 public:
  explicit TbbExecutor(int concurrency) : arena_(concurrency) {}

  int concurrency() const noexcept override { return arena_.max_concurrency(); }

  void parallel_for(convtranspose::Index count, int workers, Task task,
                    void* context) noexcept override {
    Tasks tasks(count, task, context);
    arena_.execute([&] {
      tbb::parallel_for(
          0, workers, [&](int worker) { tasks.work(worker); }, tbb::simple_partitioner());
    });
  }

 private:
  tbb::task_arena arena_;
};

}  // namespace

int main() {
  TbbExecutor executor(4);
  return try_executor("oneTBB", executor);
}
