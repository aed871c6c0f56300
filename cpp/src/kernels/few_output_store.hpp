// SPDX-License-Identifier: MIT
// Sums of the few-output algorithm to their places: rows that are side by side in the result are
// interleaved in a small buffer, from which whole runs are written.
#pragma once

#include "few_output_shape.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// to[i * rows + r] = from[r * step + i] for i < count. Writes up to kSize numbers more, and reads
/// as many beyond the last of every row.
template <class S>
void interleave(const S* from, Index step, Index rows, Index count, S* to) {
  using V = Vec<S>;
  if (rows == 1) {
    for (Index i = 0; i < count; i += V::kSize) V::store(to + i, V::load(from + i));
    return;
  }
  if (rows == 2) {
    for (Index i = 0; i < count; i += V::kSize) {
      V::store_interleaved(to + 2 * i, V::load(from + i), V::load(from + step + i));
    }
    return;
  }
  // Squares of rows x positions, transposed. The last square has lanes without a row: it is written
  // first, and what these lanes spoil is written again by the squares and positions that follow.
  const Index whole = rows / V::kSize * V::kSize;
  for (Index i = 0; i < count; i += V::kSize) {
    for (Index r = whole; r >= 0; r -= V::kSize) {
      const Index lanes = min_of(V::kSize, rows - r);
      if (lanes == 0) continue;
      typename V::Block block;
      for (Index k = 0; k < V::kSize; ++k) {
        block.packet[k] = k < lanes ? V::load(from + (r + k) * step + i) : V::zero();
      }
      V::transpose(block);
      for (Index k = 0; k < V::kSize; ++k) V::store(to + (i + k) * rows + r, block.packet[k]);
    }
  }
}

/// Numbers side by side.
template <class T>
EIGEN_STRONG_INLINE void store_run(const Sum<T>* from, Index count, T* to) {
  for (Index i = 0; i < count; ++i) to[i] = round_to<T>(from[i]);
}

/// Pixels of `channels` numbers each.
template <class T>
void store_pixels(const Sum<T>* from, Index pixels, Index channels, T* to, Index x_stride,
                  Index c_stride) {
  if ((channels == 1 || c_stride == 1) && x_stride == channels) {
    store_run(from, pixels * channels, to);
    return;
  }
  for (Index x = 0; x < pixels; ++x) {
    for (Index c = 0; c < channels; ++c) {
      to[x * x_stride + c * c_stride] = round_to<T>(from[x * channels + c]);
    }
  }
}

}  // namespace
}  // namespace convtranspose
