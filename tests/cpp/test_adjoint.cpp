// SPDX-License-Identifier: MIT
// The operations are linear in each argument, and the gradients are their adjoints:
//   <T(s, w), r> = <s, G(r, w)> = <w, D(r, s)>
// for numbers with all their digits, where no sum is exact.
#include <algorithm>
#include <cmath>

#include "support/operation.hpp"
#include "support/problems.hpp"

namespace testing {
namespace {

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
double norm(const Numbers& a) { return std::sqrt(dot(a, a)); }

/// Half the distance from 1 to the next number.
template <class T>
constexpr double kUnit = 0x1p-24;
template <>
constexpr double kUnit<double> = 0x1p-53;
template <>
constexpr double kUnit<Float16> = 0x1p-11;
template <>
constexpr double kUnit<BFloat16> = 0x1p-8;

template <class T>
void check_adjoint(const Problem& p, const Operands& full, Algorithm algorithm) {
  const Operands o{rounded<T>(full.source), rounded<T>(full.weights), rounded<T>(full.result)};
  CallOptions options;
  options.algorithm = algorithm;
  Numbers result, source, weights;
  const bool done = unless_refused([&] {
    result = run<T>(kSums[0], p, o, options);
    source = run<T>(kSums[1], p, o, options);
    weights = run<T>(kSums[2], p, o, options);
  });
  if (!done) return;
  const double forward = dot(result, o.result);
  // One rounding to storage, and a random walk of as many roundings as a sum has terms, each
  // relative to the size of what the norms measure.
  const double terms = static_cast<double>(p.batch * p.source_channels * p.result_channels *
                                               p.y.kernel * p.x.kernel +
                                           p.batch * p.y.source * p.x.source);
  const double sum_unit = std::min(kUnit<T>, kUnit<float>);
  const double allowed = kUnit<T> + std::sqrt(terms) * sum_unit;
  const double scale = std::max({norm(result) * norm(o.result), norm(source) * norm(o.source),
                                 norm(weights) * norm(o.weights)});
  CHECK(std::fabs(forward - dot(source, o.source)) <= allowed * scale);
  CHECK(std::fabs(forward - dot(weights, o.weights)) <= allowed * scale);
}

TEST(gradients_are_adjoints) {
  for (unsigned seed = 0; seed < 120; ++seed) {
    std::mt19937 generator(seed);
    const Problem p = random_problem(generator);
    const Operands operands = fraction_operands(p, seed);
    EveryIsa{}([&] {
      for (const NamedAlgorithm& a : kAlgorithms) {
        const Context context("seed " + std::to_string(seed) + " " + a.name + " " + text(p));
        check_adjoint<float>(p, operands, a.algorithm);
        check_adjoint<double>(p, operands, a.algorithm);
        check_adjoint<Float16>(p, operands, a.algorithm);
        check_adjoint<BFloat16>(p, operands, a.algorithm);
      }
    });
  }
}

}  // namespace
}  // namespace testing
