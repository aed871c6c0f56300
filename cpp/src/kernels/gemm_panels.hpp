// SPDX-License-Identifier: MIT
// How the GEMM algorithm cuts output channels into panels of packed weights. A panel belongs to one
// group; a chunk is as many panels as may be packed at one time.
#pragma once

#include "gemm_eigen.hpp"
#include "tiling.hpp"

namespace convtranspose {
namespace {

/// Packed weights of one-shot calls stay below this, so that a call's memory is bounded.
constexpr Index kChunkBytes = Index{4} << 20;

struct Panels {
  Index channels;   // output channels of one panel
  Index per_group;  // panels of one group
  Index per_chunk;
  Index total;
  Index bytes;  // packed weights of one panel

  /// `depth` is the length of the sums, `taps` the columns of one output channel.
  template <class S>
  static Panels make(Index groups, Index group_channels, Index channels, Index depth, Index taps) {
    Panels p{};
    p.channels = channels;
    p.per_group = ceil_div(group_channels, channels);
    p.total = groups * p.per_group;
    p.bytes = arena_bytes<S>(depth * channels * taps);
    p.per_chunk = clamp_to(kChunkBytes / p.bytes, 1, p.total);
    return p;
  }
  void schedule(Schedule& s, Index jobs_of_panel) const {
    s.chunks = ceil_div(total, per_chunk);
    s.packed_bytes = per_chunk * bytes;
    s.pack_tasks = per_chunk;
    s.jobs = per_chunk * jobs_of_panel;
  }
};

/// Packs a matrix of `depth` x `columns` for the right-hand side, a few columns at a time:
/// fill(staging, ld, k, column) writes rows k of a column to staging.
template <class S, class Fill>
void pack_right(S* packed, Index depth, Index columns, const Fill& fill) {
  using Gemm = EigenGemm<S>;
  S staging[Gemm::kColumnPiece * Gemm::kDepth];
  for (Index k0 = 0; k0 < depth; k0 += Gemm::kDepth) {
    const Index k = min_of(Gemm::kDepth, depth - k0);
    for (Index j0 = 0; j0 < columns; j0 += Gemm::kColumnPiece) {
      const Index n = min_of(Gemm::kColumnPiece, columns - j0);
      for (Index j = 0; j < n; ++j) fill(staging + j * k, k0, k, j0 + j);
      Gemm::pack_b(packed, staging, k, k, n);
      packed += k * n;
    }
  }
}

}  // namespace
}  // namespace convtranspose
