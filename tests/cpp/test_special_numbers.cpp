// SPDX-License-Identifier: MIT
// NaN and infinity reach exactly the results whose sums have them; 16-bit storage rounds once, to
// nearest even, over its whole range.
#include <cmath>

#include "support/operation.hpp"
#include "support/problems.hpp"
#include "support/same.hpp"

namespace testing {
namespace {

template <class T>
void check_spread(double special, Algorithm algorithm) {
  Problem p;
  p.batch = 2;
  p.groups = 2;
  p.source_channels = 3;
  p.result_channels = 5;
  p.y = {5, 3, 2, 1, 1, 0, 0};
  p.x = {9, 3, 2, 2, 1, 1, 1};
  for (const Function f : kSums) {
    Operands operands = integer_operands(p);
    operands.source[7] = operands.source[100] = special;
    operands.result[31] = operands.result.back() = special;
    if (f != Function::ConvolutionTranspose2DWeightsGradient) operands.weights[20] = special;
    CallOptions options;
    options.algorithm = algorithm;
    unless_refused([&] {
      const Numbers got = run<T>(f, p, operands, options);
      const Numbers right = rounded<T>(expected(f, p, operands));
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        wrong += !(std::isnan(right[i]) ? std::isnan(got[i]) : same_bits(got[i], right[i]));
      }
      const Context context(name_of(f) + " " + kTypeName<T>);
      CHECK_EQUAL(wrong, 0U);
    });
  }
}

TEST(nan_and_infinity_stay_on_their_taps) {
  EveryIsa{}([] {
    for (const NamedAlgorithm& a : kAlgorithms) {
      for (const double special : {std::nan(""), double{INFINITY}, -double{INFINITY}}) {
        const Context context(a.name);
        check_spread<float>(special, a.algorithm);
        check_spread<double>(special, a.algorithm);
        check_spread<Float16>(special, a.algorithm);
        check_spread<BFloat16>(special, a.algorithm);
      }
    }
  });
}

/// Every number of a 16-bit type, times one, and halfway sums, through one multiplication each.
template <class T>
void check_rounding() {
  Problem p;
  p.batch = 256;
  p.x.source = 256;
  p.source_channels = 2;
  Operands operands{Numbers(static_cast<std::size_t>(count(p.source()))), {1, 1}, {}};
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto at = (bits / 256) * 512 + bits % 256;
    operands.source[at] = from_storage(T{static_cast<std::uint16_t>(bits)});
    // A number whose sum with the first needs rounding, often by a tie.
    operands.source[at + 256] = from_storage(
        to_storage<T>(std::ldexp(operands.source[at], -4 - static_cast<int>(bits % 9))));
  }
  EveryIsa{}([&] {
    for (const NamedAlgorithm& a : kAlgorithms) {
      CallOptions options;
      options.algorithm = a.algorithm;
      unless_refused([&] {
        const Context context(std::string(a.name) + " " + kTypeName<T>);
        const Numbers got = run<T>(kSums[0], p, operands, options);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < got.size(); ++i) {
          const auto at = (i / 256) * 512 + i % 256;
          const double sum = operands.source[at] + operands.source[at + 256];
          const double right = from_storage(to_storage<T>(double{static_cast<float>(sum)}));
          wrong += !(std::isnan(right) ? std::isnan(got[i]) : got[i] == right);
        }
        CHECK_EQUAL(wrong, 0U);
      });
    }
  });
}

TEST(storage_is_rounded_once) {
  check_rounding<Float16>();
  check_rounding<BFloat16>();
}

}  // namespace
}  // namespace testing
