// SPDX-License-Identifier: MIT
// A pool of std::thread: threads wait for functions in a queue.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "try_executor.hpp"

namespace {

class ThreadPool final : public convtranspose::Executor {
 public:
  explicit ThreadPool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { loop(); });
  }
  ~ThreadPool() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  int concurrency() const noexcept override { return static_cast<int>(threads_.size()) + 1; }

  void parallel_for(convtranspose::Index count, int workers, Task task,
                    void* context) noexcept override {
    Tasks tasks(count, task, context);
    int left = workers - 1;
    std::condition_variable done;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (int worker = 1; worker < workers; ++worker) {
        queue_.emplace_back([&, worker] {
          tasks.work(worker);
          const std::lock_guard<std::mutex> end(mutex_);
          if (--left == 0) done.notify_one();
        });
      }
    }
    wake_.notify_all();
    tasks.work(0);
    std::unique_lock<std::mutex> lock(mutex_);
    done.wait(lock, [&] { return left == 0; });
  }

 private:
  void loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return stop_ || !queue_.empty(); });
      if (queue_.empty()) return;
      const std::function<void()> next = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      next();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  std::vector<std::thread> threads_;
  bool stop_ = false;
};

}  // namespace

int main() {
  ThreadPool pool(3);
  return try_executor("std::thread", pool);
}
