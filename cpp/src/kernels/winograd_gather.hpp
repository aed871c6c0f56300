// SPDX-License-Identifier: MIT
// Numbers from tensors of any layout, channels last.
#pragma once

#include "tiling.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// Some channels of one row of pixels, channels last; lanes beyond `channels` become zeros.
template <class T>
void gather_row(const T* from, Index x_step, Index c_step, Index columns, Index channels,
                Index pitch, Sum<T>* to) {
  using S = Sum<T>;
  using V = Vec<S>;
  Index x = 0;
  if constexpr (std::is_same_v<T, S>) {
    if (x_step == 1) {  // planes: squares are transposed in registers
      const Index whole = columns - columns % V::kSize;
      // Along a row: planes are often whole pages apart, and L1 would not keep the lines of all.
      for (Index c = 0; c < pitch; c += V::kSize) {
        for (x = 0; x < whole; x += V::kSize) {
          typename V::Block block;
          for (Index i = 0; i < V::kSize; ++i) {
            block.packet[i] = c + i < channels ? V::load(from + (c + i) * c_step + x) : V::zero();
          }
          V::transpose(block);
          for (Index i = 0; i < V::kSize; ++i) V::store(to + (x + i) * pitch + c, block.packet[i]);
        }
      }
    }
  }
  for (; x < columns; ++x) {
    S* pixel = to + x * pitch;
    if (c_step == 1) {
      widen_run(from + x * x_step, channels, pixel);
    } else {
      for (Index c = 0; c < channels; ++c) pixel[c] = widen(from[x * x_step + c * c_step]);
    }
    fill(pixel + channels, pitch - channels, S{0});
  }
}

}  // namespace
}  // namespace convtranspose
