// SPDX-License-Identifier: MIT
// A process that has used the pool forks, and both go on.
#include <atomic>
#include <cstdlib>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "support/operation.hpp"
#include "support/same.hpp"

namespace testing {
namespace {

using convtranspose::default_executor;

constexpr unsigned kSecondsToHang = 60;

struct Call {
  Problem problem;
  Operands operands;
  Numbers right;

  Call() {
    problem.source_channels = 9;
    problem.result_channels = 20;
    problem.y = problem.x = {16, 3, 2, 1, 1, 1, 1};
    operands = integer_operands(problem);
    right = expected(kSums[0], problem, operands);
  }
  bool good(convtranspose::Executor& executor) const {
    CallOptions options;
    options.executor = &executor;
    return run<float>(kSums[0], problem, operands, options) == right;
  }
};

/// Whether body() is true in a child process; one that hangs is ended.
bool in_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsToHang);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

TEST(child_and_parent_use_the_pool_after_a_fork) {
  convtranspose::set_num_threads(4);
  const Call call;
  for (int repeat = 0; repeat < 8; ++repeat) {
    CHECK(call.good(default_executor()));
    CHECK(in_child([&] { return call.good(default_executor()) && call.good(default_executor()); }));
  }
}

TEST(executor_taken_before_the_fork_works_in_the_child) {
  const Call call;
  convtranspose::Executor& executor = default_executor();
  CHECK(call.good(executor));
  CHECK(in_child([&] {
    for (int i = 0; i < 20; ++i) {
      if (!call.good(executor)) return false;
    }
    return true;
  }));
  CHECK(call.good(executor));
}

TEST(child_of_a_child) {
  const Call call;
  CHECK(call.good(default_executor()));
  CHECK(in_child([&] {
    return call.good(default_executor()) && in_child([&] { return call.good(default_executor()); });
  }));
}

#if !defined(__SANITIZE_ADDRESS__)  // its own allocator's locks may be held when the child begins
TEST(fork_while_other_threads_are_in_calls) {
  const Call call;
  std::atomic<bool> stop{false}, good{true};
  std::thread busy[2];
  for (std::thread& t : busy) {
    t = std::thread([&] {
      while (!stop) good = good && call.good(default_executor());
    });
  }
  for (int repeat = 0; repeat < 8; ++repeat) {
    CHECK(in_child([&] { return call.good(default_executor()) && call.good(default_executor()); }));
  }
  stop = true;
  for (std::thread& t : busy) t.join();
  CHECK(good.load());
}
#endif

}  // namespace
}  // namespace testing
