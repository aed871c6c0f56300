// SPDX-License-Identifier: MIT
// How the weights gradient is cut into jobs: blocks of source channels times blocks of columns
// (result channel, ky, kx), and where those are few, parts of the batch's pixels. A job keeps all
// its sums in cache and goes over its pixels in chunks.
#pragma once

#include "tiling.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

struct OuterCut {
  Index vectors, o_blocks;        // vectors of source channels of one job
  Index channels, i_blocks;       // result channels of one job
  Index rows, y_blocks;           // ky of one job
  Index taps, x_blocks;           // kx of one job
  Index chunk_rows, chunk_width;  // pixels that are packed at a time
  Index row_chunks, chunks;       // of one row; of the batch
  Index parts, part_chunks;       // of the chunks
  bool staged;                    // the result is copied before it is read
  Index columns() const { return channels * rows * taps; }
  Index pixels() const { return chunk_rows * chunk_width; }
  Index blocks_of_group() const { return o_blocks * i_blocks * y_blocks * x_blocks; }
};
static_assert(sizeof(OuterCut) <= sizeof(Schedule::tile));

/// Pixels of a chunk. Its source channels stay in the first-level cache beside what a tile reads of
/// the result; sums leave the registers only so often, which also keeps the digits of long sums.
constexpr Index kChunkPixels = 256;

/// A job's sums and its chunk's source channels share the second-level cache.
constexpr Index kSumBytes = Index{192} << 10, kMostVectors = 16;

/// Enough jobs for several threads, none much shorter than 50 us (200 000 vector operations).
constexpr Index kLeastJobs = 16, kLeastJobSteps = 200000;

/// Cuts `count` into the fewest equal pieces of at most `most`.
struct Even {
  Even(Index count, Index most) : size(ceil_div(count, ceil_div(count, max_of(most, 1)))) {
    pieces = ceil_div(count, size);
  }
  Index size, pieces;
};

/// Where a tile begins when `count` things are shared by tiles that differ by one at most.
constexpr Index tile_begin(Index tile, Index tiles, Index count) {
  return tile * (count / tiles) + min_of(tile, count % tiles);
}

template <class S>
OuterCut outer_cut(const Request& r) {
  const Problem& p = r.problem;
  OuterCut c{};
  const Even o(ceil_div(p.source_channels, Vec<S>::kSize), kMostVectors);
  c.vectors = o.size, c.o_blocks = o.pieces;
  const Index vector_bytes = Vec<S>::kSize * static_cast<Index>(sizeof(S));
  Index columns = kSumBytes / (c.vectors * vector_bytes);
  const Even x(p.x.kernel, columns);
  columns /= x.size;
  // A few channels that are neighbours in memory stay together, else a channel's taps do.
  const bool channels_first = r.result.c == 1 && p.result_channels <= 32;
  const Even first(channels_first ? p.result_channels : p.y.kernel, x.pieces > 1 ? 1 : columns);
  const Even second(channels_first ? p.y.kernel : p.result_channels,
                    first.pieces > 1 ? 1 : columns / first.size);
  const Even &y = channels_first ? second : first, &i = channels_first ? first : second;
  c.taps = x.size, c.x_blocks = x.pieces;
  c.rows = y.size, c.y_blocks = y.pieces;
  c.channels = i.size, c.i_blocks = i.pieces;

  // Whole rows, or equal pieces of one.
  const Even width(p.x.source, kChunkPixels);
  const Even rows(p.batch * p.y.source, kChunkPixels / width.size);
  c.chunk_width = width.size, c.row_chunks = width.pieces;
  c.chunk_rows = width.pieces > 1 ? 1 : rows.size;
  c.chunks = width.pieces * ceil_div(p.batch * p.y.source, c.chunk_rows);

  const Index steps = saturated(saturated(c.chunks, c.pixels()), c.columns() * c.vectors);
  const Index most = min_of(c.chunks / 4, steps / kLeastJobSteps);
  const Index parts = clamp_to(kLeastJobs / (p.groups * c.blocks_of_group()), 1, max_of(most, 1));
  const Even part(c.chunks, ceil_div(c.chunks, parts));
  c.parts = part.pieces, c.part_chunks = part.size;
  return c;
}

/// From one vector's pixels to the next one's: a cache line more than they need, or the vectors of
/// a pixel, stored one after another, would compete for one set of the first-level cache.
template <class S>
constexpr Index lane_pitch(const OuterCut& c) {
  return c.pixels() * Vec<S>::kSize + 64 / static_cast<Index>(sizeof(S));
}

/// Asks for what is read soon, in runs too short for the hardware to foresee.
inline void fetch_soon(const void* p) {
#if defined(__GNUC__)
  // Into the second level: planes a power of two apart fill too few sets of the first.
  __builtin_prefetch(p, 0, 2);
#else
  static_cast<void>(p);
#endif
}

/// What one job (without its part of the pixels) computes.
struct OuterBlock {
  OuterBlock(const Problem& p, const OuterCut& c, Index lanes_of_vector, Index block) {
    kx = piece(block % c.x_blocks, c.taps, p.x.kernel);
    block /= c.x_blocks;
    ky = piece(block % c.y_blocks, c.rows, p.y.kernel);
    block /= c.y_blocks;
    i = piece(block % c.i_blocks, c.channels, p.result_channels);
    block /= c.i_blocks;
    o = piece(block % c.o_blocks, c.vectors * lanes_of_vector, p.source_channels);
    vectors = ceil_div(o.size(), lanes_of_vector);
    group = block / c.o_blocks;
  }
  Index columns() const { return i.size() * ky.size() * kx.size(); }

  Index group, vectors;
  Span o, i, ky, kx;
};

/// Some source rows, numbered over the batch, between two columns.
struct PixelChunk {
  PixelChunk(const Problem& p, const OuterCut& c, Index chunk)
      : rows(piece(chunk / c.row_chunks, c.chunk_rows, p.batch * p.y.source)),
        x(piece(chunk % c.row_chunks, c.chunk_width, p.x.source)) {
    const Index n = rows.begin / p.y.source, y_begin = rows.begin % p.y.source;
    y = rows.end <= (n + 1) * p.y.source ? Span{y_begin, y_begin + rows.size()}
                                         : Span{0, p.y.source};
  }
  Span rows, x;
  Span y;  // what the rows span of an image
};

}  // namespace
}  // namespace convtranspose
