// SPDX-License-Identifier: MIT
// How Winograd's work is cut up: boxes of tiles, several images' where they are small, times splits
// of the panels of weights.
#pragma once

#include "winograd_shape.hpp"
#include "winograd_tile.hpp"

namespace convtranspose {
namespace {

struct WinogradSchedule {
  Index images, rows, columns;  // of a box, rows and columns of tiles
  Index n_boxes, y_boxes, x_boxes;
  Index channels;      // transformed at a time
  Index chunk_panels;  // multiplied at a time
  Index per_chunk, per_split, splits;
  // Workspace, in numbers of the sums' type.
  Index tiles, sums, region, half, band;
};

/// Tiles of a box: enough to use a panel's weights, 16 KiB in L1, eight times.
constexpr Index kBoxTiles = 8 * kGroup;
/// Transformed tiles of a box; they stream from L3 where they are more than L2 holds.
constexpr Index kMostTileBytes = Index{4} << 20;
/// Inputs on their way to transformed tiles: beside them in L2.
constexpr Index kInputBytes = Index{128} << 10;
/// Packed weights of a call that has to transform them itself.
constexpr Index kMostPackedBytes = Index{32} << 20;

/// Numbers of a set's transformed tiles. Elements lie off each other's cache sets.
template <class S>
Index set_size(const WinogradShape<S>& shape, Index iy, Index ix, Index tiles) {
  const Index element = round_up(tiles, kGroup) * shape.blocks * WinogradShape<S>::kVector +
                        64 / static_cast<Index>(sizeof(S));
  return shape.y.elements_of_set(iy) * shape.x.elements_of_set(ix) * element;
}
/// The sets of y that a job transforms: forward one of them at a time.
template <class S>
Span sets_of_part(const WinogradShape<S>& shape, Index part) {
  return shape.forward ? Span{part, part + 1} : Span{0, shape.y.sets};
}
template <class S>
Index y_parts(const WinogradShape<S>& shape) {
  return shape.forward ? shape.y.sets : 1;
}
/// Numbers of the largest part's transformed tiles.
template <class S>
Index sets_size(const WinogradShape<S>& shape, Index tiles) {
  Index most = 0;
  for (Index part = 0; part < y_parts(shape); ++part) {
    Index sum = 0;
    const Span sets = sets_of_part(shape, part);
    for (Index iy = sets.begin; iy < sets.end; ++iy) {
      for (Index ix = 0; ix < shape.x.sets; ++ix) sum += set_size(shape, iy, ix, tiles);
    }
    most = max_of(most, sum);
  }
  return most;
}

inline Index most_elements(const WinogradAxis& a) {
  Index most = 0;
  for (Index r = 0; r < a.phases; ++r) most = max_of(most, a.elements(r));
  return most;
}

/// Cuts `count` into even pieces of at most `most`.
inline Index even_piece(Index count, Index most) { return ceil_div(count, ceil_div(count, most)); }

/// A box of about `most` tiles.
inline void cut_tiles(WinogradSchedule& s, Index batch, Index tiles_y, Index tiles_x, Index most) {
  s.columns = even_piece(tiles_x, most);
  s.rows = s.columns < tiles_x ? 1 : even_piece(tiles_y, max_of(1, most / tiles_x));
  s.images = s.rows < tiles_y ? 1 : clamp_to(most / (tiles_y * tiles_x), 1, batch);
  s.n_boxes = ceil_div(batch, s.images);
  s.y_boxes = ceil_div(tiles_y, s.rows);
  s.x_boxes = ceil_div(tiles_x, s.columns);
}

template <class T>
WinogradSchedule winograd_schedule(const Request& r, const WinogradShape<Sum<T>>& shape) {
  using S = Sum<T>;
  constexpr Index kSize = static_cast<Index>(sizeof(S));
  WinogradSchedule s{};
  const WinogradAxis &y = shape.y, &x = shape.x;
  Index most = kBoxTiles;
  while (most > kGroup && sets_size(shape, most) > kMostTileBytes / kSize) most /= 2;
  cut_tiles(s, r.problem.batch, y.tiles, x.tiles, most);
  const Index tiles = s.images * s.rows * s.columns;

  const Index panels = r.problem.groups * shape.panels;
  const Index panel_bytes = saturated(shape.panel_size(), kSize);
  s.per_chunk = r.packed_ahead ? panels : clamp_to(kMostPackedBytes / panel_bytes, 1, panels);
  // Every split transforms the box's inputs again, so it should have channels enough to pay.
  const Index boxes = s.n_boxes * s.y_boxes * s.x_boxes * y_parts(shape);
  const Index wanted = clamp_to(ceil_div(8, boxes), 1, max_of(1, s.per_chunk / 8));
  s.per_split = ceil_div(s.per_chunk, wanted);
  s.splits = ceil_div(s.per_chunk, s.per_split);
  s.chunk_panels = min_of(4, s.per_split);

  const Index e = most_elements(y) * most_elements(x);
  const Index width = s.chunk_panels * WinogradShape<S>::kPanel;
  const Index columns = x.inputs_of({0, s.columns}).size();
  const Index lines = y.inputs_of({0, s.rows}).size();
  const Index one = (lines + most_elements(y)) * columns;  // numbers for one channel
  const Index all = shape.blocks * WinogradShape<S>::kVector;
  s.channels = clamp_to(kInputBytes / kSize / one / WinogradShape<S>::kVector, 1, shape.blocks) *
               WinogradShape<S>::kVector;
  s.channels = min_of(s.channels, all);
  s.tiles = sets_size(shape, tiles);
  s.sums = e * (round_up(tiles, kGroup) * width + 64 / kSize);
  s.region = lines * columns * s.channels;
  s.half = most_elements(y) * columns * s.channels;
  const Index step = shape.forward ? x.stride : 1;
  s.band = (s.images * s.rows * y.m * s.columns * x.m * step + Vec<S>::kSize) * width;
  return s;
}

}  // namespace
}  // namespace convtranspose
