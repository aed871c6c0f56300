// SPDX-License-Identifier: MIT
// Columns of im2col for a run of source pixels, numbered over the batch: what both gradients read
// from the result side. Taps outside the result are zeros.
#pragma once

#include "tiling.hpp"

namespace convtranspose {
namespace {

/// A run of source pixels inside one source row.
struct PixelRun {
  Index n, y, x, count;
  Index place;  // of its first pixel within the tile
};

/// Calls body(PixelRun) for the pixels [begin, end) of the batch.
template <class Body>
void for_each_run(const Problem& p, Index begin, Index end, const Body& body) {
  for (Index pixel = begin; pixel < end;) {
    const Index x = pixel % p.x.source, row = pixel / p.x.source;
    const Index count = min_of(p.x.source - x, end - pixel);
    body(PixelRun{row / p.y.source, row % p.y.source, x, count, pixel - begin});
    pixel += count;
  }
}

/// Writes, for pixels [begin, end), what tap (ky, kx) of result channel c (over all groups) meets.
template <class T>
void im2col_column(const Request& r, const void* result, Index c, Index ky, Index kx, Index begin,
                   Index end, Sum<T>* to) {
  const Problem& p = r.problem;
  for_each_run(p, begin, end, [&](const PixelRun& run) {
    Sum<T>* out = to + run.place;
    const Index y = run.y * p.y.stride + ky * p.y.dilation - p.y.pad;
    const Index shift = kx * p.x.dilation - p.x.pad;  // result column of source column 0
    Index first = run.x, last = run.x;                // source columns that meet the result
    if (y >= 0 && y < p.y.result) {
      first = clamp_to(-floor_div(shift, p.x.stride), run.x, run.x + run.count);
      last = clamp_to(floor_div(p.x.result - 1 - shift, p.x.stride) + 1, first, run.x + run.count);
    }
    const T* from = static_cast<const T*>(result) + run.n * r.result.n + c * r.result.c +
                    y * r.result.y + shift * r.result.x;
    const Index step = p.x.stride * r.result.x;
    for (Index x = run.x; x < first; ++x) *out++ = 0;
    for (Index x = first; x < last; ++x) *out++ = widen(from[x * step]);
    for (Index x = last; x < run.x + run.count; ++x) *out++ = 0;
  });
}

/// Writes source channel o (over all groups) at pixels [begin, end).
template <class T>
void source_column(const Request& r, const void* source, Index o, Index begin, Index end,
                   Index to_step, Sum<T>* to) {
  for_each_run(r.problem, begin, end, [&](const PixelRun& run) {
    const T* from = static_cast<const T*>(source) + run.n * r.source.n + o * r.source.c +
                    run.y * r.source.y + run.x * r.source.x;
    for (Index i = 0; i < run.count; ++i) {
      to[(run.place + i) * to_step] = widen(from[i * r.source.x]);
    }
  });
}

}  // namespace
}  // namespace convtranspose
