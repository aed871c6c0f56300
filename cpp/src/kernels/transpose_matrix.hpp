// SPDX-License-Identifier: MIT
// Transposes squares of vectors in registers.
#pragma once

#include "tiling.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// to[c * to_step + r] = from[r * from_step + c] for r < rows and c < columns, of which there must
/// be a whole vector. Fewer rows than that become whole vectors with zeros behind them, written in
/// order: what they spoil up to to[(columns - 1) * to_step + kSize) is for the caller to mend.
template <class S>
EIGEN_STRONG_INLINE void transpose_matrix(const S* from, Index from_step, Index rows, Index columns,
                                          S* to, Index to_step) {
  using V = Vec<S>;
  const Index last_row = max_of(rows - V::kSize, 0), last_column = columns - V::kSize;
  const Index lanes = min_of(rows, V::kSize);
  for (Index row = 0; row < rows; row += V::kSize) {
    const Index r = min_of(row, last_row);  // the last squares overlap those before
    for (Index column = 0; column < columns; column += V::kSize) {
      const Index c = min_of(column, last_column);
      const S* at = from + r * from_step + c;
      typename V::Block block;
      if (lanes == V::kSize) {
        // The rows to come are far away, in pages that no hardware prefetcher knows yet.
        repeat<V::kSize>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
          block.packet[i] = V::load(at + i * from_step);
          fetch_line(at + (i + V::kSize) * from_step);
        });
      } else {
        for (Index i = 0; i < V::kSize; ++i) {
          block.packet[i] = i < lanes ? V::load(at + i * from_step) : V::zero();
        }
      }
      V::transpose(block);
      repeat<V::kSize>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
        V::store(to + (c + i) * to_step + r, block.packet[i]);
      });
    }
  }
}

}  // namespace
}  // namespace convtranspose
