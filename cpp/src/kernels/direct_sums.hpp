// SPDX-License-Identifier: MIT
// How the sum of one output is cut, for the sake of its error and of the first-level cache.
#pragma once

#include "direct_axis.hpp"
#include "direct_tile.hpp"

namespace convtranspose {
namespace {

// Products that are added in registers before they join the sum in memory: 192 x 2 vectors of
// weights are 12 KB of the first-level cache on AVX2. Largest error over PyTorch's in the data
// gradient of HiFi-GAN ups0 (4096 products): 1.10 in blocks of 256, 0.96 so.
constexpr Index kBlockProducts = 192;
// A sum of no more is one block. Forward sums longer than one chain are then a chain a tap (errors
// over PyTorch's: RangeNet dec1, 2 x 64 products, 1.66 to 1.00; FCN-8s, 4 x 21, 0.9, in two chains
// 1.4), or four where a lone source meets them (DCGAN G.0, 100 products: 2.3 to 0.8, in two 1.6).
// PyTorch sums others in one chain; two would cost a tenth of the speed (data gradient of nnU-Net
// tu256, 128 products).
constexpr Index kOneChain = 64, kLeastChain = 16, kShortSum = 256;

struct DirectSums {
  Index runs, length;  // products: so many runs of numbers side by side
  Index at_once;       // runs of a block
  Index part;          // numbers of a run of a block
  Index chain;         // products of a chain, 0: a block

  static DirectSums make(const DirectShape& shape, Index runs, Index length) {
    const Index products = runs * length;
    const Index most = products <= kShortSum ? kShortSum : kBlockProducts;
    DirectSums s{runs, length, 1, length, 0};
    if (length <= most) {
      s.at_once = ceil_div(runs, ceil_div(runs, most / length));
    } else {
      s.part = round_up(ceil_div(length, ceil_div(length, most)), kTileSteps);
    }
    if (!shape.forward || products <= kOneChain || products > kShortSum) return s;
    const bool lone_source = shape.y.inputs == 1 && shape.x.inputs == 1;
    if (products > shape.inputs) {
      s.chain = max_of(shape.inputs, kLeastChain);
    } else if (lone_source) {
      s.chain = ceil_div(products, 4);
    }
    return s;
  }
};

}  // namespace
}  // namespace convtranspose
