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
// A sum of no more is one block. Forward sums longer than one chain are then two chains if they
// have several taps (RangeNet dec1, 2 x 64 products: 1.66 to 1.00 times PyTorch's error), four if a
// lone one (DCGAN G.0, 100 products: 2.3 to 0.8, in two 1.6). PyTorch's own data gradients are one
// chain; two would cost a tenth of the speed (nnU-Net tu256, 128 products).
constexpr Index kOneChain = 64, kShortSum = 256, kShortLoneTap = 128;

struct DirectSums {
  Index runs, length;  // products: so many runs of numbers side by side
  Index at_once;       // runs of a block
  Index part;          // numbers of a run of a block
  Index chain;         // products of a chain, 0: a block

  static DirectSums make(Index runs, Index length, Index inputs, bool forward) {
    const Index products = runs * length;
    const Index most = products <= kShortSum ? kShortSum : kBlockProducts;
    DirectSums s{runs, length, 1, length, 0};
    if (length <= most) {
      s.at_once = ceil_div(runs, ceil_div(runs, most / length));
    } else {
      s.part = round_up(ceil_div(length, ceil_div(length, most)), kTileSteps);
    }
    if (!forward || products <= kOneChain) return s;
    if (products > inputs && products <= kShortSum) {
      s.chain = ceil_div(products, 2);
    } else if (products == inputs && products <= kShortLoneTap) {
      s.chain = ceil_div(products, 4);
    }
    return s;
  }
};

}  // namespace
}  // namespace convtranspose
