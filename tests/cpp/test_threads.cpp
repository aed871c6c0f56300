// SPDX-License-Identifier: MIT
// Results do not depend on who runs the tasks: the library's pool or an executor of the caller's,
// any number of workers, nested or concurrent calls.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "support/operation.hpp"
#include "support/problems.hpp"
#include "support/same.hpp"

namespace testing {
namespace {

using convtranspose::default_executor;
using convtranspose::Executor;
using convtranspose::get_num_threads;
using convtranspose::set_num_threads;

/// Starts threads for every call, which is all the promise of Executor asks for. Notes misuse.
class ThreadPerWorker final : public Executor {
 public:
  explicit ThreadPerWorker(int concurrency) : concurrency_(concurrency) {}
  int concurrency() const noexcept override { return concurrency_; }
  void parallel_for(Index count, int workers, Task task, void* context) noexcept override {
    largest_ = std::max(largest_.load(), workers);
    std::atomic<Index> next{0};
    std::vector<std::thread> threads;
    for (int worker = 0; worker < workers; ++worker) {
      threads.emplace_back([&, worker] {
        for (Index i = next++; i < count; i = next++) task(context, i, worker);
      });
    }
    for (std::thread& t : threads) t.join();
  }
  int largest() const { return largest_; }

 private:
  int concurrency_;
  std::atomic<int> largest_{0};
};

/// Runs the tasks from the last to the first, on the last worker.
class Backwards final : public Executor {
 public:
  int concurrency() const noexcept override { return 4; }
  void parallel_for(Index count, int workers, Task task, void* context) noexcept override {
    for (Index i = count; i-- > 0;) task(context, i, workers - 1);
  }
};

/// Problems with work for several threads in each of the three sums.
std::vector<Problem> busy_problems() {
  Problem wide, deep, grouped;
  wide.batch = 3;
  wide.source_channels = 5;
  wide.result_channels = 20;
  wide.y = {17, 3, 2, 1, 1, 1, 1};
  wide.x = {19, 3, 2, 1, 1, 1, 1};
  deep.source_channels = 70;
  deep.result_channels = 90;
  deep.y = {8, 4, 2, 1, 1, 1, 0};
  deep.x = {9, 4, 2, 1, 1, 1, 0};
  deep.data_layout = Layout::NHWC;
  deep.weights_layout = Layout::HWIO;
  grouped.batch = 2;
  grouped.groups = 12;
  grouped.y = {21, 5, 1, 2, 4, 4, 0};
  grouped.x = {33, 3, 1, 1, 1, 1, 0};
  return {wide, deep, grouped};
}

/// body(function, problem, operands, options, result of one thread) for all there is.
template <class Body>
void for_each_case(const Body& body) {
  for (const Problem& p : busy_problems()) {
    const Operands operands = fraction_operands(p);
    for (const Function f : kSums) {
      for (const NamedAlgorithm& a : kAlgorithms) {
        const Context context(name_of(f) + " " + a.name + " " + text(p));
        CallOptions options;
        options.algorithm = a.algorithm;
        unless_refused([&] {
          const Numbers alone = run<float>(f, p, operands, options);
          body(f, p, operands, options, alone);
        });
      }
    }
  }
}

/// Restores the number of threads of the pool.
class KeepThreads {
 public:
  KeepThreads() : before_(get_num_threads()) {}
  ~KeepThreads() { set_num_threads(before_); }

