// SPDX-License-Identifier: MIT
// Every allocation of a call fails once: the call throws std::bad_alloc and has written nothing, or
// does without. The replaced operators count the allocations of this process.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "support/plan.hpp"
#include "support/same.hpp"
#include <convtranspose/convtranspose.h>

namespace {

std::atomic<long> allowed{-1};  // allocations until one fails; negative: none does

void* allocate(std::size_t size, std::size_t alignment) {
  const long left = allowed.load();
  if (left == 0) {
    allowed = -1;
    return nullptr;
  }
  if (left > 0) allowed = left - 1;
  return std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* p = allocate(size, alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

/// Lets so many allocations through, fails the next one, lets all others through.
class FailAfter {
 public:
  explicit FailAfter(long count) { allowed = count; }
  ~FailAfter() { allowed = -1; }
  FailAfter(const FailAfter&) = delete;
  FailAfter& operator=(const FailAfter&) = delete;
  bool happened() const { return allowed < 0; }
};

constexpr std::size_t kUsual = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size, kUsual); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, kUsual);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace testing {
namespace {

/// Fails the first allocation of a call, the second, and so on until one call needs no more.
void check_every_failure(Function f, const Problem& p, const CallOptions& options) {
  const Operands operands = integer_operands(p);
  const Numbers right = rounded<float>(expected(f, p, operands));
  int failures = 0;
  for (long n = 0;; ++n) {
    const Written written = written_by(f);
    Tensor<float> source(p.source(), p.data_layout, operands.source);
    Tensor<float> weights(p.weights(), p.weights_layout, operands.weights);
    Tensor<float> result(p.result(), p.data_layout, operands.result);
    Tensor<float>& output = written == Written::Result   ? result
                            : written == Written::Source ? source
                                                         : weights;
    const Numbers before = output.numbers();
    bool thrown = false, failed = false;
    try {
      const FailAfter failure(n);
      call<float>(f, source.view(), weights.view(), result.view(), p.descriptor(), options);
      failed = failure.happened();
    } catch (const std::bad_alloc&) {
      thrown = failed = true;
    }
    CHECK_SAME(output.numbers(), thrown ? before : right);
    if (!failed) break;
    failures += thrown;
  }
  CHECK(failures > 0);
}

TEST(every_allocation_may_fail) {
  Problem p;
  p.batch = 2;
  p.source_channels = 9;
  p.result_channels = 20;
  p.y = p.x = {8, 3, 2, 1, 1, 1, 1};
  for (const Function f : kSums) {
    for (const NamedAlgorithm& a : kAlgorithms) {
      if (a.algorithm == Algorithm::Reference) continue;  // needs no memory
      const Context context(name_of(f) + " " + a.name);
      CallOptions options;
      options.algorithm = a.algorithm;
      unless_refused([&] { check_every_failure(f, p, options); });
    }
  }
}

TEST(plan_with_a_workspace_allocates_nothing) {
  Problem p;
  p.batch = 2;
  p.source_channels = 9;
  p.result_channels = 20;
  p.y = p.x = {8, 3, 2, 1, 1, 1, 1};
  const Operands operands = integer_operands(p);
  for (const NamedAlgorithm& a : kAlgorithms) {
    const Context context(a.name);
    Tensor<float> source(p.source(), p.data_layout, operands.source);
    Tensor<float> weights(p.weights(), p.weights_layout, operands.weights);
    Tensor<float> result(p.result(), p.data_layout);
    convtranspose::PlanOptions plan_options;
    plan_options.algorithm = a.algorithm;
    unless_refused([&] {
      const convtranspose::ConvolutionTranspose2DPlan<float> plan(
          p.source(), weights.view(), p.result(), p.descriptor(), nullptr, plan_options);
      convtranspose::RunOptions options;
      options.workspace_bytes = plan.workspace_bytes();
      Memory workspace(static_cast<std::size_t>(options.workspace_bytes), Where::Heap, 64);
      options.workspace = workspace.data();
      bool allocated;
      {
        const FailAfter failure(0);
        plan(source.view(), result.view(), options);
        allocated = failure.happened();
      }
      CHECK(!allocated);
    });
    if (!result.untouched()) CHECK_SAME(result.numbers(), expected(kSums[0], p, operands));
  }
}

TEST(c_functions_report_it) {
  float source[64], weights[8 * 8 * 9], result[8 * 16 * 16];
  const convtranspose_tensor s = convtranspose_dense(source, CONVTRANSPOSE_FLOAT32, 1, 8, 2, 4);
  const convtranspose_tensor w = convtranspose_dense(weights, CONVTRANSPOSE_FLOAT32, 8, 8, 3, 3);
  const convtranspose_tensor r = convtranspose_dense(result, CONVTRANSPOSE_FLOAT32, 1, 8, 5, 9);
  convtranspose_descriptor d = CONVTRANSPOSE_DESCRIPTOR_INIT;
  d.stride_in_x = d.stride_in_y = 2;
  std::fill_n(source, 64, 1.0F);
  std::fill_n(weights, 8 * 8 * 9, 1.0F);
  constexpr auto kOperation = CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D;
  for (long n = 0, succeeded = 0; succeeded < 2; ++n) {
    convtranspose_plan* plan = nullptr;
    convtranspose_status called, made;
    {
      const FailAfter failure(n);
      called = convtranspose_call(kOperation, &s, &w, &r, &d, nullptr);
    }
    {
      const FailAfter failure(n);
      made = convtranspose_plan_create(&plan, kOperation, &s, &w, &r, &d, nullptr);
    }
    convtranspose_plan_destroy(plan);
    if (n == 0) CHECK_EQUAL(called, CONVTRANSPOSE_OUT_OF_MEMORY);
    if (n == 0) CHECK_EQUAL(made, CONVTRANSPOSE_OUT_OF_MEMORY);
    for (const convtranspose_status status : {called, made}) {
      CHECK(status == CONVTRANSPOSE_OK || status == CONVTRANSPOSE_OUT_OF_MEMORY);
    }
    succeeded = (called == CONVTRANSPOSE_OK) + (made == CONVTRANSPOSE_OK);
  }
}

TEST(pool_that_cannot_start) {
  Problem p;
  p.batch = 4;
  p.source_channels = 9;
  p.result_channels = 20;
  p.y = p.x = {8, 3, 2, 1, 1, 1, 1};
  const Operands operands = integer_operands(p);
  const Numbers right = expected(kSums[0], p, operands);
  convtranspose::set_num_threads(4);
  for (long n = 0; n < 12; ++n) {
    Tensor<float> source(p.source(), p.data_layout, operands.source);
    Tensor<float> weights(p.weights(), p.weights_layout, operands.weights);
    Tensor<float> result(p.result(), p.data_layout);
    CallOptions options;
    bool thrown = false;
    try {
      const FailAfter failure(n);
      options.executor = &convtranspose::default_executor();
      call<float>(kSums[0], source.view(), weights.view(), result.view(), p.descriptor(), options);
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    if (thrown) {
      CHECK(result.untouched());
    } else {
      CHECK_SAME(result.numbers(), right);
    }
  }
}

}  // namespace
}  // namespace testing
