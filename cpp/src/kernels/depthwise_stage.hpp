// SPDX-License-Identifier: MIT
// Rows of tensors in and out of the staged form that stencils with pixels in their lanes work on:
// sums' type, neighbouring numbers, zeros where the tensor ends.
#pragma once

#include "depthwise_lanes.hpp"
#include "tiling.hpp"

namespace convtranspose {
namespace {

/// A row of one channel of a tensor.
template <class T>
struct TensorRow {
  const T* data;
  Index step;  // between columns
  Index columns;
};

/// to[i] = row[(begin + i) * stride + residue], zero outside; i < count.
template <class T>
void stage_run(const TensorRow<T>& row, Index begin, Index stride, Index residue, Index count,
               Sum<T>* to) {
  using S = Sum<T>;
  const Index first = clamp_to(-begin, 0, count);
  const Index last =
      clamp_to(ceil_div(max_of(0, row.columns - residue), stride) - begin, first, count);
  for (Index i = 0; i < first; ++i) to[i] = S{0};
  const Index step = stride * row.step;
  const T* from = row.data + begin * step + residue * row.step;
  if (step == 1) {
    Index i = first;
    if constexpr (std::is_same_v<T, S>) {
      using V = Vec<S>;
      for (; i + V::kSize <= last; i += V::kSize) V::store(to + i, V::load(from + i));
    }
    for (; i < last; ++i) to[i] = widen(from[i]);
  } else {
    for (Index i = first; i < last; ++i) to[i] = widen(from[i * step]);
  }
  for (Index i = last; i < count; ++i) to[i] = S{0};
}

/// Both residues of stride 2 at once: run 0 has residue `odd`, and starts at `to`; run 1 the other
/// one, at `to + run`.
template <class T>
void stage_pair(const TensorRow<T>& row, Index begin, Index odd, Index count, Index run,
                Sum<T>* to) {
  if constexpr (std::is_same_v<T, Sum<T>>) {
    using V = Vec<T>;
    const Index first = clamp_to(-begin, 0, count);
    const Index last = clamp_to(row.columns / 2 - begin, first, count);
    if (row.step == 1 && last - first >= V::kSize) {
      T* even_run = to + (odd ? run : 0);
      T* odd_run = to + (odd ? 0 : run);
      for (Index i = first; i < last; i += V::kSize) {
        i = min_of(i, last - V::kSize);  // the last vector may overlap the one before
        typename V::Type a, b;
        load_deinterleaved<T>(row.data + 2 * (begin + i), a, b);
        V::store(even_run + i, a);
        V::store(odd_run + i, b);
      }
      for (Index part = 0; part < 2; ++part) {
        T* out = to + part * run;
        const Index residue = part == 0 ? odd : 1 - odd;
        stage_run(row, begin, 2, residue, first, out);
        stage_run(row, begin + last, 2, residue, count - last, out + last);
      }
      return;
    }
  }
  stage_run(row, begin, 2, odd, count, to);
  stage_run(row, begin, 2, 1 - odd, count, to + run);
}

/// The activation, in place.
template <class S>
void activate_run(S* values, Index count, const Epilogue& e) {
  switch (e.activation) {
    case ActivationKind::None:
      return;
    case ActivationKind::Relu:
      for (Index i = 0; i < count; ++i) values[i] = values[i] < 0 ? S{0} : values[i];
      return;
    default:
      for (Index i = 0; i < count; ++i) values[i] = activate(values[i], e);
  }
}

}  // namespace
}  // namespace convtranspose
