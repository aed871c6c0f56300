// SPDX-License-Identifier: MIT
// Output channels in blocks of two or three vectors, as the tiles of the direct algorithm want
// them.
#pragma once

#include "tiling.hpp"

namespace convtranspose {
namespace {

/// Blocks of one group: twos, and a three at the end if the number of vectors is odd; a lone vector
/// is a block of one.
struct ChannelBlocks {
  Index vectors, count;

  static ChannelBlocks make(Index channels, Index lanes) {
    const Index vectors = ceil_div(channels, lanes);
    return {vectors, max_of(1, vectors / 2)};
  }
  Index size(Index block) const {  // in vectors
    return block + 1 < count ? 2 : vectors - 2 * (count - 1);
  }
  static Index begin(Index block) { return 2 * block; }
};

}  // namespace
}  // namespace convtranspose
