// SPDX-License-Identifier: MIT
// The part of the input that a box of outputs needs, channels last and without gaps, zeros where
// it reaches outside: whatever the tensor's layout, strides and type were, the tiles read this.
#pragma once

#include "tiling.hpp"
#include "transpose_matrix.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// Writes `pixels` x `channels` numbers, channels last, `pitch` apart, from `from` with the given
/// strides; and maybe up to a vector more.
template <class T>
void pack_pixels(const T* from, Index pixel_stride, Index channel_stride, Index pixels,
                 Index channels, Index pitch, Sum<T>* to) {
  using S = Sum<T>;
  if (channel_stride == 1 && pixel_stride == channels && pitch == channels) {
    widen_run(from, pixels * channels, to);
    return;
  }
  if (channel_stride == 1) {
    for (Index x = 0; x < pixels; ++x) widen_run(from + x * pixel_stride, channels, to + x * pitch);
    return;
  }
  if constexpr (std::is_same_v<T, S>) {
    // What rows of few channels spoil is the next pixel's, written later.
    if (pixel_stride == 1 && pixels >= Vec<S>::kSize) {
      transpose_matrix(from, channel_stride, channels, pixels, to, pitch);
      return;
    }
  }
  for (Index c = 0; c < channels; ++c) {
    for (Index x = 0; x < pixels; ++x) {
      to[x * pitch + c] = widen(from[c * channel_stride + x * pixel_stride]);
    }
  }
}

/// Rows and columns of one image's plane; columns and rows outside become zeros.
template <class T>
void pack_region(const T* image, const DataStrides& strides, const Span& rows, Index height,
                 const Span& columns, Index width, Index channels, Index pitch, Sum<T>* to) {
  using S = Sum<T>;
  const Index first = clamp_to(0, columns.begin, columns.end);
  const Index last = clamp_to(width, first, columns.end);
  const Index line = columns.size() * pitch;
  for (Index y = rows.begin; y < rows.end; ++y, to += line) {
    if (y < 0 || y >= height) {
      fill(to, line, S{0});
      continue;
    }
    const Index before = (first - columns.begin) * pitch;
    const Index inside = (last - first) * pitch;
    fill(to, before, S{0});
    pack_pixels(image + y * strides.y + first * strides.x, strides.x, strides.c, last - first,
                channels, pitch, to + before);
    fill(to + before + inside, line - before - inside, S{0});
  }
}

}  // namespace
}  // namespace convtranspose
