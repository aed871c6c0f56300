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
  Index chain;           // products that are one chain of sums, or 0: all are
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

/// `tiles` tiles one after the other; the sum moves on. Chains cost what is kept of them: 10 % of
/// the speed of sums of 64 products even where there is one, so they are a choice of the caller.
template <class S, int kPixels, int kVectors, bool kChains>
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
    S links[kChains ? kPixels * kWidth : 1];  // the sum of all chains but the last
    [[maybe_unused]] bool linked = false;
    [[maybe_unused]] Index left = t.chain;
    for (Index run = 0; run < t.runs; ++run) {
      const S* a[kPixels];
      const Index offset = t.offsets[run];
      repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA { a[i] = t.pixels[i] + offset; });
      for (Index k = 0; k < length;) {
        [[maybe_unused]] const Index begin = k;
        const Index end = kChains ? min_of(length, k + left) : length;
        for (; k + kTileSteps <= end; k += kTileSteps) {
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
        for (; k < end; ++k) {
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
        if constexpr (kChains) {
          left -= end - begin;
          if (left > 0 || (run + 1 == t.runs && k == length)) continue;
          repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
            repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
              S* link = links + i * kWidth + v * V::kSize;
              V::store(link, linked ? V::add(sum[i][v], V::load(link)) : sum[i][v]);
              sum[i][v] = V::zero();
            });
          });
          linked = true;
          left = t.chain;
        }
      }
    }
    S* to = t.sums;
    if (kChains && linked) {
      repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
        repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
          sum[i][v] = V::add(sum[i][v], V::load(links + i * kWidth + v * V::kSize));
        });
      });
    }
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

template <class S, int kPixels, int kVectors, bool kChains>
constexpr TilesFunction<S> tiles_of() {
  if constexpr (kPixels <= kTilePixels[kVectors]) {
    return direct_tiles<S, kPixels, kVectors, kChains>;
  } else {
    return nullptr;
  }
}

/// Tiles by number of vectors and pixels.
template <class S, bool kChains>
constexpr TilesFunction<S> kTiles[4][kMostTilePixels + 1] = {
    {},
    {nullptr, tiles_of<S, 1, 1, kChains>(), tiles_of<S, 2, 1, kChains>(),
     tiles_of<S, 3, 1, kChains>(), tiles_of<S, 4, 1, kChains>(), tiles_of<S, 5, 1, kChains>(),
     tiles_of<S, 6, 1, kChains>(), tiles_of<S, 7, 1, kChains>(), tiles_of<S, 8, 1, kChains>()},
    {nullptr, tiles_of<S, 1, 2, kChains>(), tiles_of<S, 2, 2, kChains>(),
     tiles_of<S, 3, 2, kChains>(), tiles_of<S, 4, 2, kChains>(), tiles_of<S, 5, 2, kChains>(),
     tiles_of<S, 6, 2, kChains>(), tiles_of<S, 7, 2, kChains>(), tiles_of<S, 8, 2, kChains>()},
    {nullptr, tiles_of<S, 1, 3, kChains>(), tiles_of<S, 2, 3, kChains>(),
     tiles_of<S, 3, 3, kChains>(), tiles_of<S, 4, 3, kChains>(), tiles_of<S, 5, 3, kChains>(),
     tiles_of<S, 6, 3, kChains>(), tiles_of<S, 7, 3, kChains>(), tiles_of<S, 8, 3, kChains>()},
};

/// One block of the sums for all pixels.
template <class S>
void sum_pixels(TileSum<S> t, Index pixels, Index vectors) {
  const TilesFunction<S>* tiles_by_pixels = kTiles<S, false>[vectors];
  if constexpr (std::is_same_v<S, float>) {  // float64 has digits to spare
    if (t.chain > 0) tiles_by_pixels = kTiles<S, true>[vectors];
  }
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
  if (full > 0) tiles_by_pixels[most](t, full);
  if (rest > 0) tiles_by_pixels[rest](t, 1);
  if (half > 0) tiles_by_pixels[half](t, 1);
}

}  // namespace
}  // namespace convtranspose
