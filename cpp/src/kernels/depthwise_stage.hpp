// SPDX-License-Identifier: MIT
// Rows of tensors in the staged form that stencils with pixels in their lanes work on:
// sums' type, neighbouring numbers, zeros where the tensor ends.
#pragma once

#include "activate_run.hpp"
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

/// Places begin, ..., begin + count - 1 of a staged run. Its places outside the tensor are zeros,
/// which are written only if `zeros`: where every row has them in the same places, once is enough.
struct Places {
  Index begin, count;
  bool zeros;
};

/// to[i] = row[(begin + i) * stride + residue], zero outside.
template <class T>
void stage_run(const TensorRow<T>& row, const Places& p, Index stride, Index residue, Sum<T>* to) {
  using S = Sum<T>;
  const Index begin = p.begin, count = p.count, first = clamp_to(-begin, 0, count);
  // A division takes as long as a short row.
  const Index places =
      stride == 1 ? row.columns : ceil_div(max_of(0, row.columns - residue), stride);
  const Index last = clamp_to(places - begin, first, count);
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
  if (!p.zeros) return;
  for (Index i = 0; i < first; ++i) to[i] = S{0};
  for (Index i = last; i < count; ++i) to[i] = S{0};
}

}  // namespace
}  // namespace convtranspose
