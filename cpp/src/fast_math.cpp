// SPDX-License-Identifier: MIT
#include "convtranspose/fast_math.hpp"

#include <atomic>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace convtranspose {
namespace {

constexpr int kUnset = -1;
std::atomic<int> level{kUnset};

FastMath from_environment() {
  const char* text = std::getenv("CONVTRANSPOSE_FAST_MATH");
  const std::string_view value = text == nullptr ? "" : text;
  if (value.empty() || value == "0") return FastMath::Off;
  if (value == "1") return FastMath::On;
  if (value == "aggressive") return FastMath::Aggressive;
  throw std::invalid_argument("CONVTRANSPOSE_FAST_MATH: expected 0, 1 or aggressive, got '" +
                              std::string(value) + "'");
}

}  // namespace

FastMath get_fast_math() {
  int current = level.load(std::memory_order_relaxed);
  if (current == kUnset) {
    const int first = static_cast<int>(from_environment());
    // set_fast_math() of another thread goes first.
    if (level.compare_exchange_strong(current, first)) current = first;
  }
  return static_cast<FastMath>(current);
}

void set_fast_math(FastMath value) noexcept {
  level.store(static_cast<int>(value), std::memory_order_relaxed);
}

}  // namespace convtranspose
