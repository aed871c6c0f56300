// SPDX-License-Identifier: MIT
// Textbook sums for the GEMM gradients where im2col's zeros would meet numbers that are not finite:
// a tap outside the result must not be multiplied at all.
#pragma once

#include "gemm_im2col.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// body(ky, y, kx, x) for the taps of a source pixel that lie inside the result.
template <class Body>
void for_each_tap_inside(const Problem& p, Index source_y, Index source_x, const Body& body) {
  for (Index ky = 0; ky < p.y.kernel; ++ky) {
    const Index y = source_y * p.y.stride + ky * p.y.dilation - p.y.pad;
    if (y < 0 || y >= p.y.result) continue;
    for (Index kx = 0; kx < p.x.kernel; ++kx) {
      const Index x = source_x * p.x.stride + kx * p.x.dilation - p.x.pad;
      if (x >= 0 && x < p.x.result) body(ky, y, kx, x);
    }
  }
}

/// The data gradient of some channels of a group at some pixels; sums[channel * ld + pixel].
template <class T>
void sum_carefully(const Request& r, const Tensors& t, Index group, const Span& channels,
                   const Span& pixels, Index ld, Sum<T>* sums) {
  const Problem& p = r.problem;
  for_each_run(p, pixels.begin, pixels.end, [&](const PixelRun& run) {
    for (Index i = 0; i < run.count; ++i) {
      for_each_tap_inside(p, run.y, run.x + i, [&](Index ky, Index y, Index kx, Index x) {
        const T* result = static_cast<const T*>(t.result) + run.n * r.result.n +
                          group * p.result_channels * r.result.c + y * r.result.y + x * r.result.x;
        const T* weights = static_cast<const T*>(t.weights) +
                           group * p.source_channels * r.weights.o + ky * r.weights.y +
                           kx * r.weights.x;
        for (Index o = channels.begin; o < channels.end; ++o) {
          Sum<T>& sum = sums[(o - channels.begin) * ld + run.place + i];
          for (Index c = 0; c < p.result_channels; ++c) {
            sum +=
                widen(result[c * r.result.c]) * widen(weights[o * r.weights.o + c * r.weights.i]);
          }
        }
      });
    }
  });
}

/// Adds what some pixels give to the weights gradient of channels x columns (i, ky, kx);
/// sums[column * channels + channel].
template <class T>
void add_carefully(const Request& r, const Tensors& t, Index group, const Span& channels,
                   const Span& columns, const Span& pixels, Sum<T>* sums) {
  const Problem& p = r.problem;
  const Index taps = p.y.kernel * p.x.kernel;
  for_each_run(p, pixels.begin, pixels.end, [&](const PixelRun& run) {
    for (Index i = 0; i < run.count; ++i) {
      const T* source = static_cast<const T*>(t.source) + run.n * r.source.n +
                        group * p.source_channels * r.source.c + run.y * r.source.y +
                        (run.x + i) * r.source.x;
      for_each_tap_inside(p, run.y, run.x + i, [&](Index ky, Index y, Index kx, Index x) {
        const T* result = static_cast<const T*>(t.result) + run.n * r.result.n +
                          group * p.result_channels * r.result.c + y * r.result.y + x * r.result.x;
        for (Index c = 0; c < p.result_channels; ++c) {
          const Index column = c * taps + ky * p.x.kernel + kx;
          if (column < columns.begin || column >= columns.end) continue;
          Sum<T>* to = sums + (column - columns.begin) * channels.size();
          for (Index o = channels.begin; o < channels.end; ++o) {
            to[o - channels.begin] += widen(source[o * r.source.c]) * widen(result[c * r.result.c]);
          }
        }
      });
    }
  });
}

}  // namespace
}  // namespace convtranspose
