// SPDX-License-Identifier: MIT
// A strided matrix made dense: rows of `width` numbers, whatever the strides and type were.
#pragma once

#include "tiling.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// to[r * width + c] = from[r * row_stride + c * column_stride] for c < columns, 0 up to width.
/// Returns whether all of them are finite. Squares are transposed in registers where the rows'
/// numbers are not side by side but the columns' are.
template <class T>
bool pack_matrix(const T* from, Index row_stride, Index column_stride, Index rows, Index columns,
                 Index width, Sum<T>* to) {
  using S = Sum<T>;
  using V = Vec<S>;
  typename V::Type check = V::zero();
  Index row = 0;
  if constexpr (std::is_same_v<T, S>) {
    if (column_stride == 1) {
      for (; row < rows; ++row) {
        Index c = 0;
        for (; c + V::kSize <= columns; c += V::kSize) {
          const typename V::Type v = V::load(from + row * row_stride + c);
          V::store(to + row * width + c, v);
          check = V::fma(v, V::zero(), check);
        }
        if (c < width) {
          S last[V::kSize] = {};
          for (Index i = c; i < columns; ++i) last[i - c] = from[row * row_stride + i];
          const typename V::Type v = V::load(last);
          for (; c < width; c += V::kSize) V::store(to + row * width + c, v);
          check = V::fma(v, V::zero(), check);
        }
      }
    } else if (row_stride == 1) {
      for (; row + V::kSize <= rows; row += V::kSize) {
        for (Index c = 0; c < width; c += V::kSize) {
          typename V::Block block;
          for (Index i = 0; i < V::kSize; ++i) {
            block.packet[i] =
                c + i < columns ? V::load(from + row + (c + i) * column_stride) : V::zero();
          }
          V::transpose(block);
          for (Index i = 0; i < V::kSize; ++i) {
            V::store(to + (row + i) * width + c, block.packet[i]);
            check = V::fma(block.packet[i], V::zero(), check);
          }
        }
      }
    }
  }
  S sum = V::reduce(check);  // products with 0: NaN where something is not finite
  for (; row < rows; ++row) {
    for (Index c = 0; c < columns; ++c) {
      const S value = widen(from[row * row_stride + c * column_stride]);
      to[row * width + c] = value;
      sum += value * S{0};
    }
    for (Index c = columns; c < width; ++c) to[row * width + c] = S{0};
  }
  return sum == S{0};
}

}  // namespace
}  // namespace convtranspose
