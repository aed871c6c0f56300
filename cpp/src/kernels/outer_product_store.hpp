// SPDX-License-Identifier: MIT
// Rounds a job's sums, [column][source channel], and stores them in the layout of the weights.
#pragma once

#include "outer_product_cut.hpp"

namespace convtranspose {
namespace {

/// Columns that follow one another in the weights: all of a channel's, or one ky's, or all there
/// are.
struct ColumnRuns {
  ColumnRuns(const OuterBlock& b, const WeightsStrides& w) : length(b.kx.size()) {
    if (w.y == length * w.x || b.ky.size() == 1) length *= b.ky.size();
    if (length == b.ky.size() * b.kx.size() && (w.i == length * w.x || b.i.size() == 1)) {
      length *= b.i.size();
    }
  }
  Index length;
};

/// Source channels lie far apart: squares are transposed in registers.
template <class T>
void store_columns(const Sum<T>* sums, Index pitch, Index columns, Index lanes, T* to, Index o_step,
                   Index step) {
  using S = Sum<T>;
  using V = Vec<S>;
  Index j = 0;
  if constexpr (sizeof(T) == sizeof(S)) {
    if (step == 1 && lanes == V::kSize) {
      for (; j + V::kSize <= columns; j += V::kSize) {
        typename V::Block block;
        for (Index l = 0; l < V::kSize; ++l) block.packet[l] = V::load(sums + (j + l) * pitch);
        V::transpose(block);
        for (Index l = 0; l < V::kSize; ++l) V::store(to + l * o_step + j, block.packet[l]);
      }
    }
  }
  for (; j < columns; ++j) {
    for (Index l = 0; l < lanes; ++l) {
      to[l * o_step + j * step] = round_to<T>(sums[j * pitch + l]);
    }
  }
}

template <class T>
void store_block(const Request& r, const OuterBlock& b, const Sum<T>* sums, Index pitch, T* out) {
  using V = Vec<Sum<T>>;
  const WeightsStrides& w = r.weights;
  out += (b.group * r.problem.source_channels + b.o.begin) * w.o + b.i.begin * w.i +
         b.ky.begin * w.y + b.kx.begin * w.x;
  const Index run = w.o == 1 ? 1 : ColumnRuns(b, w).length;
  for (Index j = 0; j < b.columns(); j += run) {
    const Index row = j / b.kx.size();
    T* to = out + row / b.ky.size() * w.i + row % b.ky.size() * w.y + j % b.kx.size() * w.x;
    const Sum<T>* from = sums + j * pitch;
    if (w.o == 1) {
      for (Index o = 0; o < b.o.size(); ++o) to[o] = round_to<T>(from[o]);
      continue;
    }
    for (Index o = 0; o < b.o.size(); o += V::kSize) {
      store_columns(from + o, pitch, run, min_of(V::kSize, b.o.size() - o), to + o * w.o, w.o, w.x);
    }
  }
}

}  // namespace
}  // namespace convtranspose
