// SPDX-License-Identifier: MIT
// Finished sums to their places in the result: [pixel][channel] in, any strides out.
#pragma once

#include "activate_run.hpp"
#include "tiling.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// Adds the bias of `width` channels and applies the activation, in place.
template <class S>
void finish_sums(S* sums, Index pixels, Index width, const S* bias, const Epilogue& e) {
  using V = Vec<S>;
  if (bias != nullptr) {
    for (Index p = 0; p < pixels; ++p) {
      for (Index c = 0; c < width; c += V::kSize) {
        S* at = sums + p * width + c;
        V::store(at, V::add(V::load(at), V::load(bias + c)));
      }
    }
  }
  activate_run(sums, pixels * width, e);
}

/// One row of outputs: its sums pixel by pixel.
template <class S>
struct StoredRow {
  const S* const* pixels;
  Index columns;
  Index width;     // numbers of one pixel
  Index channels;  // of them stored
};

template <class T>
void store_scattered(const StoredRow<Sum<T>>& r, T* out, Index x_stride, Index c_stride,
                     Index first_column) {
  for (Index x = first_column; x < r.columns; ++x) {
    const Sum<T>* from = r.pixels[x];
    for (Index c = 0; c < r.channels; ++c) {
      out[x * x_stride + c * c_stride] = round_to<T>(from[c]);
    }
  }
}

/// Channels side by side.
template <class T>
void store_channels_last(const StoredRow<Sum<T>>& r, T* out, Index x_stride) {
  using V = Vec<Sum<T>>;
  if constexpr (std::is_same_v<T, Sum<T>>) {
    if (r.channels % V::kSize == 0) {
      for (Index x = 0; x < r.columns; ++x) {
        for (Index c = 0; c < r.channels; c += V::kSize) {
          V::store(out + x * x_stride + c, V::load(r.pixels[x] + c));
        }
      }
      return;
    }
  }
  store_scattered(r, out, x_stride, 1, 0);
}

/// Columns side by side: squares are transposed in registers, so that whole vectors are written;
/// along the rows, so that lines of the result are filled at once: planes a power of two apart
/// share their few places in the first-level cache.
template <class T>
void store_columns_together(const StoredRow<Sum<T>>& r, T* out, Index c_stride) {
  Index x = 0;
  if constexpr (std::is_same_v<T, Sum<T>>) {
    using V = Vec<T>;
    constexpr Index kAhead = 256 / static_cast<Index>(sizeof(T));
    for (Index c = 0; c < r.channels; c += V::kSize) {
      const Index lanes = min_of(V::kSize, r.channels - c);
      T* to = out + c * c_stride;
      for (x = 0; x + V::kSize <= r.columns; x += V::kSize) {
        typename V::Block block;
        for (Index i = 0; i < V::kSize; ++i) block.packet[i] = V::load(r.pixels[x + i] + c);
        V::transpose(block);
        if (lanes == V::kSize) {
          repeat<V::kSize>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
            fetch_line(to + i * c_stride + x + kAhead);
            V::store(to + i * c_stride + x, block.packet[i]);
          });
        } else {
          for (Index i = 0; i < lanes; ++i) V::store(to + i * c_stride + x, block.packet[i]);
        }
      }
    }
  }
  store_scattered(r, out, 1, c_stride, x);
}

template <class T>
void store_row(const StoredRow<Sum<T>>& r, T* out, Index x_stride, Index c_stride) {
  if (c_stride == 1) {
    store_channels_last(r, out, x_stride);
  } else if (x_stride == 1) {
    store_columns_together(r, out, c_stride);
  } else {
    store_scattered(r, out, x_stride, c_stride, 0);
  }
}

}  // namespace
}  // namespace convtranspose
