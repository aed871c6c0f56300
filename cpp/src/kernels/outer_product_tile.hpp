// SPDX-License-Identifier: MIT
// The register tile of the weights gradient: a few columns (result channel and tap) times a few
// vectors of source channels, summed over a list of pixels.
#pragma once

#include "vec.hpp"

namespace convtranspose {
namespace {

/// Where one pixel's numbers are: its source channels and, from every column's start, its result.
struct PixelPlace {
  Index lane, row;
};

/// Columns of a tile by its number of vectors. The sums, one row of source channels and a broadcast
/// fill 16 registers; with 32 of them eight columns are enough, more would need as many addresses
/// in general registers.
#if defined(__AVX512F__) || defined(__ARM_NEON)
constexpr Index kTileColumns[5] = {0, 8, 8, 8, 6};
#else
constexpr Index kTileColumns[5] = {0, 8, 6, 4, 3};
#endif
constexpr Index kMostTileColumns = 8;

template <class S>
struct OuterSum {
  const PixelPlace* pixels;
  Index count;
  const S* lanes;       // a vector of source channels at every pixel's `lane` ...
  Index lane_pitch;     // ... and the next vector's so much further
  const S* rows;        // the result, at every pixel's `row` ...
  const Index* starts;  // ... and column's start
  S* sums;              // [vector of source channels] at every column's target
  const Index* targets;
  bool add;  // to the sums, else overwrite them
};

template <class S, int kColumns, int kVectors>
EIGEN_DONT_INLINE void outer_tile(const OuterSum<S>& t) {
  using V = Vec<S>;
  typename V::Type sum[kColumns][kVectors];
  const S* rows[kColumns];
  for (int j = 0; j < kColumns; ++j) {
    rows[j] = t.rows + t.starts[j];
    for (int v = 0; v < kVectors; ++v) sum[j][v] = V::zero();
  }
  const S* lanes = t.lanes;
  const Index pitch = t.lane_pitch;
  for (const PixelPlace *p = t.pixels, *end = p + t.count; p != end; ++p) {
    typename V::Type lane[kVectors];
    for (int v = 0; v < kVectors; ++v) lane[v] = V::load(lanes + p->lane + v * pitch);
    const Index at = p->row;
    for (int j = 0; j < kColumns; ++j) {
      const typename V::Type value = V::set(rows[j][at]);
      for (int v = 0; v < kVectors; ++v) sum[j][v] = V::fma(value, lane[v], sum[j][v]);
    }
  }
  S* const sums = t.sums;
  const Index* const targets = t.targets;
  if (t.add) {
    for (int j = 0; j < kColumns; ++j) {
      for (int v = 0; v < kVectors; ++v) {
        sum[j][v] = V::add(V::load(sums + targets[j] + v * V::kSize), sum[j][v]);
      }
    }
  }
  for (int j = 0; j < kColumns; ++j) {
    for (int v = 0; v < kVectors; ++v) V::store(sums + targets[j] + v * V::kSize, sum[j][v]);
  }
}

template <class S>
using OuterTile = void (*)(const OuterSum<S>&);

/// The tile of a number of columns and vectors; the nearest smaller one for sizes a tile cannot
/// have.
template <class S, int kColumns, int kVectors>
constexpr OuterTile<S> kOuterTile = outer_tile < S,
                       kColumns <= kTileColumns[kVectors] ? kColumns : 1, kVectors > ;

template <class S>
constexpr OuterTile<S> kOuterTiles[5][kMostTileColumns + 1] = {
    {},
    {nullptr, kOuterTile<S, 1, 1>, kOuterTile<S, 2, 1>, kOuterTile<S, 3, 1>, kOuterTile<S, 4, 1>,
     kOuterTile<S, 5, 1>, kOuterTile<S, 6, 1>, kOuterTile<S, 7, 1>, kOuterTile<S, 8, 1>},
    {nullptr, kOuterTile<S, 1, 2>, kOuterTile<S, 2, 2>, kOuterTile<S, 3, 2>, kOuterTile<S, 4, 2>,
     kOuterTile<S, 5, 2>, kOuterTile<S, 6, 2>, kOuterTile<S, 7, 2>, kOuterTile<S, 8, 2>},
    {nullptr, kOuterTile<S, 1, 3>, kOuterTile<S, 2, 3>, kOuterTile<S, 3, 3>, kOuterTile<S, 4, 3>,
     kOuterTile<S, 5, 3>, kOuterTile<S, 6, 3>, kOuterTile<S, 7, 3>, kOuterTile<S, 8, 3>},
    {nullptr, kOuterTile<S, 1, 4>, kOuterTile<S, 2, 4>, kOuterTile<S, 3, 4>, kOuterTile<S, 4, 4>,
     kOuterTile<S, 5, 4>, kOuterTile<S, 6, 4>, kOuterTile<S, 7, 4>, kOuterTile<S, 8, 4>},
};

}  // namespace
}  // namespace convtranspose
