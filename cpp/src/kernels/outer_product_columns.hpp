// SPDX-License-Identifier: MIT
// Adds a chunk of pixels to the sums of a job's columns: for every set of taps that meet the same
// pixels, register tiles over its columns and over the source channels.
#pragma once

#include "outer_product_rows.hpp"

namespace convtranspose {
namespace {

constexpr Index kStageBytes = Index{512} << 10;

template <class S>
Index stage_bytes(const Problem& p, const OuterCut& c) {
  Index most = 0;
  for (Index block = 0; block < c.x_blocks; ++block) {
    const Stage s(p.x, c.chunk_rows, c.chunk_width, piece(block, c.taps, p.x.kernel), c.channels);
    most = max_of(most, s.count());
  }
  return arena_bytes<S>(min_of(most, Index{1} << 40));
}

/// Channels that are neighbours in memory, enough of them to fill tiles; and enough products from
/// every number to be worth a copy (64 -> 32 k2 s2 gains, 21 -> 21 k16 s8 loses).
inline bool worth_staging(const Request& r, const OuterCut& c) {
  return r.result.c == 1 && c.channels >= kTileColumns[2] &&
         c.vectors * max_of(1, c.taps / r.problem.x.stride) >= 8;
}

template <class T>
class Columns {
  using S = Sum<T>;
  using V = Vec<S>;

 public:
  Columns(const Request& r, const OuterCut& c, const OuterBlock& b, const void* result,
          Arena& arena)
      : r_(r),
        c_(c),
        b_(b),
        result_(static_cast<const T*>(result)),
        stage_(r.problem.x, c.chunk_rows, c.chunk_width, b.kx, b.i.size()),
        pixels_(arena.take<PixelPlace>(c.pixels())),
        y_runs_(arena.take<TapRun>(c.rows)),
        x_runs_(arena.take<TapRun>(c.taps)),
        starts_(arena.take<Index>(c.columns())),
        targets_(arena.take<Index>(c.columns())),
        staged_(c.staged
                    ? arena.take<S>(stage_bytes<S>(r.problem, c) / static_cast<Index>(sizeof(S)))
                    : nullptr) {}

  static Index bytes(const Problem& p, const OuterCut& c) {
    return arena_bytes<PixelPlace>(c.pixels()) + arena_bytes<TapRun>(c.rows) +
           arena_bytes<TapRun>(c.taps) + 2 * arena_bytes<Index>(c.columns()) +
           (c.staged ? stage_bytes<S>(p, c) : 0);
  }

  /// `add` to the sums, else overwrite them.
  void add(const PixelChunk& chunk, const S* lanes, S* sums, bool add) {
    const Problem& p = r_.problem;
    OuterSum<S> t{};
    t.pixels = pixels_;
    t.lanes = lanes;
    t.lane_pitch = lane_pitch<S>(c_);
    t.sums = sums;
    t.add = add;
    // The stage holds one ky at a time.
    const Index y_runs = cut_taps(p.y, b_.ky, chunk.y, c_.staged ? 1 : c_.rows, y_runs_);
    const Index x_runs = cut_taps(p.x, b_.kx, chunk.x, c_.taps, x_runs_);
    for (Index yr = 0; yr < y_runs; ++yr) {
      const TapRun& y = y_runs_[yr];
      if (c_.staged) {
        fill_stage<T>(r_, result_, b_, chunk, stage_, y.taps.begin, y.sources, staged_);
      }
      for (Index xr = 0; xr < x_runs; ++xr) {
        const TapRun& x = x_runs_[xr];
        t.count = list_pixels(p, chunk, y.sources, x.sources, step(), V::kSize, pixels_);
        if (t.count == 0 && add) continue;
        if (c_.staged) {
          t.rows = staged_;
          list_staged(chunk, y.taps.begin, x.taps);
          add_tiles(t, b_.i.size(), x.taps.size());
        } else if constexpr (std::is_same_v<T, S>) {
          t.rows = result_;
          list_in_place(y.taps, x.taps);
          add_tiles(t, b_.i.size() * y.taps.size() * x.taps.size(), 1);
        }
      }
    }
  }

