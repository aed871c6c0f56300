// SPDX-License-Identifier: MIT
// Numbers from the fuzzer's bytes, taken from the front so that a change of one byte changes
// little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  /// Zeros follow the last byte.
  unsigned byte() {
    if (at_ == size_) return 0;
    return data_[at_++];
  }

  /// From low to high, both included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + byte() % (high - low + 1);
  }

  bool coin() { return byte() % 2 == 1; }

  /// From low to high; one byte in 256 stands for a number that a hostile caller would try.
  std::int64_t number(std::int64_t low, std::int64_t high) {
    const unsigned first = byte();
    if (first != 255) return low + first % (high - low + 1);
    using Limits = std::numeric_limits<std::int64_t>;
    static constexpr std::int64_t kHostile[] = {-1,
                                                0,
                                                1000,
                                                65536,
                                                2147483647,
                                                2147483648,
                                                1LL << 32,
                                                1LL << 53,
                                                1LL << 61,
                                                1LL << 62,
                                                Limits::max() - 1,
                                                Limits::max(),
                                                -65536,
                                                -2147483648,
                                                Limits::min(),
                                                Limits::min() + 1};
    return kHostile[byte() % (sizeof kHostile / sizeof *kHostile)];
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

}  // namespace fuzz