 private:
  int before_;
};

TEST(every_number_of_threads_gives_the_same_bits) {
  const KeepThreads keep;
  EveryIsa{}([] {
    for_each_case([](Function f, const Problem& p, const Operands& o, CallOptions options,
                     const Numbers& alone) {
      options.executor = &default_executor();
      for (const int threads : {1, 2, 3, 7}) {
        set_num_threads(threads);
        CHECK_SAME(run<float>(f, p, o, options), alone);
      }
      set_num_threads(7);
      for (const int threads : {1, 2, 3, 100}) {
        options.threads = threads;
        CHECK_SAME(run<float>(f, p, o, options), alone);
      }
    });
  });
}

TEST(executors_of_the_caller) {
  for_each_case([](Function f, const Problem& p, const Operands& o, CallOptions options,
                   const Numbers& alone) {
    ThreadPerWorker three(3), none(0);
    Backwards backwards;
    for (Executor* executor :
         {static_cast<Executor*>(&three), static_cast<Executor*>(&none),
          static_cast<Executor*>(&backwards), &convtranspose::serial_executor()}) {
      options.executor = executor;
      CHECK_SAME(run<float>(f, p, o, options), alone);
    }
    CHECK(three.largest() <= 3);
    ThreadPerWorker limited(5);
    options.executor = &limited;
    options.threads = 2;
    CHECK_SAME(run<float>(f, p, o, options), alone);
    CHECK(limited.largest() <= 2);
  });
}

TEST(nested_calls) {
  const KeepThreads keep;
  set_num_threads(3);
  const Problem p = busy_problems()[0];
  const Operands operands = fraction_operands(p);
  const Numbers alone = run<float>(kSums[0], p, operands);
  struct Inner {
    const Problem& p;
    const Operands& operands;
    std::vector<Numbers> results;
  } inner{p, operands, std::vector<Numbers>(6)};
  default_executor().parallel_for(
      6, 3,
      [](void* context, Index task, int) {
        auto& in = *static_cast<Inner*>(context);
        CallOptions options;
        options.executor = &default_executor();
        in.results[static_cast<std::size_t>(task)] =
            run<float>(kSums[0], in.p, in.operands, options);
      },
      &inner);
  for (const Numbers& result : inner.results) CHECK_SAME(result, alone);
}

TEST(eight_threads_call_at_once_while_a_ninth_changes_the_number) {
  const KeepThreads keep;
  set_num_threads(4);
  const auto problems = busy_problems();
  std::vector<Operands> operands;
  std::vector<Numbers> alone;
  for (const Problem& p : problems) {
    operands.push_back(fraction_operands(p));
    for (const Function f : kSums) alone.push_back(run<float>(f, p, operands.back()));
  }
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (int i = 0; !stop; ++i) {
      set_num_threads(1 + i % 7);
      std::this_thread::yield();
    }
  });
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&, caller] {
      CallOptions options;
      options.executor = &default_executor();
      for (std::size_t i = caller; i < caller + 2 * alone.size(); ++i) {
        const std::size_t which = i % alone.size();
        CHECK_SAME(run<float>(kSums[which % 3], problems[which / 3], operands[which / 3], options),
                   alone[which]);
      }
    });
  }
  for (std::thread& t : callers) t.join();
  stop = true;
  changer.join();
}

TEST(pool_runs_every_task_once_and_no_worker_twice_at_a_time) {
  const KeepThreads keep;
  set_num_threads(5);
  struct Record {
    std::vector<std::atomic<int>> tasks = std::vector<std::atomic<int>>(1000);
    std::vector<std::atomic<int>> busy = std::vector<std::atomic<int>>(5);
    std::atomic<int> clashes{0};
  };
  for (int repeat = 0; repeat < 20; ++repeat) {
    Record record;
    default_executor().parallel_for(
        1000, 5,
        [](void* context, Index task, int worker) {
          auto& r = *static_cast<Record*>(context);
          if (worker < 0 || worker >= 5) {
            ++r.clashes;
            return;
          }
          auto& mine = r.busy[static_cast<std::size_t>(worker)];
          if (mine++ != 0) ++r.clashes;
          ++r.tasks[static_cast<std::size_t>(task)];
          --mine;
        },
        &record);
    CHECK_EQUAL(record.clashes.load(), 0);
    CHECK(std::all_of(record.tasks.begin(), record.tasks.end(),
                      [](const auto& n) { return n == 1; }));
  }
}

TEST(set_num_threads_refuses) {
  const KeepThreads keep;
  for (const int count : {0, -1, 1025}) {
    CHECK_EQUAL(message_of<std::invalid_argument>([&] { set_num_threads(count); }),
                "set_num_threads: count: expected 1 to 1024, got " + std::to_string(count));
  }
  set_num_threads(1024);
  CHECK_EQUAL(get_num_threads(), 1024);
}

}  // namespace
}  // namespace testing
