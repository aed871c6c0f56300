// SPDX-License-Identifier: MIT
// Vector operations that only stencils need: shuffles between neighbouring columns and stores that
// go around the caches.
#pragma once

#include "vec.hpp"

namespace convtranspose {
namespace {

/// a[0], b[0], a[1], b[1], ... in two vectors, in place.
template <class S>
EIGEN_ALWAYS_INLINE void interleave(typename Vec<S>::Type& a, typename Vec<S>::Type& b) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<S, float>) {
    const __m512i low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    const __m512 first = _mm512_permutex2var_ps(a, low, b);
    b = _mm512_permutex2var_ps(a, high, b);
    a = first;
  } else {
    const __m512i low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i high = _mm512_add_epi64(low, _mm512_set1_epi64(4));
    const __m512d first = _mm512_permutex2var_pd(a, low, b);
    b = _mm512_permutex2var_pd(a, high, b);
    a = first;
  }
#elif defined(__AVX__)
  if constexpr (std::is_same_v<S, float>) {
    const __m256 low = _mm256_unpacklo_ps(a, b), high = _mm256_unpackhi_ps(a, b);
    a = _mm256_permute2f128_ps(low, high, 0x20);
    b = _mm256_permute2f128_ps(low, high, 0x31);
  } else {
    const __m256d low = _mm256_unpacklo_pd(a, b), high = _mm256_unpackhi_pd(a, b);
    a = _mm256_permute2f128_pd(low, high, 0x20);
    b = _mm256_permute2f128_pd(low, high, 0x31);
  }
#else
  using V = Vec<S>;
  S x[V::kSize], y[V::kSize], both[2 * V::kSize];
  V::store(x, a);
  V::store(y, b);
  for (Index i = 0; i < V::kSize; ++i) {
    both[2 * i] = x[i];
    both[2 * i + 1] = y[i];
  }
  a = V::load(both);
  b = V::load(both + V::kSize);
#endif
}

/// The reverse of two vectors at p: numbers in even places in a, those in odd ones in b.
template <class S>
EIGEN_ALWAYS_INLINE void load_deinterleaved(const S* p, typename Vec<S>::Type& a,
                                            typename Vec<S>::Type& b) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<S, float>) {
    const __m512i even =
        _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    const __m512 low = _mm512_loadu_ps(p), high = _mm512_loadu_ps(p + 16);
    a = _mm512_permutex2var_ps(low, even, high);
    b = _mm512_permutex2var_ps(low, odd, high);
  } else {
    const __m512i even = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_add_epi64(even, _mm512_set1_epi64(1));
    const __m512d low = _mm512_loadu_pd(p), high = _mm512_loadu_pd(p + 8);
    a = _mm512_permutex2var_pd(low, even, high);
    b = _mm512_permutex2var_pd(low, odd, high);
  }
#elif defined(__AVX__)
  if constexpr (std::is_same_v<S, float>) {
    // Halves of vectors are put together while they are loaded, so that no shuffle crosses lanes.
    const __m256 low = _mm256_loadu2_m128(p + 8, p), high = _mm256_loadu2_m128(p + 12, p + 4);
    a = _mm256_shuffle_ps(low, high, 0x88);
    b = _mm256_shuffle_ps(low, high, 0xdd);
  } else {
    const __m256d low = _mm256_loadu2_m128d(p + 4, p), high = _mm256_loadu2_m128d(p + 6, p + 2);
    a = _mm256_unpacklo_pd(low, high);
    b = _mm256_unpackhi_pd(low, high);
  }
#else
  using V = Vec<S>;
  S x[V::kSize], y[V::kSize];
  for (Index i = 0; i < V::kSize; ++i) {
    x[i] = p[2 * i];
    y[i] = p[2 * i + 1];
  }
  a = V::load(x);
  b = V::load(y);
#endif
}

/// The reverse of interleave().
template <class S>
EIGEN_ALWAYS_INLINE void deinterleave(typename Vec<S>::Type& a, typename Vec<S>::Type& b) {
  S both[2 * Vec<S>::kSize];
  Vec<S>::store(both, a);
  Vec<S>::store(both + Vec<S>::kSize, b);
  load_deinterleaved<S>(both, a, b);
}

/// Stores around the caches; p is a multiple of the vector's size. Ends with stream_fence().
template <class S>
EIGEN_ALWAYS_INLINE void stream(S* p, const typename Vec<S>::Type& v) {
#if defined(__AVX512F__)
  if constexpr (std::is_same_v<S, float>) _mm512_stream_ps(p, v);
  if constexpr (std::is_same_v<S, double>) _mm512_stream_pd(p, v);
#elif defined(__AVX__)
  if constexpr (std::is_same_v<S, float>) _mm256_stream_ps(p, v);
  if constexpr (std::is_same_v<S, double>) _mm256_stream_pd(p, v);
#elif defined(__SSE2__)
  if constexpr (std::is_same_v<S, float>) _mm_stream_ps(p, v);
  if constexpr (std::is_same_v<S, double>) _mm_stream_pd(p, v);
#else
  Vec<S>::store(p, v);
#endif
}
inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace
}  // namespace convtranspose
