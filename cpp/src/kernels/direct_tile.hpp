// SPDX-License-Identifier: MIT
// The register tile of the direct algorithm: a few output pixels times a few vectors of output
// channels, summed over runs of input numbers.
#pragma once

#include "tiling.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

// Pixels of a tile by its number of channel vectors. Accumulators, one row of weights and one
// broadcast fill 16 registers (12 + 3 + 1 at most); with 32 registers eight pixels are enough, more
// would need as many addresses in general registers.
#if defined(__AVX512F__) || defined(__ARM_NEON)
constexpr Index kTilePixels[4] = {0, 8, 8, 8};
#else
constexpr Index kTilePixels[4] = {0, 8, 6, 4};
#endif
constexpr Index kMostTilePixels = 8;

/// What tiles sum up: `runs` stretches of `length` numbers at every pixel.
template <class S>
struct TileSum {
  const S* const* pixels;  // where the pixel's inputs are
  const Index* offsets;    // of every run
  Index runs, length;
  const S* weights;      // [run][number][vector of channels]
  S* sums;               // [pixel][vector of channels]
  bool add;              // the sums so far
  const Index* outputs;  // where the pixels' channels belong, or nullptr: in the sums
  S* output;             // what they count from
  const S* bias;         // added on the way to the outputs, or nullptr
  const S* next;         // weights that will be wanted next, to be fetched meanwhile
  Index next_step;       // numbers of them for every kTileSteps numbers summed
};

// Sums of a tile are unrolled so often. Without that and with one tile a call, 6 x 2 tiles reached
// 0.93 of the peak on Zen 3 where they reach 0.96.
constexpr Index kTileSteps = 8;

/// `tiles` tiles one after the other; the sum moves on.
template <class S, int kPixels, int kVectors>
EIGEN_DONT_INLINE void direct_tiles(TileSum<S>& t, Index tiles) {
  using V = Vec<S>;
  constexpr Index kWidth = kVectors * V::kSize;
  const Index length = t.length;
  const S* next = t.next;
  for (Index tile = 0; tile < tiles; ++tile) {
    typename V::Type sum[kPixels][kVectors];
    repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
      repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA { sum[i][v] = V::zero(); });
    });
    if (t.outputs != nullptr) {  // which may be far away
      repeat<kPixels>([&](auto i)
                          CONVTRANSPOSE_INLINE_LAMBDA { fetch_line(t.output + t.outputs[i]); });
    }
    const S* weights = t.weights;
    for (Index run = 0; run < t.runs; ++run) {
      const S* a[kPixels];
      const Index offset = t.offsets[run];
      repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA { a[i] = t.pixels[i] + offset; });
      Index k = 0;
      for (; k + kTileSteps <= length; k += kTileSteps) {
        fetch_lines<4>(next);
        next += t.next_step;
        CONVTRANSPOSE_UNROLL_8
        for (Index j = 0; j < kTileSteps; ++j) {
          typename V::Type w[kVectors];
          repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
            w[v] = V::load(weights + j * kWidth + v * V::kSize);
          });
          repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
            const typename V::Type value = V::set(a[i][k + j]);
            repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
              sum[i][v] = V::fma(value, w[v], sum[i][v]);
            });
          });
        }
        weights += kTileSteps * kWidth;
      }
      for (; k < length; ++k) {
        typename V::Type w[kVectors];
        repeat<kVectors>(
            [&](auto v) CONVTRANSPOSE_INLINE_LAMBDA { w[v] = V::load(weights + v * V::kSize); });
        repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
          const typename V::Type value = V::set(a[i][k]);
          repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
            sum[i][v] = V::fma(value, w[v], sum[i][v]);
          });
        });
        weights += kWidth;
      }
    }
    S* to = t.sums;
    if (t.add) {
      repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
        repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
          sum[i][v] = V::add(sum[i][v], V::load(to + i * kWidth + v * V::kSize));
        });
      });
    }
    if (t.outputs == nullptr) {
      repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
        repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
          V::store(to + i * kWidth + v * V::kSize, sum[i][v]);
        });
      });
    } else {
      if (t.bias != nullptr) {
        repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
          const typename V::Type bias = V::load(t.bias + v * V::kSize);
          repeat<kPixels>([&](auto i)
                              CONVTRANSPOSE_INLINE_LAMBDA { sum[i][v] = V::add(sum[i][v], bias); });
        });
      }
      repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
        S* at = t.output + t.outputs[i];
        repeat<kVectors>(
            [&](auto v) CONVTRANSPOSE_INLINE_LAMBDA { V::store(at + v * V::kSize, sum[i][v]); });
      });
      t.outputs += kPixels;
    }
    t.pixels += kPixels;
    t.sums += kPixels * kWidth;
  }
  t.next = next;
}

template <class S>
using TilesFunction = void (*)(TileSum<S>&, Index);

/// Tiles by number of vectors and pixels.
template <class S>
constexpr TilesFunction<S> kTiles[4][kMostTilePixels + 1] = {
    {},
    {nullptr, direct_tiles<S, 1, 1>, direct_tiles<S, 2, 1>, direct_tiles<S, 3, 1>,
     direct_tiles<S, 4, 1>, direct_tiles<S, 5, 1>, direct_tiles<S, 6, 1>, direct_tiles<S, 7, 1>,
     direct_tiles<S, 8, 1>},
    {nullptr, direct_tiles<S, 1, 2>, direct_tiles<S, 2, 2>, direct_tiles<S, 3, 2>,
     direct_tiles<S, 4, 2>, direct_tiles<S, 5, 2>, direct_tiles<S, 6, 2>, direct_tiles < S,
     kTilePixels[2] == 8 ? 7 : 1, 2 >, direct_tiles<S, kTilePixels[2], 2>},
    {nullptr, direct_tiles<S, 1, 3>, direct_tiles<S, 2, 3>, direct_tiles<S, 3, 3>,
     direct_tiles<S, 4, 3>, direct_tiles < S, kTilePixels[3] == 8 ? 5 : 1, 3 >, direct_tiles < S,
     kTilePixels[3] == 8 ? 6 : 1, 3 >, direct_tiles < S, kTilePixels[3] == 8 ? 7 : 1, 3 >,
     direct_tiles<S, kTilePixels[3], 3>},
};

/// One block of the sums for all pixels.
template <class S>
void sum_pixels(TileSum<S> t, Index pixels, Index vectors) {
  const Index most = kTilePixels[vectors];
  Index full = pixels / most, rest = pixels % most;
  // A tile of few pixels waits for its own sums: two middling ones are better.
  Index half = 0;
  if (rest > 0 && 3 * rest < 2 * most && full > 0) {
    --full;
    half = (rest + most) / 2;
    rest = rest + most - half;
  }
  const Index tiles = full + (rest > 0) + (half > 0);
  const Index line = 64 / static_cast<Index>(sizeof(S));
  t.next_step = ceil_div(ceil_div(kTileSteps * vectors * Vec<S>::kSize, tiles), line) * line;
  if (full > 0) kTiles<S>[vectors][most](t, full);
  if (rest > 0) kTiles<S>[vectors][rest](t, 1);
  if (half > 0) kTiles<S>[vectors][half](t, 1);
}

}  // namespace
}  // namespace convtranspose
