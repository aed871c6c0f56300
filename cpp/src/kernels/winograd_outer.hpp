// SPDX-License-Identifier: MIT
// The register tile of Winograd's weights gradient: for one element of the transformed tiles, a few
// source channels times two vectors of result channels, summed over tiles.
#pragma once

#include "tiling.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// Source channels lie in panels of three vectors, which six rows divide whatever a vector's size.
constexpr Index kOuterRows = 6;

template <class S>
struct TileProduct {
  const S* rows;   // [tile][row_pitch]
  const S* lanes;  // [tile][lane_pitch]
  Index row_pitch, lane_pitch;
  Index tiles;
  S* sums;   // [row][two vectors]
  bool add;  // to the sums, else overwrite them
};

template <class S, int kRows, int kVectors>
EIGEN_DONT_INLINE void outer_product(const TileProduct<S>& p) {
  using V = Vec<S>;
  constexpr Index kPitch = 2 * V::kSize;
  S* const sums = p.sums;
  typename V::Type sum[kRows][kVectors];
  repeat<kRows>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
    Eigen::internal::prefetch(sums + i * kPitch);
    repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA { sum[i][v] = V::zero(); });
  });
  const S* rows = p.rows;
  const S* lanes = p.lanes;
  const Index row_pitch = p.row_pitch, lane_pitch = p.lane_pitch;
  for (Index k = p.tiles; k > 0; --k) {
    typename V::Type lane[kVectors];
    repeat<kVectors>([&](auto v)
                         CONVTRANSPOSE_INLINE_LAMBDA { lane[v] = V::load(lanes + v * V::kSize); });
    repeat<kRows>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
      const typename V::Type value = V::set(rows[i]);
      repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
        sum[i][v] = V::fma(value, lane[v], sum[i][v]);
      });
    });
    rows += row_pitch;
    lanes += lane_pitch;
  }
  repeat<kRows>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
    repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
      S* to = sums + i * kPitch + v * V::kSize;
      V::store(to, p.add ? V::add(V::load(to), sum[i][v]) : sum[i][v]);
    });
  });
}

template <class S>
using OuterProductFunction = void (*)(const TileProduct<S>&);

/// By vectors and rows.
template <class S>
constexpr OuterProductFunction<S> kOuterProducts[3][kOuterRows + 1] = {
    {},
    {nullptr, outer_product<S, 1, 1>, outer_product<S, 2, 1>, outer_product<S, 3, 1>,
     outer_product<S, 4, 1>, outer_product<S, 5, 1>, outer_product<S, 6, 1>},
    {nullptr, outer_product<S, 1, 2>, outer_product<S, 2, 2>, outer_product<S, 3, 2>,
     outer_product<S, 4, 2>, outer_product<S, 5, 2>, outer_product<S, 6, 2>},
};

}  // namespace
}  // namespace convtranspose
