// SPDX-License-Identifier: MIT
// A pool whose workers sleep between calls. It is a table of fixed tasks drawn from one counter, so
// which thread does what never shows in a result.
#include "convtranspose/threads.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "thread_count.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#define CONVTRANSPOSE_FORK 1
#endif

namespace convtranspose {

Executor::~Executor() = default;

namespace {

class SerialExecutor final : public Executor {
 public:
  int concurrency() const noexcept override { return 1; }
  void parallel_for(Index count, int, Task task, void* context) noexcept override {
    for (Index i = 0; i < count; ++i) task(context, i, 0);
  }
};

/// One call's work, shared by the workers that join it.
struct Batch {
  Executor::Task task = nullptr;
  void* context = nullptr;
  Index count = 0;
  std::atomic<Index> next{0};

  void work(int worker) noexcept {
    for (Index i = next.fetch_add(1); i < count; i = next.fetch_add(1)) task(context, i, worker);
  }
};

class Pool final : public Executor {
 public:
  int concurrency() const noexcept override { return get_num_threads(); }

  void parallel_for(Index count, int workers, Task task, void* context) noexcept override {
    const int wanted = static_cast<int>(std::min<Index>(workers, count)) - 1;
    // A nested call, or one beside another: no waiting, no deadlock, the same bits.
    if (wanted < 1 || inside_ || !busy_.try_lock()) {
      for (Index i = 0; i < count; ++i) task(context, i, 0);
      return;
    }
    const int helpers = ensure_workers(wanted);
    batch_.task = task;
    batch_.context = context;
    batch_.count = count;
    batch_.next.store(0);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      open_ = running_ = helpers;
      ++generation_;
    }
    wake_.notify_all();
    inside_ = true;
    batch_.work(0);
    inside_ = false;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      running_ -= open_;  // those that have not woken yet are not needed any more
      open_ = 0;
      done_.wait(lock, [&] { return running_ == 0; });
    }
    busy_.unlock();
  }

  ~Pool() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

 private:
  int ensure_workers(int wanted) noexcept {
    try {
      while (static_cast<int>(threads_.size()) < wanted) {
        threads_.emplace_back([this] { loop(); });
      }
    } catch (const std::exception&) {  // no more threads to be had: go on with those there are
    }
    return std::min(wanted, static_cast<int>(threads_.size()));
  }

  void loop() noexcept {
    inside_ = true;
    std::uint64_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return stop_ || (generation_ != seen && open_ > 0); });
      if (stop_) return;
      seen = generation_;
      const int slot = open_--;
      lock.unlock();
      batch_.work(slot);
      lock.lock();
      if (--running_ == 0) done_.notify_all();
    }
  }

  static inline thread_local bool inside_ = false;

  std::mutex busy_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  Batch batch_;
  std::uint64_t generation_ = 0;
  int open_ = 0;     // places that a worker may still take
  int running_ = 0;  // places taken or open
  bool stop_ = false;
};

std::atomic<Pool*> pool{nullptr};
std::mutex pool_mutex;
std::atomic<int> thread_count{0};

#if CONVTRANSPOSE_FORK
// Only the forking thread lives on in the child: its pool's threads are gone and its locks may be
// held by them. So the child forgets the pool (one small leak) and starts another when needed.
void forget_pool() noexcept {
  pool.store(nullptr);
  new (&pool_mutex) std::mutex;
}
#endif

}  // namespace

Executor& serial_executor() noexcept {
  static SerialExecutor executor;
  return executor;
}

Executor& default_executor() noexcept {
  Pool* current = pool.load(std::memory_order_acquire);
  if (current != nullptr) return *current;
  const std::lock_guard<std::mutex> lock(pool_mutex);
  current = pool.load();
  if (current == nullptr) {
#if CONVTRANSPOSE_FORK
    static const int registered = pthread_atfork(nullptr, nullptr, forget_pool);
    static_cast<void>(registered);
#endif
    current = new (std::nothrow) Pool;  // never destroyed: its threads may outlive static objects
    if (current == nullptr) return serial_executor();
    pool.store(current, std::memory_order_release);
  }
  return *current;
}

int get_num_threads() noexcept {
  int count = thread_count.load(std::memory_order_relaxed);
  if (count == 0) {
    count = default_thread_count();
    thread_count.store(count, std::memory_order_relaxed);
  }
  return count;
}

void set_num_threads(int count) {
  if (count < 1 || count > kMaxThreads) {
    throw std::invalid_argument("set_num_threads: count: expected 1 to " +
                                std::to_string(kMaxThreads) + ", got " + std::to_string(count));
  }
  thread_count.store(count, std::memory_order_relaxed);
}

}  // namespace convtranspose
