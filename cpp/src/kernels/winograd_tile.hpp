// SPDX-License-Identifier: MIT
// The register tile of Winograd's products: a few tiles times one or two vectors of channels, for
// one element of the transformed tiles, summed over input channels.
#pragma once

#include "tiling.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// Tiles of a group: the rows of the register tile. With 16 registers 6 x 2 sums, two vectors of
/// weights and a broadcast; with 32 eight rows are enough.
#if defined(__AVX512F__) || defined(__ARM_NEON)
constexpr Index kGroup = 8;
#else
constexpr Index kGroup = 6;
#endif

/// One product. `tiles` is a group as [block of channels][tile][channel of the block], blocks being
/// vectors: one stream of memory, read from end to end. `weights` is [channel][vectors], `sums`
/// [tile][pitch].
template <class S>
struct GroupProduct {
  const S* tiles;
  const S* weights;
  Index blocks;
  S* sums;
  Index pitch;
  bool add;           // to the sums, else overwrite them
  const S* ahead[2];  // one line of each block of the next weights
};

/// Tiles of a box in even groups.
struct TileGroups {
  Index count, small, larger;  // the first `larger` groups have one tile more
  explicit TileGroups(Index tiles)
      : count(ceil_div(tiles, kGroup)), small(tiles / count), larger(tiles % count) {}
  Index size(Index group) const { return small + (group < larger ? 1 : 0); }
  /// Which group a tile is in, and its place there.
  void find(Index tile, Index& group, Index& slot) const {
    const Index split = larger * (small + 1);
    if (tile < split) {
      group = tile / (small + 1);
      slot = tile % (small + 1);
    } else {
      group = larger + (tile - split) / small;
      slot = (tile - split) % small;
    }
  }
};

/// Into L2: L1 is full of the weights and tiles in use.
template <class S>
EIGEN_STRONG_INLINE void fetch_into_l2(const S* p) {
#if defined(_MSC_VER)
  Eigen::internal::prefetch(p);
#else
  __builtin_prefetch(p, 0, 2);
#endif
}

template <class S, int kRows, int kVectors>
EIGEN_DONT_INLINE void group_product(const GroupProduct<S>& p) {
  using V = Vec<S>;
  typename V::Type sum[kRows][kVectors];
  repeat<kRows>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
    repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA { sum[i][v] = V::zero(); });
  });
  const S* tiles = p.tiles;
  const S* weights = p.weights;
  const S *ahead0 = p.ahead[0], *ahead1 = p.ahead[1];
  constexpr Index kBlock = V::kSize * kVectors * V::kSize;
  for (Index block = p.blocks; block > 0; --block) {
    fetch_into_l2(ahead0);
    fetch_into_l2(ahead1);
    ahead0 += kBlock;
    ahead1 += kBlock;
    repeat<V::kSize>([&](auto k) CONVTRANSPOSE_INLINE_LAMBDA {
      typename V::Type w[kVectors];
      repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
        w[v] = V::load(weights + (k * kVectors + v) * V::kSize);
      });
      repeat<kRows>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
        const typename V::Type value = V::set(tiles[i * V::kSize + k]);
        repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
          sum[i][v] = V::fma(value, w[v], sum[i][v]);
        });
      });
    });
    tiles += kGroup * V::kSize;
    weights += kBlock;
  }
  S* sums = p.sums;
  repeat<kRows>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
    repeat<kVectors>([&](auto v) CONVTRANSPOSE_INLINE_LAMBDA {
      S* to = sums + i * p.pitch + v * V::kSize;
      V::store(to, p.add ? V::add(V::load(to), sum[i][v]) : sum[i][v]);
    });
  });
}

template <class S>
using GroupProductFunction = void (*)(const GroupProduct<S>&);

/// By vectors and tiles.
template <class S>
constexpr GroupProductFunction<S> kGroupProducts[3][9] = {
    {},
    {nullptr, group_product<S, 1, 1>, group_product<S, 2, 1>, group_product<S, 3, 1>,
     group_product<S, 4, 1>, group_product<S, 5, 1>, group_product<S, 6, 1>,
     group_product<S, kGroup - 1, 1>, group_product<S, kGroup, 1>},
    {nullptr, group_product<S, 1, 2>, group_product<S, 2, 2>, group_product<S, 3, 2>,
     group_product<S, 4, 2>, group_product<S, 5, 2>, group_product<S, 6, 2>,
     group_product<S, kGroup - 1, 2>, group_product<S, kGroup, 2>},
};

}  // namespace
}  // namespace convtranspose
