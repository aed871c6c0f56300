// SPDX-License-Identifier: MIT
// Results of other sizes than the relation allows: refused under strict, else cropped or filled
// with zeros at the end, by every algorithm.
#include "support/operation.hpp"
#include "support/same.hpp"

namespace testing {
namespace {

TEST(other_sizes) {
  for (Index off = -3; off <= 9; ++off) {
    Problem p;
    p.source_channels = 3;
    p.result_channels = 2;
    p.y = {4, 3, 2, 1, 1, 0, off};
    p.x = {5, 2, 3, 2, 0, 1, -off};
    if (p.x.result() < 0) continue;
    const Operands operands = integer_operands(p);
    EveryIsa{}([&] {
      for (const Function f : kSums) {
        for (const NamedAlgorithm& a : kAlgorithms) {
          const Context context(std::string(a.name) + " " + text(p));
          CallOptions options;
          options.algorithm = a.algorithm;
          options.strict = false;
          unless_refused([&] {
            CHECK_SAME(run<float>(f, p, operands, options),
                       rounded<float>(expected(f, p, operands)));
          });
          options.strict = true;
          const bool allowed = off == 0;
          CHECK_EQUAL(message_of<std::invalid_argument>([&] {
                        unless_refused([&] { run<float>(f, p, operands, options); });
                      }).empty(),
                      allowed);
        }
      }
    });
  }
}

}  // namespace
}  // namespace testing
