// SPDX-License-Identifier: MIT
// No byte beyond any tensor is read or written: each ends right before, then begins right after a
// page that nobody may touch.
#include "support/operation.hpp"
#include "support/problems.hpp"
#include "support/same.hpp"

namespace testing {
namespace {

template <class T>
void check_problem(const Problem& p, Placement placement, Where where) {
  const Operands operands = integer_operands(p);
  for (const Function f : kSums) {
    const Numbers right = rounded<T>(expected(f, p, operands));
    for (const NamedAlgorithm& a : kAlgorithms) {
      const Context context(name_of(f) + " " + a.name + " " + kTypeName<T> + " " + text(p));
      CallOptions options;
      options.algorithm = a.algorithm;
      unless_refused([&] { CHECK_SAME(run<T>(f, p, operands, options, placement, where), right); });
    }
  }
}

void check_everywhere(const Problem& p, Placement placement) {
  if (!kHaveGuardPages) return;
  EveryIsa{}([&] {
    for (const Where where : {Where::BeforePage, Where::AfterPage}) {
      check_problem<float>(p, placement, where);
      check_problem<double>(p, placement, where);
      check_problem<Float16>(p, placement, where);
      check_problem<BFloat16>(p, placement, where);
    }
  });
}

TEST(classes_of_problems) {
  std::size_t turn = 0;
  for (Problem p : class_problems()) {
    p.data_layout = turn % 2 == 0 ? Layout::NCHW : Layout::NHWC;
    p.weights_layout = turn / 2 % 2 == 0 ? Layout::OIHW : Layout::HWIO;
    check_everywhere(p, kPlacements[turn++ % 4]);
  }
}

TEST(channel_counts_and_widths) {
  for (Index n = 1; n <= 40; ++n) {
    Problem p;
    p.source_channels = n;
    p.result_channels = 41 - n;
    p.x = {n, 3, 1 + n % 3, 1, 1, 1, 0};
    p.data_layout = n % 2 == 0 ? Layout::NCHW : Layout::NHWC;
    p.weights_layout = n / 2 % 2 == 0 ? Layout::OIHW : Layout::HWIO;
    check_everywhere(p, Placement::Dense);
    p.groups = n;
    p.source_channels = p.result_channels = 1;
    check_everywhere(p, Placement::Dense);
  }
}

}  // namespace
}  // namespace testing
