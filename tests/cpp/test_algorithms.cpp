// SPDX-License-Identifier: MIT
// Every algorithm on every instruction set gives, bit for bit, the sums that the definition gives
// for whole numbers. Run again with other cache sizes by CMakeLists.txt.
#include <map>

#include "support/operation.hpp"
#include "support/problems.hpp"
#include "support/same.hpp"

namespace testing {
namespace {

/// How often each algorithm did a problem.
using Counts = std::map<std::string, int>;

template <class T>
void check_problem(const Problem& p, const Operands& operands, const Numbers (&sums)[3],
                   Placement placement, Counts& counts) {
  for (std::size_t f = 0; f < 3; ++f) {
    const Numbers right = rounded<T>(sums[f]);
    for (const NamedAlgorithm& a : kAlgorithms) {
      const Context context(name_of(kSums[f]) + " " + a.name + " " + kTypeName<T> + " " + text(p));
      CallOptions options;
      options.algorithm = a.algorithm;
      counts[a.name] += unless_refused(
          [&] { CHECK_SAME(run<T>(kSums[f], p, operands, options, placement), right); });
    }
  }
}

void check_every_type(const Problem& p, Placement placement, Counts& counts) {
  const Operands operands = integer_operands(p);
  const Numbers sums[3] = {expected(kSums[0], p, operands), expected(kSums[1], p, operands),
                           expected(kSums[2], p, operands)};
  EveryIsa{}([&] {
    check_problem<float>(p, operands, sums, placement, counts);
    check_problem<double>(p, operands, sums, placement, counts);
    check_problem<Float16>(p, operands, sums, placement, counts);
    check_problem<BFloat16>(p, operands, sums, placement, counts);
  });
}

void check_all_ran(const Counts& counts) {
  for (const NamedAlgorithm& a : kAlgorithms) {
    const Context context(a.name);
    CHECK(counts.at(a.name) > 0);
  }
}

TEST(classes_of_problems_in_every_layout) {
  Counts counts;
  for (const Problem& problem : class_problems()) {
    for_each_layout(problem,
                    [&](const Problem& p) { check_every_type(p, Placement::Dense, counts); });
  }
  check_all_ran(counts);
}

TEST(strided_views) {
  Counts counts;
  std::size_t turn = 0;
  for (const Problem& problem : class_problems()) {
    Problem p = problem;
    p.data_layout = turn % 2 == 0 ? Layout::NCHW : Layout::NHWC;
    p.weights_layout = turn / 2 % 2 == 0 ? Layout::OIHW : Layout::HWIO;
    check_every_type(p, kPlacements[1 + turn++ % 3], counts);
  }
}

TEST(random_problems) {
  Counts counts;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Context context("seed " + std::to_string(seed));
    std::mt19937 generator(seed);
    check_every_type(random_problem(generator), kPlacements[seed % 4], counts);
  }
}

TEST(six_functions_are_three_sums) {
  for (const Problem& p : class_problems()) {
    const Operands operands = integer_operands(p);
    for (const Function f : kFunctions) {
      const Context context(name_of(f));
      CHECK_SAME(run<float>(f, p, operands), rounded<float>(expected(f, p, operands)));
    }
  }
}

}  // namespace
}  // namespace testing
