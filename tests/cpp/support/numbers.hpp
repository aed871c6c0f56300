// SPDX-License-Identifier: MIT
// Storage types as doubles, written from the formats' definitions and not from the library's code.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <convtranspose/convtranspose.hpp>

namespace testing {

using convtranspose::BFloat16;
using convtranspose::Float16;
using convtranspose::Index;

/// A binary format: bits of the significand (with the hidden one), exponent of the smallest normal
/// number, of the largest.
struct Format {
  int precision, smallest, largest;
};
inline constexpr Format kFloat16{11, -14, 15};
inline constexpr Format kBFloat16{8, -126, 127};

/// The nearest number of the format, ties to even.
inline double nearest(double value, const Format& f) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - f.precision, f.smallest + 1 - f.precision);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  return std::fabs(rounded) >= std::ldexp(1, f.largest + 1) ? std::copysign(INFINITY, value)
                                                            : rounded;
}

/// Bits of a number that the format holds.
inline std::uint16_t encode(double value, const Format& f) {
  const int fraction = f.precision - 1, bias = f.largest;
  const unsigned sign = std::signbit(value) ? 0x8000U : 0U;
  const unsigned special = static_cast<unsigned>(2 * bias + 1) << fraction;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | special | 1U << (fraction - 1));
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | special);
  int exponent = f.smallest;
  if (value != 0) exponent = std::max(std::ilogb(value), f.smallest);
  const auto scaled = static_cast<unsigned>(std::ldexp(std::fabs(value), fraction - exponent));
  const bool normal = scaled >> fraction != 0;
  const unsigned field = normal ? static_cast<unsigned>(exponent + bias) - 1U : 0U;
  return static_cast<std::uint16_t>(sign | ((field << fraction) + scaled));
}

inline double decode(std::uint16_t bits, const Format& f) {
  const int fraction = f.precision - 1, bias = f.largest;
  const int field = (bits & 0x7fff) >> fraction;
  const double significand = bits & ((1 << fraction) - 1);
  double value = 0;
  if (field == 2 * bias + 1) {
    value = significand == 0 ? INFINITY : NAN;
  } else if (field == 0) {
    value = std::ldexp(significand, f.smallest - fraction);
  } else {
    value = std::ldexp(significand + (1 << fraction), field - bias - fraction);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

template <class T>
T to_storage(double value);
template <>
inline float to_storage<float>(double value) {
  return static_cast<float>(value);
}
template <>
inline double to_storage<double>(double value) {
  return value;
}
template <>
inline Float16 to_storage<Float16>(double value) {
  return {encode(nearest(value, kFloat16), kFloat16)};
}
template <>
inline BFloat16 to_storage<BFloat16>(double value) {
  return {encode(nearest(value, kBFloat16), kBFloat16)};
}

inline double from_storage(float value) { return double{value}; }
inline double from_storage(double value) { return value; }
inline double from_storage(Float16 value) { return decode(value.bits, kFloat16); }
inline double from_storage(BFloat16 value) { return decode(value.bits, kBFloat16); }

template <class T>
constexpr const char* kTypeName = "float";
template <>
inline constexpr const char* kTypeName<double> = "double";
template <>
inline constexpr const char* kTypeName<Float16> = "Float16";
template <>
inline constexpr const char* kTypeName<BFloat16> = "BFloat16";

using Numbers = std::vector<double>;

/// Whole numbers from -3 to 3: their products and sums are exact in every type's sums.
inline Numbers small_integers(Index count, unsigned seed) {
  std::mt19937 generator(seed);
  Numbers values(static_cast<std::size_t>(count));
  for (double& v : values) v = static_cast<double>(generator() % 7) - 3;
  return values;
}

/// Numbers from -1 to 1 that use every digit of a float.
inline Numbers fractions(Index count, unsigned seed) {
  std::mt19937 generator(seed);
  Numbers values(static_cast<std::size_t>(count));
  for (double& v : values) v = double{static_cast<float>(generator()) * 0x1p-31F - 1};
  return values;
}

}  // namespace testing
