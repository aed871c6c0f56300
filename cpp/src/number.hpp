// SPDX-License-Identifier: MIT
// Conversions between storage types and the types sums are kept in, and activations on one number.
// Everything is static: this header is also read by units of other instruction sets, which must not
// share functions with this one.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "convtranspose/half.hpp"
#include "epilogue.hpp"

namespace convtranspose {
namespace {

template <class T>
struct SumOf {
  using type = float;
};
template <>
struct SumOf<double> {
  using type = double;
};
/// The type in which sums of T are kept.
template <class T>
using Sum = typename SumOf<T>::type;

inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline float to_float(float value) { return value; }
inline float to_float(BFloat16 value) { return float_of(std::uint32_t{value.bits} << 16); }
inline float to_float(Float16 value) {
#if defined(__F16C__)
  return _cvtsh_ss(value.bits);  // one instruction instead of ten
#else
  const std::uint32_t sign = (value.bits & 0x8000U) << 16;
  const std::uint32_t magnitude = value.bits & 0x7fffU;
  if (magnitude >= 0x7c00U) return float_of(sign | 0x7f800000U | (magnitude & 0x3ffU) << 13);
  // Scaling by 2^112 moves the exponent's bias and makes subnormal halves normal floats.
  const float scaled = float_of(magnitude << 13) * 0x1p112F;
  return float_of(bits_of(scaled) | sign);
#endif
}

template <class T>
inline double to_double(T value) {
  return double{to_float(value)};
}
template <>
inline double to_double<double>(double value) {
  return value;
}

inline BFloat16 to_bfloat16(float value) {
  const std::uint32_t bits = bits_of(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {  // a NaN stays one
    return {static_cast<std::uint16_t>(bits >> 16 | 0x40U)};
  }
  return {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}

inline Float16 to_float16(float value) {
#if defined(__F16C__)
  return {_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT)};
#else
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t sign = bits >> 16 & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return {static_cast<std::uint16_t>(sign | 0x7e00U)};
  if (magnitude >= 0x477ff000U) return {static_cast<std::uint16_t>(sign | 0x7c00U)};
  if (magnitude < 0x38800000U) {
    // Below the smallest normal half: adding 0.5 leaves the subnormal's bits, rounded, at the end.
    const std::uint32_t rounded = bits_of(float_of(magnitude) + 0.5F) - bits_of(0.5F);
    return {static_cast<std::uint16_t>(sign | rounded)};
  }
  const std::uint32_t rounded = magnitude + 0xfffU + (magnitude >> 13 & 1U) - 0x38000000U;
  return {static_cast<std::uint16_t>(sign | rounded >> 13)};
#endif
}

template <class T>
struct Rounded;
template <>
struct Rounded<float> {
  static float from(float value) { return value; }
};
template <>
struct Rounded<double> {
  static double from(double value) { return value; }
};
template <>
struct Rounded<Float16> {
  static Float16 from(float value) { return to_float16(value); }
};
template <>
struct Rounded<BFloat16> {
  static BFloat16 from(float value) { return to_bfloat16(value); }
};

/// A sum rounded to storage.
template <class T>
inline T round_to(Sum<T> value) {
  return Rounded<T>::from(value);
}

/// A storage number as the type of its sums.
template <class T>
inline Sum<T> widen(T value) {
  return to_float(value);
}
template <>
inline double widen<double>(double value) {
  return value;
}

template <class T>
inline T from_double(double value) {
  return round_to<T>(static_cast<Sum<T>>(value));
}

template <class S>
inline S activate(S value, const Epilogue& e) {
  switch (e.activation) {
    case ActivationKind::None:
      return value;
    case ActivationKind::Relu:
      return value < 0 ? S{0} : value;
    case ActivationKind::LeakyRelu:
      return value < 0 ? value * static_cast<S>(e.alpha) : value;
    case ActivationKind::Sigmoid:
      return S{1} / (S{1} + std::exp(-value));
    case ActivationKind::Tanh:
      return std::tanh(value);
    case ActivationKind::Clamp:
      return value < static_cast<S>(e.alpha)  ? static_cast<S>(e.alpha)
             : value > static_cast<S>(e.beta) ? static_cast<S>(e.beta)
                                              : value;
  }
  return value;
}

}  // namespace
}  // namespace convtranspose
