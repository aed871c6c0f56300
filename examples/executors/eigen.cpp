// SPDX-License-Identifier: MIT
// Eigen's thread pool, as TensorFlow and others have one. Its calls come from outside the pool: a
// call from one of its own threads would wait for them.
#if __has_include(<Eigen/ThreadPool>)
#include <Eigen/ThreadPool>
#else
#include <unsupported/Eigen/CXX11/ThreadPool>
#endif

#include "try_executor.hpp"

namespace {

class EigenExecutor final : public convtranspose::Executor {
 public:
  explicit EigenExecutor(Eigen::ThreadPool& pool) : pool_(pool) {}

  int concurrency() const noexcept override { return pool_.NumThreads() + 1; }

  void parallel_for(convtranspose::Index count, int workers, Task task,
                    void* context) noexcept override {
    Tasks tasks(count, task, context);
    Eigen::Barrier done(static_cast<unsigned>(workers - 1));
    for (int worker = 1; worker < workers; ++worker) {
      pool_.Schedule([&, worker] {
        tasks.work(worker);
        done.Notify();
      });
    }
    tasks.work(0);
    done.Wait();
  }

 private:
  Eigen::ThreadPool& pool_;
};

}  // namespace

int main() {
  Eigen::ThreadPool pool(3);
  EigenExecutor executor(pool);
  return try_executor("Eigen", executor);
}
