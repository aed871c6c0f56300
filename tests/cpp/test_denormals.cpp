// SPDX-License-Identifier: MIT
// Numbers below the normal range are computed with, not flushed, and take no more time than others.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "support/operation.hpp"
#include "support/problems.hpp"
#include "support/same.hpp"

namespace testing {
namespace {

template <class T>
constexpr int kSmallest = -149;  // exponent of the smallest number
template <>
constexpr int kSmallest<double> = -1074;
template <>
constexpr int kSmallest<Float16> = -24;
template <>
constexpr int kSmallest<BFloat16> = -133;

/// The data are multiples of the smallest number, the weights integers, so sums are exact.
template <class T>
Operands denormal_operands(const Problem& p) {
  Operands o = integer_operands(p);
  for (double& v : o.source) v = std::ldexp(v, kSmallest<T>);
  return o;
}

template <class T>
void check_values(const Problem& p) {
  const Operands operands = denormal_operands<T>(p);
  const Numbers right = rounded<T>(expected(kSums[0], p, operands));
  for (const NamedAlgorithm& a : kAlgorithms) {
    if (a.algorithm == Algorithm::Winograd) continue;  // its filters have halves of the weights
    const Context context(std::string(a.name) + " " + kTypeName<T> + " " + text(p));
    CallOptions options;
    options.algorithm = a.algorithm;
    unless_refused([&] { CHECK_SAME(run<T>(kSums[0], p, operands, options), right); });
  }
}

TEST(values) {
  std::size_t turn = 0;
  for (Problem p : class_problems()) {
    p.data_layout = turn++ % 2 == 0 ? Layout::NCHW : Layout::NHWC;
    EveryIsa{}([&] {
      check_values<float>(p);
      check_values<double>(p);
      check_values<Float16>(p);
      check_values<BFloat16>(p);
    });
  }
}

using Plan = convtranspose::ConvolutionTranspose2DPlan<float>;

/// The shortest of some runs, which other processes disturb least.
double seconds(const Plan& plan, Tensor<float>& source, Tensor<float>& result) {
  double best = 1e9;
  for (int i = 0; i < 9; ++i) {
    const auto start = std::chrono::steady_clock::now();
    plan(source.view(), result.view());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  return best;
}

/// Prints how much longer denormal numbers take. It is a check where CONVTRANSPOSE_TEST_SPEED is
/// set: on a quiet machine, whose processor multiplies them at full speed.
TEST(speed) {
  Problem p;
  p.source_channels = 32;
  p.result_channels = 32;
  p.y = p.x = {24, 4, 2, 1, 1, 1, 0};
  Tensor<float> usual(p.source(), p.data_layout, integer_operands(p).source);
  Tensor<float> denormal(p.source(), p.data_layout, denormal_operands<float>(p).source);
  Tensor<float> weights(p.weights(), p.weights_layout, integer_operands(p).weights);
  Tensor<float> result(p.result(), p.data_layout);
  for (const NamedAlgorithm& a : kAlgorithms) {
    if (a.algorithm == Algorithm::Reference) continue;
    convtranspose::PlanOptions options;
    options.algorithm = a.algorithm;
    unless_refused([&] {
      const Plan plan(p.source(), weights.view(), p.result(), p.descriptor(), nullptr, options);
      const double ratio = seconds(plan, denormal, result) / seconds(plan, usual, result);
      std::printf("       %s: %.2f times as long\n", a.name, ratio);
      if (std::getenv("CONVTRANSPOSE_TEST_SPEED") != nullptr) CHECK(ratio < 2);
    });
  }
}

}  // namespace
}  // namespace testing