 private:
  /// From source pixel to source pixel.
  DataStrides step() const {
    const Problem& p = r_.problem;
    if (c_.staged) return {p.y.source * stage_.row, 0, stage_.row, Stage::kPitch};
    return {r_.result.n, r_.result.c, p.y.stride * r_.result.y, p.x.stride * r_.result.x};
  }
  Index target(Index i, Index ky, Index kx) const {
    return ((i * b_.ky.size() + ky - b_.ky.begin) * b_.kx.size() + kx - b_.kx.begin) * c_.vectors *
           V::kSize;
  }

  /// Where the columns of these taps start, and where their sums are.
  void list_in_place(Span ky, Span kx) {
    const Problem& p = r_.problem;
    const Index channel = (b_.group * p.result_channels + b_.i.begin) * r_.result.c;
    const Index dx = p.x.dilation * r_.result.x;
    Index count = 0;
    const auto put = [&](Index i, Index y, Index x) {
      starts_[count] = channel + i * r_.result.c + (y * p.y.dilation - p.y.pad) * r_.result.y +
                       x * dx - p.x.pad * r_.result.x;
      targets_[count++] = target(i, y, x);
    };
    // Neighbours in memory come after one another, for tiles to share cache lines.
    if (r_.result.c == 1) {
      for (Index y = ky.begin; y < ky.end; ++y) {
        for (Index x = kx.begin; x < kx.end; ++x) {
          for (Index i = 0; i < b_.i.size(); ++i) put(i, y, x);
        }
      }
      return;
    }
    for (Index i = 0; i < b_.i.size(); ++i) {
      for (Index y = ky.begin; y < ky.end; ++y) {
        for (Index x = kx.begin; x < kx.end; ++x) put(i, y, x);
      }
    }
  }
  void list_staged(const PixelChunk& chunk, Index ky, Span kx) {
    Index count = 0;
    for (Index x = kx.begin; x < kx.end; ++x) {
      const Index phase = (x - b_.kx.begin) % stage_.phases;
      const Index position = Stage::shift(r_.problem.x, x) - stage_.first_shift - chunk.x.begin;
      const Index start =
          (phase * stage_.width + position) * Stage::kPitch - chunk.rows.begin * stage_.row;
      for (Index tile = 0, begin = 0; tile < stage_.tiles; ++tile) {
        const Index end = begin + stage_.channels_of(tile);
        for (Index i = begin; i < end; ++i) {
          starts_[count] = start + tile * stage_.tile + i - begin;
          targets_[count++] = target(i, ky, x);
        }
        begin = end;
      }
    }
  }

  /// `groups` of `columns`; no tile belongs to two groups. Tiles of two vectors, and at the end of
  /// three where their number is odd; of four for few columns, where only so there are enough sums
  /// under way.
  void add_tiles(const OuterSum<S>& t, Index columns, Index groups) const {
    const Index wide = columns * groups <= kTileColumns[4] ? 4 : 2;
    const Index rest = wide == 4 ? b_.vectors % 4 : b_.vectors % 2 * min_of(b_.vectors, 3);
    add_tiles_of(wide, {0, b_.vectors - rest}, t, columns, groups);
    add_tiles_of(rest, {b_.vectors - rest, b_.vectors}, t, columns, groups);
  }

  /// What a tile reads of the result stays in the first-level cache while the source channels
  /// stream by: 88 GFLOP/s in NHWC, the other way round 69.
  void add_tiles_of(Index width, Span vectors, OuterSum<S> t, Index columns, Index groups) const {
    if (vectors.size() == 0) return;
    const S* const lanes = t.lanes;
    S* const sums = t.sums;
    const Index tiles = ceil_div(columns, kTileColumns[width]);
    for (Index group = 0; group < groups; ++group) {
      for (Index tile = 0; tile < tiles; ++tile) {
        const Index begin = tile_begin(tile, tiles, columns);
        const OuterTile<S> multiply =
            kOuterTiles<S>[width][tile_begin(tile + 1, tiles, columns) - begin];
        t.starts = starts_ + group * columns + begin;
        t.targets = targets_ + group * columns + begin;
        for (Index v = vectors.begin; v < vectors.end; v += width) {
          t.lanes = lanes + v * t.lane_pitch;
          t.sums = sums + v * V::kSize;
          multiply(t);
        }
      }
    }
  }

  const Request& r_;
  const OuterCut& c_;
  const OuterBlock& b_;
  const T* result_;
  Stage stage_;
  PixelPlace* pixels_;
  TapRun *y_runs_, *x_runs_;
  Index *starts_, *targets_;
  S* staged_;
};

}  // namespace
}  // namespace convtranspose
