// SPDX-License-Identifier: MIT
// Finished rows of results, [pixel][channel], to their places.
#pragma once

#include <cstring>

#include "activate_run.hpp"
#include "tiling.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// Pixels side by side in the result, planes apart: squares are transposed in registers. Reads up
/// to a vector of pixels beyond the last one.
template <class S>
void store_planes(const S* from, Index pitch, Index pixels, Index channels, S* to, Index c_step) {
  using V = Vec<S>;
  for (Index c = 0; c < channels; c += V::kSize) {
    const Index lanes = min_of(V::kSize, channels - c);
    for (Index x = 0; x < pixels; x += V::kSize) {
      typename V::Block block;
      for (Index i = 0; i < V::kSize; ++i) block.packet[i] = V::load(from + (x + i) * pitch + c);
      V::transpose(block);
      const Index count = pixels - x;
      for (Index i = 0; i < lanes; ++i) {
        S* plane = to + (c + i) * c_step + x;
        if (count >= V::kSize) {
          V::store(plane, block.packet[i]);
        } else {
          S rest[V::kSize];
          V::store(rest, block.packet[i]);
          for (Index j = 0; j < count; ++j) plane[j] = rest[j];
        }
      }
    }
  }
}

template <class T>
void store_pixels(const Sum<T>* from, Index pitch, Index pixels, Index channels, T* to,
                  Index x_step, Index c_step) {
  if constexpr (std::is_same_v<T, Sum<T>>) {
    if (x_step == 1) {
      store_planes(from, pitch, pixels, channels, to, c_step);
      return;
    }
  }
  for (Index x = 0; x < pixels; ++x) {
    for (Index c = 0; c < channels; ++c) {
      to[x * x_step + c * c_step] = round_to<T>(from[x * pitch + c]);
    }
  }
}

}  // namespace
}  // namespace convtranspose
