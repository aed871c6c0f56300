// SPDX-License-Identifier: MIT
// The inner loop of the weights gradient whose lanes are pixels.
#pragma once

#include "depthwise_columns.hpp"
#include "depthwise_registers.hpp"

namespace convtranspose {
namespace {

/// Where the inputs of a few taps lie.
template <int K>
struct Offsets {
  Index head;
  Offsets<K - 1> tail;
  EIGEN_ALWAYS_INLINE explicit Offsets(const Column* columns)
      : head(columns->offset), tail(columns + 1) {}
};
template <>
struct Offsets<0> {
  explicit Offsets(const Column*) {}
};

/// total[k] += s * the vector at p + offsets[k]
template <class S, int K>
EIGEN_ALWAYS_INLINE void fma_each(Vectors<S, K>& total, const typename Vec<S>::Type& s, const S* p,
                                  const Offsets<K>& offsets) {
  total.head = Vec<S>::fma(s, Vec<S>::load(p + offsets.head), total.head);
  if constexpr (K > 1) fma_each<S, K - 1>(total.tail, s, p, offsets.tail);
}

/// One or two kernel rows x K taps of one pair of channels, in registers.
template <class S, int P, int K>
struct TapBlock {
  using V = Vec<S>;

  /// The operands at the first source row; the steps lead to the next one's.
  static void run(const S* source, Index source_step, const S* const* results, Index result_step,
                  const Column* columns, Index rows, Index count, S* const* sums) {
    Vectors<S, K> total[P];
    for (int p = 0; p < P; ++p) total[p].set(S{0});
    const Offsets<K> offsets(columns);
    const S* first = results[0];
    const S* second = results[P - 1];
    for (Index row = 0; row < rows; ++row) {
      for (Index x = 0; x < count; x += V::kSize) {
        const typename V::Type s = V::load(source + x);
        fma_each<S, K>(total[0], s, first + x, offsets);
        if constexpr (P == 2) fma_each<S, K>(total[1], s, second + x, offsets);
      }
      source += source_step;
      first += result_step;
      second += result_step;
    }
    for (int p = 0; p < P; ++p) {
      total[p].add(sums[p]);
      total[p].store(sums[p]);
    }
  }
};

}  // namespace
}  // namespace convtranspose
