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

/// What one call of a tile sums up: `runs` stretches of `length` numbers at every pixel.
template <class S>
struct TileSum {
  const S* const* pixels;  // where the pixel's inputs are; as many more may be prefetched from
  const Index* offsets;    // of every run
  Index runs, length;
  const S* weights;   // [run][number][vector of channels]
  S* sums;            // [pixel][vector of channels]
  bool add;           // the sums so far
  S* const* outputs;  // where to put the pixels' channels, or nullptr: to the sums
  const S* bias;      // added on the way to the outputs, or nullptr
};

template <class S, int kPixels, int kVectors>
EIGEN_DONT_INLINE void direct_tile(const TileSum<S>& t) {
  using V = Vec<S>;
  typename V::Type sum[kPixels][kVectors];
  repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
    repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA { sum[i][v] = V::zero(); });
  });
  const S* weights = t.weights;
  const Index length = t.length;
  constexpr Index kLine = 64 / static_cast<Index>(sizeof(S));
  for (Index run = 0; run < t.runs; ++run) {
    const S* a[kPixels];
    const Index offset = t.offsets[run];
    repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA { a[i] = t.pixels[i] + offset; });
    for (Index k0 = 0; k0 < length; k0 += kLine) {
      // The rows of the next tile lie in L2, in stretches too short for the CPU to foresee.
      repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
        Eigen::internal::prefetch(t.pixels[kPixels + i] + offset + k0);
      });
      const Index end = k0 + kLine < length ? k0 + kLine : length;
      for (Index k = k0; k < end; ++k) {
        typename V::Type w[kVectors];
        repeat<kVectors>(
            [&](auto v) CONVTRANSPOSE_INLINE_LAMBDA { w[v] = V::load(weights + v * V::kSize); });
        weights += kVectors * V::kSize;
        repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
          const typename V::Type value = V::set(a[i][k]);
          repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
            sum[i][v] = V::fma(value, w[v], sum[i][v]);
          });
        });
      }
    }
  }
  S* to = t.sums;
  if (t.add) {
    repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
      repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
        sum[i][v] = V::add(sum[i][v], V::load(to + (i * kVectors + v) * V::kSize));
      });
    });
  }
  if (t.outputs == nullptr) {
    repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
      repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
        V::store(to + (i * kVectors + v) * V::kSize, sum[i][v]);
      });
    });
    return;
  }
  if (t.bias != nullptr) {
    repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
      const typename V::Type bias = V::load(t.bias + v * V::kSize);
      repeat<kPixels>([&](auto i)
                          CONVTRANSPOSE_INLINE_LAMBDA { sum[i][v] = V::add(sum[i][v], bias); });
    });
  }
  repeat<kPixels>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
    repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
      V::store(t.outputs[i] + v * V::kSize, sum[i][v]);
    });
  });
}

template <class S>
using TileFunction = void (*)(const TileSum<S>&);

/// Tiles by number of vectors and pixels.
template <class S>
constexpr TileFunction<S> kTiles[4][kMostTilePixels + 1] = {
    {},
    {nullptr, direct_tile<S, 1, 1>, direct_tile<S, 2, 1>, direct_tile<S, 3, 1>,
     direct_tile<S, 4, 1>, direct_tile<S, 5, 1>, direct_tile<S, 6, 1>, direct_tile<S, 7, 1>,
     direct_tile<S, 8, 1>},
    {nullptr, direct_tile<S, 1, 2>, direct_tile<S, 2, 2>, direct_tile<S, 3, 2>,
     direct_tile<S, 4, 2>, direct_tile<S, 5, 2>, direct_tile<S, 6, 2>, direct_tile < S,
     kTilePixels[2] == 8 ? 7 : 1, 2 >, direct_tile<S, kTilePixels[2], 2>},
    {nullptr, direct_tile<S, 1, 3>, direct_tile<S, 2, 3>, direct_tile<S, 3, 3>,
     direct_tile<S, 4, 3>, direct_tile < S, kTilePixels[3] == 8 ? 5 : 1, 3 >, direct_tile < S,
     kTilePixels[3] == 8 ? 6 : 1, 3 >, direct_tile < S, kTilePixels[3] == 8 ? 7 : 1, 3 >,
     direct_tile<S, kTilePixels[3], 3>},
};

/// One block of the sums for all pixels.
template <class S>
void sum_pixels(TileSum<S> t, Index pixels, Index vectors) {
  for (Index p = 0; p < pixels;) {
    const Index n = min_of(kTilePixels[vectors], pixels - p);
    kTiles<S>[vectors][n](t);
    t.pixels += n;
    t.sums += n * vectors * Vec<S>::kSize;
    if (t.outputs != nullptr) t.outputs += n;
    p += n;
  }
}

}  // namespace
}  // namespace convtranspose
