// SPDX-License-Identifier: MIT
// The register tile of the few-output algorithm: a few rows (broadcast weights) times a few vectors
// of positions, summed over channels and taps.
#pragma once

#include "vec.hpp"

namespace convtranspose {
namespace {

constexpr Index kMostTileRows = 6;
// Vectors of positions by rows; all divide kGroupVectors. With 16 registers twelve sums, the inputs
// and one weight fit.
#if defined(__AVX512F__) || defined(__ARM_NEON)
constexpr Index kTileVectors[kMostTileRows + 1] = {0, 6, 6, 6, 3, 3, 3};
#else
constexpr Index kTileVectors[kMostTileRows + 1] = {0, 6, 6, 3, 3, 2, 2};
#endif
constexpr Index kGroupVectors = 6;

// The inputs of a channel are short runs in planes far apart, which no hardware prefetcher follows.
constexpr Index kPrefetchChannels = 2;

/// What one call of a tile adds up.
template <class S>
struct FewSum {
  const S* inputs;  // of the first channel, at the first position
  Index channel_step;
  Index channels;
  Index chained;         // of them, whose products are one chain of sums
  const Index* offsets;  // of the taps
  Index taps;
  const S* weights;  // [channel][tap][row]
  S* sums[kMostTileRows];
};

template <class S, int kRows, int kVectors>
EIGEN_DONT_INLINE void few_output_tile(const FewSum<S>& t) {
  using V = Vec<S>;
  const S* inputs = t.inputs;
  const S* weights = t.weights;
  const Index ahead = kPrefetchChannels * t.channel_step;
  const Index* const offsets_end = t.offsets + t.taps;
  for (Index c = 0; c < t.channels;) {
    typename V::Type sum[kRows][kVectors];
    repeat<kRows>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
      repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA { sum[i][v] = V::zero(); });
    });
    // Channels outside, so that the taps of a channel find its inputs in L1.
    for (const Index end = min_of(c + t.chained, t.channels); c < end; ++c) {
      for (const Index* offset = t.offsets; offset != offsets_end; ++offset) {
        const S* at = inputs + *offset;
        Eigen::internal::prefetch(at + ahead + (kVectors - 1) * V::kSize);
        typename V::Type x[kVectors];
        repeat<kVectors>([&](auto v)
                             CONVTRANSPOSE_INLINE_LAMBDA { x[v] = V::load(at + v * V::kSize); });
        repeat<kRows>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
          const typename V::Type w = V::set(weights[i]);
          repeat<kVectors>(
              [&](auto v) CONVTRANSPOSE_INLINE_LAMBDA { sum[i][v] = V::fma(w, x[v], sum[i][v]); });
        });
        weights += kRows;
      }
      inputs += t.channel_step;
    }
    repeat<kRows>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
      S* to = t.sums[i];
      repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
        V::store(to + v * V::kSize, V::add(sum[i][v], V::load(to + v * V::kSize)));
      });
    });
  }
}

template <class S>
using FewTile = void (*)(const FewSum<S>&);

template <class S, int kRows, Index... v>
constexpr FewTile<S> few_tile(Index vectors, std::integer_sequence<Index, v...>) {
  constexpr FewTile<S> tiles[] = {
      few_output_tile<S, kRows, static_cast<int>(min_of(v + 1, kTileVectors[kRows]))>...};
  return tiles[vectors - 1];
}

/// Adds to a tile's sums; rows and vectors at most what kTileVectors says.
template <class S>
EIGEN_STRONG_INLINE void run_few_tile(const FewSum<S>& t, Index rows, Index vectors) {
  constexpr auto v = std::make_integer_sequence<Index, kGroupVectors>{};
  switch (rows) {
    case 1:
      return few_tile<S, 1>(vectors, v)(t);
    case 2:
      return few_tile<S, 2>(vectors, v)(t);
    case 3:
      return few_tile<S, 3>(vectors, v)(t);
    case 4:
      return few_tile<S, 4>(vectors, v)(t);
    case 5:
      return few_tile<S, 5>(vectors, v)(t);
    default:
      return few_tile<S, 6>(vectors, v)(t);
  }
}

}  // namespace
}  // namespace convtranspose
