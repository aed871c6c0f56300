// SPDX-License-Identifier: MIT
// The activation of many finished sums, in vectors: loops that compilers vectorise, or packets
// where they do not (a choice between a product and its factor) or cannot.
#pragma once

#include "vec.hpp"

namespace convtranspose {
namespace {

/// values[i] = f(values[i]), the last few in a vector as well: bits must not depend on the place.
template <class S, class F>
EIGEN_STRONG_INLINE void map_run(S* values, Index count, const F& f) {
  using V = Vec<S>;
  Index i = 0;
  for (; i + V::kSize <= count; i += V::kSize) V::store(values + i, f(V::load(values + i)));
  if (i == count) return;
  S rest[V::kSize] = {};
  for (Index k = i; k < count; ++k) rest[k - i] = values[k];
  V::store(rest, f(V::load(rest)));
  for (Index k = i; k < count; ++k) values[k] = rest[k - i];
}

/// Eigen's, where it has one for the vector: within 2.5 units in the last place of float32. A layer
/// of 3 x 128 x 128 results takes 0.44 ms with it, 0.42 without.
template <class S>
void tanh_run(S* values, Index count, const Epilogue& e) {
  using Type = typename Vec<S>::Type;
  if constexpr (Eigen::internal::packet_traits<S>::HasTanh != 0) {
    map_run(values, count, [](const Type& v) { return Eigen::internal::ptanh(v); });
  } else {
    for (Index i = 0; i < count; ++i) values[i] = activate(values[i], e);
  }
}

template <class S>
void sigmoid_run(S* values, Index count, const Epilogue& e) {
  using Type = typename Vec<S>::Type;
  if constexpr (Eigen::internal::packet_traits<S>::HasExp != 0) {
    map_run(values, count, [](const Type& v) {
      const Type one = Vec<S>::set(S{1});
      const Type power = Eigen::internal::pexp(Eigen::internal::pnegate(v));
      return Eigen::internal::pdiv(one, Vec<S>::add(one, power));
    });
  } else {
    for (Index i = 0; i < count; ++i) values[i] = activate(values[i], e);
  }
}

template <class S>
void activate_run(S* values, Index count, const Epilogue& e) {
  using Type = typename Vec<S>::Type;
  const S alpha = static_cast<S>(e.alpha), beta = static_cast<S>(e.beta);
  switch (e.activation) {
    case ActivationKind::None:
      return;
    case ActivationKind::Relu:
      for (Index i = 0; i < count; ++i) values[i] = values[i] < 0 ? S{0} : values[i];
      return;
    case ActivationKind::LeakyRelu:
      map_run(values, count, [alpha](const Type& v) {
        const Type leaked = Eigen::internal::pmul(v, Vec<S>::set(alpha));
        return Eigen::internal::pselect(Eigen::internal::pcmp_lt(v, Vec<S>::zero()), leaked, v);
      });
      return;
    case ActivationKind::Clamp:
      for (Index i = 0; i < count; ++i) {
        const S raised = values[i] < alpha ? alpha : values[i];
        values[i] = values[i] > beta ? beta : raised;
      }
      return;
    case ActivationKind::Sigmoid:
      return sigmoid_run(values, count, e);
    case ActivationKind::Tanh:
      return tanh_run(values, count, e);
  }
}

}  // namespace
}  // namespace convtranspose
