// SPDX-License-Identifier: MIT
// 64-bit arithmetic that remembers an overflow.
#pragma once

#include <limits>

#include "convtranspose/descriptor.hpp"

namespace convtranspose {

class Checked {
 public:
  constexpr Checked(Index value) noexcept : value_(value) {}

  constexpr bool valid() const noexcept { return valid_; }
  constexpr Index value() const noexcept { return value_; }

  friend constexpr Checked operator+(Checked a, Checked b) noexcept {
    const bool overflow = b.value_ > 0 ? a.value_ > kMax - b.value_ : a.value_ < kMin - b.value_;
    return make(a, b, overflow, overflow ? 0 : a.value_ + b.value_);
  }
  friend constexpr Checked operator-(Checked a, Checked b) noexcept {
    const bool overflow = b.value_ > 0 ? a.value_ < kMin + b.value_ : a.value_ > kMax + b.value_;
    return make(a, b, overflow, overflow ? 0 : a.value_ - b.value_);
  }
  /// Of numbers that are not negative.
  friend constexpr Checked operator*(Checked a, Checked b) noexcept {
    const bool overflow = a.value_ != 0 && b.value_ > kMax / a.value_;
    return make(a, b, overflow, overflow ? 0 : a.value_ * b.value_);
  }

 private:
  static constexpr Index kMax = std::numeric_limits<Index>::max();
  static constexpr Index kMin = std::numeric_limits<Index>::min();

  static constexpr Checked make(Checked a, Checked b, bool overflow, Index value) noexcept {
    Checked c(value);
    c.valid_ = a.valid_ && b.valid_ && !overflow;
    return c;
  }

  Index value_;
  bool valid_ = true;
};

}  // namespace convtranspose
