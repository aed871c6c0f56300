// SPDX-License-Identifier: MIT
// A few vectors that stay in registers. Members of nested structs, not an array: GCC 12 keeps an
// array that is indexed in a loop with branches in memory, which cost a factor of ten here.
#pragma once

#include "depthwise_lanes.hpp"

namespace convtranspose {
namespace {

template <class S, int N>
struct Vectors {
  using V = Vec<S>;
  typename V::Type head;
  Vectors<S, N - 1> tail;

  EIGEN_ALWAYS_INLINE void set(S value) {
    head = V::set(value);
    tail.set(value);
  }
  /// Vectors `step` numbers apart.
  EIGEN_ALWAYS_INLINE void load(const S* p, Index step = V::kSize) {
    head = V::load(p);
    tail.load(p + step, step);
  }
  EIGEN_ALWAYS_INLINE void store(S* p, Index step = V::kSize) const {
    V::store(p, head);
    tail.store(p + step, step);
  }
  EIGEN_ALWAYS_INLINE void add(const S* p, Index step = V::kSize) {
    head = V::add(head, V::load(p));
    tail.add(p + step, step);
  }
  /// += w * in
  EIGEN_ALWAYS_INLINE void fma(const typename V::Type& w, const Vectors& in) {
    head = V::fma(w, in.head, head);
    tail.fma(w, in.tail);
  }
  /// += each of w * its vector at p
  EIGEN_ALWAYS_INLINE void fma_each(const Vectors& w, const S* p) {
    head = V::fma(w.head, V::load(p), head);
    tail.fma_each(w.tail, p + V::kSize);
  }
  EIGEN_ALWAYS_INLINE void stream_to(S* p) const {
    stream<S>(p, head);
    tail.stream_to(p + V::kSize);
  }
};
template <class S>
struct Vectors<S, 0> {
  EIGEN_ALWAYS_INLINE void set(S) {}
  EIGEN_ALWAYS_INLINE void load(const S*, Index = 0) {}
  EIGEN_ALWAYS_INLINE void store(S*, Index = 0) const {}
  EIGEN_ALWAYS_INLINE void add(const S*, Index = 0) {}
  EIGEN_ALWAYS_INLINE void fma(const typename Vec<S>::Type&, const Vectors&) {}
  EIGEN_ALWAYS_INLINE void fma_each(const Vectors&, const S*) {}
  EIGEN_ALWAYS_INLINE void stream_to(S*) const {}
};

}  // namespace
}  // namespace convtranspose
