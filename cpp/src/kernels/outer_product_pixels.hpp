// SPDX-License-Identifier: MIT
// Which pixels of a chunk a tap really meets. Taps that meet the same ones share a list of them,
// and their columns may share register tiles: nothing outside the result is ever multiplied.
#pragma once

#include "outer_product_cut.hpp"
#include "outer_product_tile.hpp"

namespace convtranspose {
namespace {

/// Taps that meet the same source positions.
struct TapRun {
  Span taps, sources;
};

/// The source positions of `within` that a tap meets.
constexpr Span sources_of_tap(const Axis& a, Index tap, Span within) {
  const Index shift = a.pad - tap * a.dilation;
  const Index first = clamp_to(-floor_div(-shift, a.stride), within.begin, within.end);
  const Index last = clamp_to(floor_div(a.result - 1 + shift, a.stride) + 1, first, within.end);
  return first == last ? Span{0, 0} : Span{first, last};
}

/// Cuts taps into runs of at most `most`; returns how many.
inline Index cut_taps(const Axis& a, Span taps, Span within, Index most, TapRun* runs) {
  Index count = 0;
  for (Index tap = taps.begin; tap < taps.end; ++tap) {
    const Span s = sources_of_tap(a, tap, within);
    if (count > 0 && runs[count - 1].sources.begin == s.begin &&
        runs[count - 1].sources.end == s.end && runs[count - 1].taps.size() < most) {
      runs[count - 1].taps.end = tap + 1;
    } else {
      runs[count++] = {{tap, tap + 1}, s};
    }
  }
  return count;
}

/// Lists the chunk's pixels inside y and x; returns how many. `step` leads from pixel to pixel.
inline Index list_pixels(const Problem& p, const PixelChunk& chunk, Span y, Span x,
                         const DataStrides& step, Index lanes_of_vector, PixelPlace* to) {
  if (y.size() == 0 || x.size() == 0) return 0;
  const PixelPlace* const first = to;
  const Index width = chunk.x.size();
  Index n = chunk.rows.begin / p.y.source, at = chunk.rows.begin % p.y.source;
  for (Index row = 0; row < chunk.rows.size(); ++row) {
    if (at >= y.begin && at < y.end) {
      Index lane = (row * width + x.begin - chunk.x.begin) * lanes_of_vector;
      Index result = n * step.n + at * step.y + x.begin * step.x;
      for (Index i = x.begin; i < x.end; ++i) {
        *to++ = {lane, result};
        lane += lanes_of_vector;
        result += step.x;
      }
    }
    if (++at == p.y.source) {
      at = 0;
      ++n;
    }
  }
  return to - first;
}

}  // namespace
}  // namespace convtranspose
