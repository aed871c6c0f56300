// SPDX-License-Identifier: MIT
// Where the tiles read the result: in place, or from a stage, a copy of what one ky meets in a
// chunk's rows as [tile of channels][row][phase][position][channel]. A phase is the result columns
// that leave the same remainder when divided by the stride; its taps are shifts of one another, so
// every number is copied once for all of them.
#pragma once

#include <cstring>

#include "outer_product_pixels.hpp"

namespace convtranspose {
namespace {

struct Stage {
  static constexpr Index kPitch = 8;  // channels of a tile, padded

  Stage(const Axis& x, Index chunk_rows, Index chunk_width, Span kx, Index channels)
      : tiles(ceil_div(channels, kTileColumns[2])),
        most(ceil_div(channels, tiles)),
        larger(channels - (most - 1) * tiles) {
    Index divisor = x.stride;
    for (Index rest = x.dilation; rest != 0;) {
      const Index next = divisor % rest;
      divisor = rest;
      rest = next;
    }
    phases = min_of(x.stride / divisor, kx.size());
    first_shift = shift(x, kx.begin);
    width = chunk_width + shift(x, kx.end - 1) - first_shift;
    row = saturated(saturated(phases, width), kPitch);
    tile = saturated(chunk_rows, row) + 2 * kPitch;  // off powers of two
  }
  static Index shift(const Axis& x, Index tap) {
    return floor_div(tap * x.dilation - x.pad, x.stride);
  }
  static Index remainder(const Axis& x, Index tap) {
    return modulo(tap * x.dilation - x.pad, x.stride);
  }
  Index count() const { return saturated(tiles, tile); }
  /// Tiles differ by one channel at most.
  Index channels_of(Index number) const { return number < larger ? most : most - 1; }

  Index tiles, most, larger;  // channels of the first `larger` tiles: `most`
  Index phases, width, row, tile;
  Index first_shift;
};

/// Copies one position's channels, which are neighbours in memory, to all tiles. `readable` of them
/// are inside the tensor.
template <class T>
EIGEN_STRONG_INLINE void stage_channels(const T* from, Index readable, const Stage& s, Sum<T>* to) {
  constexpr Index kPitch = Stage::kPitch;
  for (Index tile = 0, begin = 0; tile < s.tiles; ++tile) {
    const Index end = begin + s.channels_of(tile);
    if (begin + kPitch <= readable) {
      // A whole vector: what lies behind the tile's last channel is never read again.
      if constexpr (std::is_same_v<T, Sum<T>>) {
        std::memcpy(to, from + begin, kPitch * sizeof(T));
      } else {
        widen_run(from + begin, kPitch, to);
      }
    } else {
      for (Index i = begin; i < end; ++i) to[i - begin] = widen(from[i]);
    }
    to += s.tile;
    begin = end;
  }
}

/// The same for channels that are far apart: channel by channel.
template <class T>
void stage_planes(const T* from, Index channel_step, Index step, Index count, const Stage& s,
                  Sum<T>* to) {
  for (Index tile = 0, begin = 0; tile < s.tiles; ++tile) {
    const Index end = begin + s.channels_of(tile);
    for (Index c = begin; c < end; ++c) {
      for (Index i = 0; i < count; ++i) {
        to[tile * s.tile + i * Stage::kPitch + c - begin] =
            widen(from[c * channel_step + i * step]);
      }
    }
    begin = end;
  }
}

constexpr Index kPositionsAhead = 16;

/// Copies what tap row ky meets. `y` are the source rows it meets.
template <class T>
void fill_stage(const Request& r, const void* result, const OuterBlock& b, const PixelChunk& chunk,
                const Stage& s, Index ky, Span y, Sum<T>* to) {
  const Problem& p = r.problem;
  const Index first_channel = b.group * p.result_channels + b.i.begin;
  const Index all_channels = p.groups * p.result_channels;
  for (Index row = 0; row < chunk.rows.size(); ++row) {
    const Index n = (chunk.rows.begin + row) / p.y.source;
    const Index at = (chunk.rows.begin + row) % p.y.source;
    if (at < y.begin || at >= y.end) continue;
    const T* const line = static_cast<const T*>(result) + n * r.result.n +
                          (at * p.y.stride + ky * p.y.dilation - p.y.pad) * r.result.y +
                          first_channel * r.result.c;
    for (Index phase = 0; phase < s.phases; ++phase) {
      // Result column of position i: (chunk.x.begin + first_shift + i) * stride + remainder.
      const Index origin =
          (chunk.x.begin + s.first_shift) * p.x.stride + Stage::remainder(p.x, b.kx.begin + phase);
      const Index width = s.width;
      const Index first = clamp_to(-floor_div(origin, p.x.stride), 0, width);
      const Index last = clamp_to(floor_div(p.x.result - 1 - origin, p.x.stride) + 1, first, width);
      const T* from = line + (origin + first * p.x.stride) * r.result.x;
      const Index step = p.x.stride * r.result.x;
      Sum<T>* out = to + row * s.row + (phase * width + first) * Stage::kPitch;
      if (r.result.c != 1) {
        stage_planes(from, r.result.c, step, last - first, s, out);
        continue;
      }
      // All tiles at a time: a pixel's channels are read while its cache lines are there.
      for (Index i = 0; i < last - first; ++i) {
        for (Index c = 0; c < b.i.size(); c += 64 / static_cast<Index>(sizeof(T))) {
          fetch_soon(from + (i + kPositionsAhead) * step + c);
        }
        stage_channels(from + i * step, all_channels - first_channel, s, out + i * Stage::kPitch);
      }
    }
  }
}

}  // namespace
}  // namespace convtranspose
