// SPDX-License-Identifier: MIT
// A tensor of any dtype and strides in memory of exactly its size, so that AddressSanitizer sees
// every step beyond it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "../cpp/support/numbers.hpp"
#include "input.hpp"
#include <convtranspose/convtranspose.h>

namespace fuzz {

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// The bits of a number in a dtype; returns the element's size.
inline std::size_t encode(double value, std::int32_t dtype, unsigned char* to) {
  const auto put = [to](auto stored) {
    std::memcpy(to, &stored, sizeof stored);
    return sizeof stored;
  };
  switch (dtype) {
    case CONVTRANSPOSE_FLOAT64:
      return put(value);
    case CONVTRANSPOSE_FLOAT16:
      return put(testing::encode(value, testing::kFloat16));
    case CONVTRANSPOSE_BFLOAT16:
      return put(testing::encode(value, testing::kBFloat16));
    default:
      return put(static_cast<float>(value));
  }
}

/// Small integers, and if wanted now and then a NaN or an infinity, in every dtype.
class Values {
 public:
  static constexpr int kIntegers = 7, kAll = 10;

  explicit Values(std::int32_t dtype) {
    const double numbers[kAll] = {-3, -2, -1, 0, 1, 2, 3, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < kAll; ++i) size_ = encode(numbers[i], dtype, bits_[i]);
  }
  std::size_t size() const { return size_; }
  const unsigned char* operator[](int i) const { return bits_[i]; }

  static const Values& of(std::int32_t dtype) {
    static const Values all[] = {Values(0), Values(1), Values(2), Values(3)};
    return all[dtype];
  }

 private:
  unsigned char bits_[kAll][8];
  std::size_t size_ = 0;
};

enum class Placement { Dense, Gaps, Reversed, Turned, Repeated, kCount };

class Operand {
 public:
  Operand(const std::int64_t (&shape)[4], std::int32_t dtype, Placement placement, int lead)
      : values_(Values::of(dtype)),
        tensor_(convtranspose_dense(nullptr, dtype, shape[0], shape[1], shape[2], shape[3])) {
    std::int64_t before = 0, elements = 0;
    if (!is_empty()) {
      place(placement);
      elements = lead + 1;
      for (int i = 0; i < 4; ++i) {
        const std::int64_t step = tensor_.strides[i] * (shape[i] - 1);
        elements += std::abs(step);
        if (step < 0) before -= step;
      }
      before += lead;
    }
    bytes_ = static_cast<std::size_t>(elements) * values_.size();
    memory_.reset(new unsigned char[bytes_]);
    std::memset(memory_.get(), 0xFF, bytes_);
    tensor_.data = memory_.get() + static_cast<std::size_t>(before) * values_.size();
  }

  const convtranspose_tensor& tensor() const { return tensor_; }

  /// Numbers from a seed; `special` of 256 of them are no integers.
  void fill(unsigned seed, unsigned special) {
    for_each([&](unsigned char* element) {
      seed = seed * 1664525U + 1013904223U;
      const int integer = static_cast<int>((seed >> 16) % Values::kIntegers);
      const int other = static_cast<int>(Values::kIntegers + (seed >> 24) % 3);
      std::memcpy(element, values_[(seed >> 8) % 256 < special ? other : integer], values_.size());
    });
  }

  /// The same numbers bit by bit, but that a NaN may be any NaN.
  bool equals(const Operand& other) const {
    bool same = true;
    const unsigned char* theirs = static_cast<const unsigned char*>(other.tensor_.data);
    for_each([&](const unsigned char* element) {
      same = same && (std::memcmp(element, theirs, values_.size()) == 0 ||
                      (is_nan(element) && is_nan(theirs)));
      theirs += values_.size();  // of a dense one
    });
    return same;
  }

  /// Nothing but elements was written.
  bool gaps_intact() {
    for_each([&](unsigned char* element) { std::memset(element, 0xFF, values_.size()); });
    for (std::size_t i = 0; i < bytes_; ++i) {
      if (memory_[i] != 0xFF) return false;
    }
    return true;
  }

 private:
  bool is_empty() const {
    return std::find(tensor_.shape, tensor_.shape + 4, 0) != tensor_.shape + 4;
  }

  void place(Placement placement) {
    std::int64_t* strides = tensor_.strides;
    const std::int64_t* shape = tensor_.shape;
    switch (placement) {
      case Placement::Gaps:
        strides[3] = 2;
        for (int i = 3; i > 0; --i) strides[i - 1] = strides[i] * shape[i] + 3;
        break;
      case Placement::Reversed:
        strides[2] = -strides[2];
        strides[3] = -strides[3];
        break;
      case Placement::Turned:
        strides[2] = 1;
        strides[1] = shape[2];
        strides[3] = shape[1] * shape[2];
        break;
      case Placement::Repeated:
        strides[1] = 0;
        break;
      default:
        break;
    }
  }

  bool is_nan(const unsigned char* element) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, element, values_.size());
    std::uint64_t infinity = 0;
    std::memcpy(&infinity, values_[Values::kIntegers + 1], values_.size());
    const std::uint64_t sign = 1ULL << (8 * values_.size() - 1);
    return (bits & ~sign) > infinity;
  }

  template <class Body>
  void for_each(const Body& body) const {
    if (is_empty()) return;  // the other extents may be anything
    const std::int64_t *n = tensor_.shape, *s = tensor_.strides;
    auto* data = static_cast<unsigned char*>(tensor_.data);
    for (std::int64_t a = 0; a < n[0]; ++a) {
      for (std::int64_t b = 0; b < n[1]; ++b) {
        for (std::int64_t c = 0; c < n[2]; ++c) {
          for (std::int64_t d = 0; d < n[3]; ++d) {
            const std::int64_t at = a * s[0] + b * s[1] + c * s[2] + d * s[3];
            body(data + at * static_cast<std::int64_t>(values_.size()));
          }
        }
      }
    }
  }

  const Values& values_;
  convtranspose_tensor tensor_;
  std::size_t bytes_;
  std::unique_ptr<unsigned char[]> memory_;
};

}  // namespace fuzz
