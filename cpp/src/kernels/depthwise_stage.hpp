// SPDX-License-Identifier: MIT
// Rows of tensors in the staged form that stencils with pixels in their lanes work on:
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
  // A division takes as long as a short row.
  const Index places =
      stride == 1 ? row.columns : ceil_div(max_of(0, row.columns - residue), stride);
  const Index last = clamp_to(places - begin, first, count);
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
