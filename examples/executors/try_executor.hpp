// SPDX-License-Identifier: MIT
// Runs a layer on an executor, alone and from four threads at one time: the bits are the serial
// ones.
#pragma once

#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include <convtranspose/convtranspose.hpp>

/// What every executor here is made of: loops that draw the same tasks from one counter, each for a
/// worker of its own.
class Tasks {
 public:
  Tasks(convtranspose::Index count, convtranspose::Executor::Task task, void* context)
      : count_(count), task_(task), context_(context) {}

  void work(int worker) noexcept {
    for (convtranspose::Index i = next_++; i < count_; i = next_++) task_(context_, i, worker);
  }

 private:
  const convtranspose::Index count_;
  const convtranspose::Executor::Task task_;
  void* const context_;
  std::atomic<convtranspose::Index> next_{0};
};

inline int try_executor(const char* name, convtranspose::Executor& executor) {
  const convtranspose::Shape source{2, 32, 24, 24}, weights{32, 48, 4, 4}, result{2, 48, 48, 48};
  const auto count = [](const convtranspose::Shape& s) {
    return static_cast<std::size_t>(s[0] * s[1] * s[2] * s[3]);
  };
  std::vector<float> a(count(source)), b(count(weights)), serial(count(result));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 101) / 7;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 89) / 11 - 4;
  convtranspose::Convolution2DOpDescriptor descriptor;
  descriptor.stride_in_x = descriptor.stride_in_y = 2;
  descriptor.set_explicit_padding(1, 1, 1, 1);

  const convtranspose::ConvolutionTranspose2DPlan<float> plan(source, {b.data(), weights}, result,
                                                              descriptor);
  plan({a.data(), source}, {serial.data(), result});
  const auto same = [&] {
    convtranspose::RunOptions options;
    options.executor = &executor;
    std::vector<float> mine(count(result));
    for (int i = 0; i < 5; ++i) {
      plan({a.data(), source}, {mine.data(), result}, options);
      if (mine != serial) return false;
    }
    return true;
  };
  std::atomic<bool> good{same()};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      if (!same()) good = false;
    });
  }
  for (std::thread& t : callers) t.join();
  std::printf("%s, %d workers: %s\n", name, executor.concurrency(), good ? "right" : "WRONG");
  return good ? 0 : 1;
}
