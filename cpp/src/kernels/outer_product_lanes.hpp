// SPDX-License-Identifier: MIT
// Packs the source channels of a chunk of pixels as vectors: [vector][pixel][lane]. Lanes behind
// the last channel are zeros; the sums they lead to are never stored.
#pragma once

#include "outer_product_cut.hpp"

namespace convtranspose {
namespace {

/// Vectors of `lanes` channels, channel by channel in memory: squares are transposed in registers.
template <class T>
void pack_planes(const T* from, const DataStrides& s, Index count, Index lanes, Sum<T>* to) {
  using S = Sum<T>;
  using V = Vec<S>;
  Index k = 0;
  if constexpr (sizeof(T) == sizeof(S)) {
    if (s.x == 1) {
      for (; k + V::kSize <= count; k += V::kSize) {
        typename V::Block block;
        for (Index l = 0; l < V::kSize; ++l) {
          block.packet[l] = l < lanes ? V::load(from + l * s.c + k) : V::zero();
          fetch_soon(from + (l + V::kSize) * s.c + k);  // the next vector's planes
        }
        V::transpose(block);
        for (Index l = 0; l < V::kSize; ++l) V::store(to + (k + l) * V::kSize, block.packet[l]);
      }
    }
  }
  for (; k < count; ++k) {
    S* out = to + k * V::kSize;
    for (Index l = 0; l < V::kSize; ++l) {
      out[l] = l < lanes ? widen(from[l * s.c + k * s.x]) : S{0};
    }
  }
}

/// All vectors whose channels are neighbours in memory, pixel by pixel: read as they lie.
template <class T>
void pack_pixels(const T* from, const DataStrides& s, Index count, Index vectors, Index pitch,
                 Sum<T>* to) {
  using V = Vec<Sum<T>>;
  for (Index k = 0; k < count; ++k) {
    for (Index v = 0; v < vectors; ++v) {
      if constexpr (std::is_same_v<T, Sum<T>>) {
        V::store(to + v * pitch + k * V::kSize, V::load(from + k * s.x + v * V::kSize));
      } else {
        widen_run(from + k * s.x + v * V::kSize, V::kSize, to + v * pitch + k * V::kSize);
      }
    }
  }
}

/// `pitch` leads from vector to vector.
template <class T>
void pack_lanes(const Request& r, const void* source, const OuterBlock& b, const PixelChunk& chunk,
                Index pitch, Sum<T>* to) {
  using V = Vec<Sum<T>>;
  const Problem& p = r.problem;
  const DataStrides& s = r.source;
  const T* const channels = static_cast<const T*>(source) +
                            (b.group * p.source_channels + b.o.begin) * s.c + chunk.x.begin * s.x;
  // Rows that follow one another in memory are one.
  const bool joined = chunk.x.size() == p.x.source && s.y == p.x.source * s.x;
  for (Index row = chunk.rows.begin; row < chunk.rows.end;) {
    const Index n = row / p.y.source, y = row % p.y.source;
    const Index rows = joined ? min_of(p.y.source - y, chunk.rows.end - row) : 1;
    const Index count = rows * chunk.x.size();
    const T* from = channels + n * s.n + y * s.y;
    const Index whole = s.c == 1 ? b.o.size() / V::kSize : 0;
    pack_pixels(from, s, count, whole, pitch, to);
    for (Index v = whole; v < b.vectors; ++v) {
      const Index lanes = min_of(V::kSize, b.o.size() - v * V::kSize);
      pack_planes(from + v * V::kSize * s.c, s, count, lanes, to + v * pitch);
    }
    to += count * V::kSize;
    row += rows;
  }
}

}  // namespace
}  // namespace convtranspose
