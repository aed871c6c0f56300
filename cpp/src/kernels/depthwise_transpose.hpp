// SPDX-License-Identifier: MIT
// Rows of neighbouring channels, which lie side by side in the tensor, to one staged row a channel
// and back: squares of vectors are transposed in registers.
#pragma once

#include "depthwise_stage.hpp"

namespace convtranspose {
namespace {

/// One row of a tensor whose channels are its fastest axis, from the first channel on.
template <class T>
struct ChannelsRow {
  const T* data;
  Index step;  // between columns
  Index columns, channels;
};

template <class T>
EIGEN_ALWAYS_INLINE typename Vec<Sum<T>>::Type load_widened(const T* p) {
  using V = Vec<Sum<T>>;
  if constexpr (std::is_same_v<T, Sum<T>>) {
    return V::load(p);
  } else {
    Sum<T> wide[V::kSize];
    widen_run(p, V::kSize, wide);
    return V::load(wide);
  }
}

/// As stage_run, for every channel: channel c's run is at to + c * plane.
template <class T>
void stage_channels(const ChannelsRow<T>& row, const Places& p, Index stride, Index residue,
                    Sum<T>* to, Index plane) {
  using V = Vec<Sum<T>>;
  constexpr Index n = V::kSize;
  const Index begin = p.begin, count = p.count, first = clamp_to(-begin, 0, count);
  const Index last =
      clamp_to(ceil_div(max_of(0, row.columns - residue), stride) - begin, first, count);
  Index c = 0;
  if (last - first >= n) {
    const Index step = stride * row.step;
    for (; c + n <= row.channels; c += n) {
      const T* from = row.data + begin * step + residue * row.step + c;
      for (Index i = first; i < last; i += n) {
        i = min_of(i, last - n);  // the last square may overlap the one before
        typename V::Block block;
        repeat<n>([&](auto k) CONVTRANSPOSE_INLINE_LAMBDA {
          block.packet[k] = load_widened(from + (i + k) * step);
        });
        V::transpose(block);
        repeat<n>([&](auto k) CONVTRANSPOSE_INLINE_LAMBDA {
          V::store(to + (c + k) * plane + i, block.packet[k]);
        });
      }
      for (Index k = c; p.zeros && k < c + n; ++k) {
        fill(to + k * plane, first, Sum<T>{0});
        fill(to + k * plane + last, count - last, Sum<T>{0});
      }
    }
  }
  for (; c < row.channels; ++c) {
    stage_run(TensorRow<T>{row.data + c, row.step, row.columns}, p, stride, residue,
              to + c * plane);
  }
}

/// Residues 0, 1, ... of stride 2 or 4 at once, `to` + residue * run each; whole vectors of places.
template <class T>
EIGEN_ALWAYS_INLINE void split_residues(const T* from, Index stride, T* to, Index run) {
  using V = Vec<T>;
  typename V::Type a, b, c, d;
  load_deinterleaved<T>(from, a, b);
  if (stride == 4) {
    load_deinterleaved<T>(from + 2 * V::kSize, c, d);
    deinterleave<T>(a, c);
    deinterleave<T>(b, d);
    V::store(to + 2 * run, c);
    V::store(to + 3 * run, d);
  }
  V::store(to, a);
  V::store(to + run, b);
}

/// As stage_run, for every residue of the stride: that of residue j is at to + j * run.
template <class T>
void stage_residues(const TensorRow<T>& row, const Places& p, Index stride, Sum<T>* to, Index run) {
  using V = Vec<Sum<T>>;
  const Index begin = p.begin, count = p.count, whole = row.columns / stride;
  const Index first = clamp_to(-begin, 0, count), last = clamp_to(whole - begin, first, count);
  if (row.step != 1 || last - first < V::kSize) {
    for (Index j = 0; j < stride; ++j) stage_run(row, p, stride, j, to + j * run);
    return;
  }
  const bool split = std::is_same_v<T, Sum<T>> && (stride == 2 || (stride == 4 && V::kSize > 4));
  if constexpr (std::is_same_v<T, Sum<T>>) {
    if (split) {
      for (Index i = first; i < last; i += V::kSize) {
        i = min_of(i, last - V::kSize);
        split_residues(row.data + (begin + i) * stride, stride, to + i, run);
      }
      for (Index j = 0; p.zeros && j < stride; ++j) {
        fill(to + j * run, first, T{0});
        fill(to + j * run + last, count - last, T{0});
      }
    }
  }
  if (!split) {
    // Columns q s, ..., q s + s - 1 are to a place q what channels are to a pixel.
    stage_channels(ChannelsRow<T>{row.data, stride, whole, stride}, p, 1, 0, to, run);
  }
  if (last < count && begin + last == whole) {
    for (Index j = 0; j < row.columns - whole * stride; ++j) {
      to[j * run + last] = widen(row.data[whole * stride + j]);
    }
  }
}

/// out[i * step + c] = from[c * plane + i], rounded; i < count, c < channels.
template <class T>
void store_channels(const Sum<T>* from, Index plane, Index count, Index channels, T* out,
                    Index step) {
  Index c = 0;
  if constexpr (std::is_same_v<T, Sum<T>>) {
    using V = Vec<T>;
    constexpr Index n = V::kSize;
    if (count >= n) {
      for (; c + n <= channels; c += n) {
        for (Index i = 0; i < count; i += n) {
          i = min_of(i, count - n);
          typename V::Block block;
          repeat<n>([&](auto k) CONVTRANSPOSE_INLINE_LAMBDA {
            block.packet[k] = V::load(from + (c + k) * plane + i);
          });
          V::transpose(block);
          repeat<n>([&](auto k) CONVTRANSPOSE_INLINE_LAMBDA {
            V::store(out + (i + k) * step + c, block.packet[k]);
          });
        }
      }
    }
  }
  for (Index i = 0; i < count; ++i) {
    for (Index k = c; k < channels; ++k) out[i * step + k] = round_to<T>(from[k * plane + i]);
  }
}

}  // namespace
}  // namespace convtranspose
