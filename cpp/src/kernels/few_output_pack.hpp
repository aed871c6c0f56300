// SPDX-License-Identifier: MIT
// The inputs a box of positions meets, planar: [plane of residues][channel][image][row][column],
// zeros where it reaches outside the tensor. All taps are then offsets, and rows are one long run.
#pragma once

#include "few_output_shape.hpp"
#include "transpose_matrix.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// Part of a plane along one axis: its numbers [begin, end) are those of a tensor from `first` on,
/// `step` apart, the others are outside.
struct PlaneSpan {
  Index size, begin, end, first;

  static PlaneSpan make(const FewAxis& axis, Index plane, Index from, Index size) {
    const Index start = axis.plane_input(plane, from), step = axis.input_step();
    const Index begin = clamp_to(-floor_div(start, step), 0, size);
    const Index end = clamp_to(floor_div(axis.inputs - 1 - start, step) + 1, begin, size);
    return {size, begin, end, start + begin * step};
  }
};

/// Pixels with their channels side by side to planes.
template <class T>
void spread_pixels(const T* from, Index pixel_stride, Index pixels, Index channels, Sum<T>* to,
                   Index plane) {
  if constexpr (std::is_same_v<T, Sum<T>>) {
    if (pixels >= Vec<T>::kSize && channels >= Vec<T>::kSize) {
      transpose_matrix(from, pixel_stride, pixels, channels, to, plane);
      return;
    }
  }
  for (Index x = 0; x < pixels; ++x) {
    for (Index c = 0; c < channels; ++c) to[c * plane + x] = widen(from[x * pixel_stride + c]);
  }
}

/// Meanwhile the row `ahead` numbers on is fetched.
template <class T>
void copy_row(const T* from, Index pixel_stride, Index pixels, Index ahead, Sum<T>* to) {
  if (pixel_stride == 1) {
    constexpr Index kLine = 64 / static_cast<Index>(sizeof(T));
    for (Index x = 0; x < pixels; x += kLine) fetch_line(from + ahead + x);
    widen_run(from, pixels, to);
  } else {
    for (Index x = 0; x < pixels; ++x) to[x] = widen(from[x * pixel_stride]);
  }
}

/// One image of one plane of residues, all channels.
template <class T>
void pack_plane(const T* image, const DataStrides& strides, const PlaneSpan& rows, Index row_step,
                const PlaneSpan& columns, Index column_step, Index channels, Sum<T>* to,
                Index plane) {
  using S = Sum<T>;
  const T* first = image + rows.first * strides.y + columns.first * strides.x;
  const Index row_stride = row_step * strides.y, pixel_stride = column_step * strides.x;
  const Index pixels = columns.end - columns.begin;
  const bool spread = strides.c == 1 && channels > 1;
  for (Index c = 0; c < channels; ++c) {
    S* row = to + c * plane;
    for (Index y = 0; y < rows.size; ++y, row += columns.size) {
      if (y < rows.begin || y >= rows.end) {
        fill(row, columns.size, S{0});
        continue;
      }
      fill(row, columns.begin, S{0});
      if (!spread) {
        copy_row(first + c * strides.c + (y - rows.begin) * row_stride, pixel_stride, pixels,
                 strides.c, row + columns.begin);
      }
      fill(row + columns.end, columns.size - columns.end, S{0});
    }
  }
  if (!spread) return;
  for (Index y = rows.begin; y < rows.end; ++y) {
    spread_pixels(first + (y - rows.begin) * row_stride, pixel_stride, pixels, channels,
                  to + y * columns.size + columns.begin, plane);
  }
}

}  // namespace
}  // namespace convtranspose
