// SPDX-License-Identifier: MIT
// The vector type of the kernels: Eigen's packet of the unit's instruction set under short names.
#pragma once

#include "isa_unit.hpp"

namespace convtranspose {
namespace {

#if defined(_MSC_VER)
#define CONVTRANSPOSE_INLINE_LAMBDA
#else
#define CONVTRANSPOSE_INLINE_LAMBDA __attribute__((always_inline))
#endif

// GCC 12 keeps arrays in registers only if the loop around them is unrolled by this, not by a
// second repeat().
#if defined(__clang__)
#define CONVTRANSPOSE_UNROLL_8 _Pragma("unroll 8")
#elif defined(__GNUC__)
#define CONVTRANSPOSE_UNROLL_8 _Pragma("GCC unroll 8")
#else
#define CONVTRANSPOSE_UNROLL_8
#endif

template <class F, Index... I>
EIGEN_STRONG_INLINE void repeat_each(const F& f, std::integer_sequence<Index, I...>) {
  (f(std::integral_constant<Index, I>{}), ...);
}
/// f(0), f(1), ..., f(N - 1) with constants: arrays indexed by them stay in registers, which GCC 12
/// does not manage for loops around a loop.
template <Index N, class F>
EIGEN_STRONG_INLINE void repeat(const F& f) {
  repeat_each(f, std::make_integer_sequence<Index, N>{});
}

template <class S>
struct Vec {
  using Type = typename Eigen::internal::packet_traits<S>::type;
  static constexpr Index kSize = Eigen::internal::unpacket_traits<Type>::size;

  static EIGEN_STRONG_INLINE Type zero() { return Eigen::internal::pset1<Type>(S{0}); }
  static EIGEN_STRONG_INLINE Type set(S value) { return Eigen::internal::pset1<Type>(value); }
  static EIGEN_STRONG_INLINE Type load(const S* p) { return Eigen::internal::ploadu<Type>(p); }
  static EIGEN_STRONG_INLINE void store(S* p, const Type& v) {
    Eigen::internal::pstoreu<S, Type>(p, v);
  }
  static EIGEN_STRONG_INLINE Type add(const Type& a, const Type& b) {
    return Eigen::internal::padd(a, b);
  }
  static EIGEN_STRONG_INLINE Type subtract(const Type& a, const Type& b) {
    return Eigen::internal::psub(a, b);
  }
  static EIGEN_STRONG_INLINE Type multiply(const Type& a, const Type& b) {
    return Eigen::internal::pmul(a, b);
  }
  static EIGEN_STRONG_INLINE Type fma(const Type& a, const Type& b, const Type& c) {
    return Eigen::internal::pmadd(a, b, c);
  }
  /// kSize vectors, as a square matrix.
  using Block = Eigen::internal::PacketBlock<Type, static_cast<int>(kSize)>;
  static EIGEN_STRONG_INLINE void transpose(Block& block) { Eigen::internal::ptranspose(block); }
  /// a[0], b[0], a[1], b[1], ...: 2 kSize numbers.
  static EIGEN_STRONG_INLINE void store_interleaved(S* p, const Type& a, const Type& b);
  static EIGEN_STRONG_INLINE S reduce(const Type& v) { return Eigen::internal::predux(v); }
};

template <class S>
EIGEN_STRONG_INLINE void Vec<S>::store_interleaved(S* p, const Type& a, const Type& b) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<S, float>) {
    const __m512i low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    store(p, _mm512_permutex2var_ps(a, low, b));
    store(p + kSize, _mm512_permutex2var_ps(a, high, b));
    return;
  } else {
    const __m512i low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(4));
    store(p, _mm512_permutex2var_pd(a, low, b));
    store(p + kSize, _mm512_permutex2var_pd(a, high, b));
    return;
  }
#elif defined(__AVX__)
  if constexpr (std::is_same_v<S, float>) {
    const __m256 low = _mm256_unpacklo_ps(a, b), high = _mm256_unpackhi_ps(a, b);
    store(p, _mm256_permute2f128_ps(low, high, 0x20));
    store(p + kSize, _mm256_permute2f128_ps(low, high, 0x31));
  } else {
    const __m256d low = _mm256_unpacklo_pd(a, b), high = _mm256_unpackhi_pd(a, b);
    store(p, _mm256_permute2f128_pd(low, high, 0x20));
    store(p + kSize, _mm256_permute2f128_pd(low, high, 0x31));
  }
#else
  S x[kSize], y[kSize];
  store(x, a);
  store(y, b);
  for (Index i = 0; i < kSize; ++i) {
    p[2 * i] = x[i];
    p[2 * i + 1] = y[i];
  }
#endif
}

/// Asks for so many cache lines in the second-level cache; any address will do.
template <Index N, class S>
EIGEN_STRONG_INLINE void fetch_lines(const S* p) {
#if defined(__GNUC__)
  repeat<N>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
    __builtin_prefetch(reinterpret_cast<const char*>(p) + 64 * i, 0, 2);
  });
#else
  static_cast<void>(p);
#endif
}

/// Asks for a cache line in the first-level cache; any address will do.
template <class S>
EIGEN_STRONG_INLINE void fetch_line(const S* p) {
#if defined(__GNUC__)
  __builtin_prefetch(p);
#else
  static_cast<void>(p);
#endif
}

/// to[i] = value
template <class S>
EIGEN_STRONG_INLINE void fill(S* to, Index count, S value) {
  for (Index i = 0; i < count; ++i) to[i] = value;
}

/// to[i] = from[i], as the type of sums
template <class T>
EIGEN_STRONG_INLINE void widen_run(const T* from, Index count, Sum<T>* to) {
  for (Index i = 0; i < count; ++i) to[i] = widen(from[i]);
}

/// to[i] += from[i]
template <class S>
EIGEN_STRONG_INLINE void add_to(S* to, const S* from, Index count) {
  using V = Vec<S>;
  Index i = 0;
  for (; i + V::kSize <= count; i += V::kSize) {
    V::store(to + i, V::add(V::load(to + i), V::load(from + i)));
  }
  for (; i < count; ++i) to[i] += from[i];
}

}  // namespace
}  // namespace convtranspose
