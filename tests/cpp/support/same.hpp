// SPDX-License-Identifier: MIT
// Bit for bit comparison of results.
#pragma once

#include <cstring>
#include <string>

#include "numbers.hpp"
#include "runner.hpp"

namespace testing {

/// The same bits, the sign of a zero too.
inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

inline void check_same(const Numbers& got, const Numbers& expected, const char* file, int line) {
  if (got.size() != expected.size()) return check(false, file, line, "another number of elements");
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!same_bits(got[i], expected[i]) && wrong++ == 0) first = i;
  }
  check(wrong == 0, file, line,
        wrong == 0
            ? std::string()
            : std::to_string(wrong) + " of " + std::to_string(got.size()) +
                  " elements differ, first number " + std::to_string(first) + ": got " +
                  std::to_string(got[first]) + ", expected " + std::to_string(expected[first]));
}

}  // namespace testing

#define CHECK_SAME(got, expected) ::testing::check_same((got), (expected), __FILE__, __LINE__)
