// SPDX-License-Identifier: MIT
// How the sum of one output is cut, for the sake of its error and of the first-level cache.
#pragma once

#include "direct_tile.hpp"
#include "tiling.hpp"

namespace convtranspose {
namespace {

// Products that are added in registers before they join the sum in memory: 192 x 2 vectors of
// weights are 12 KB of the first-level cache on AVX2. Largest error over PyTorch's in the data
// gradient of HiFi-GAN ups0 (4096 products): 1.10 in blocks of 256, 0.96 so.
constexpr Index kBlockProducts = 192;
// A sum of no more is one block. Sums of several taps are then chains of a tap each (RangeNet dec1,
// 2 x 64 products: 1.66 to 1.00 times PyTorch's error), and long sums of a lone tap chains of a
// quarter (DCGAN G.0, 100 products: 2.3 to 0.8).
constexpr Index kShortSum = 256;
constexpr Index kLeastChain = 16, kLeastQuartered = 64, kMostQuartered = 128;

struct DirectSums {
  Index runs, length;  // products: so many runs of numbers side by side
  Index at_once;       // runs of a block
  Index part;          // numbers of a run of a block
  Index chain;         // products of a chain, 0: a block

  static DirectSums make(Index runs, Index length, Index inputs) {
    const Index products = runs * length;
    const Index most = products <= kShortSum ? kShortSum : kBlockProducts;
    DirectSums s{runs, length, 1, length, 0};
    if (length <= most) {
      s.at_once = ceil_div(runs, ceil_div(runs, most / length));
    } else {
      s.part = round_up(ceil_div(length, ceil_div(length, most)), kTileSteps);
    }
    if (products <= kShortSum && products > inputs) {
      s.chain = max_of(inputs, kLeastChain);
    } else if (products == inputs && products > kLeastQuartered && products <= kMostQuartered) {
      s.chain = ceil_div(products, 4);
    }
    if (s.chain >= products) s.chain = 0;
    return s;
  }
};

}  // namespace
}  // namespace convtranspose
