// SPDX-License-Identifier: MIT
// The vector type of the kernels: Eigen's packet of the unit's instruction set under short names.
#pragma once

#include "isa_unit.hpp"

namespace convtranspose {
namespace {

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
  static EIGEN_STRONG_INLINE Type fma(const Type& a, const Type& b, const Type& c) {
    return Eigen::internal::pmadd(a, b, c);
  }
  static EIGEN_STRONG_INLINE S reduce(const Type& v) { return Eigen::internal::predux(v); }
};

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
