// SPDX-License-Identifier: MIT
// The gradient with respect to the weights as sums of outer products:
//   weights[o][(i, ky, kx)] = sum over pixel of source[o][pixel] * result[i][pixel's, seen by the
//   tap]
// Lanes are source channels, packed once a chunk of pixels for all columns (i, ky, kx). The result
// is read number by number: a broadcast costs what an aligned load does and minds neither layout
// nor alignment, so most often it is read in place.
#pragma once

#include "outer_product_columns.hpp"
#include "outer_product_lanes.hpp"
#include "outer_product_store.hpp"

namespace convtranspose {
namespace {

template <class T>
class OuterProduct {
  using S = Sum<T>;
  using V = Vec<S>;

 public:
  static const char* refusal(const Request& r) noexcept {
    const Problem& p = r.problem;
    if (p.source_channels == 0 || p.result_channels == 0 || p.batch == 0 || p.y.result == 0 ||
        p.x.result == 0) {
      return "a sum or result of no elements";
    }
    const OuterCut c = outer_cut<S>(r);
    return !std::is_same_v<T, S> && stage_bytes<S>(p, c) > kStageBytes
               ? "what the taps of a row meet is too long to be converted piece by piece"
               : nullptr;
  }

  static void prepare(const Request& r, Schedule& s) noexcept {
    OuterCut& c = tile_of<OuterCut>(s) = outer_cut<S>(r);
    c.staged = stage_bytes<S>(r.problem, c) <= kStageBytes &&
               (!std::is_same_v<T, S> || worth_staging(r, c));
    const Index blocks = r.problem.groups * c.blocks_of_group();
    s.jobs = blocks * c.parts;
    if (c.parts > 1) {
      s.shared_bytes = s.jobs * sum_bytes(c);
      s.finish_tasks = blocks;
    }
    s.workspace_bytes = arena_bytes<S>(lane_count(c)) + Columns<T>::bytes(r.problem, c) +
                        (c.parts == 1 ? sum_bytes(c) : 0);
  }

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, const void*,
                  void* shared, Index, Index job, void* workspace) noexcept {
    const Problem& p = r.problem;
    const OuterCut& c = tile_of<OuterCut>(s);
    const OuterBlock b(p, c, V::kSize, job / c.parts);
    const Span part = piece(job % c.parts, c.part_chunks, c.chunks);
    Arena arena(workspace);
    S* lanes = arena.take<S>(lane_count(c));
    Columns<T> columns(r, c, b, tensors.result, arena);
    S* sums = c.parts > 1 ? partial(c, shared, job) : arena.take<S>(sum_count(c));
    for (Index k = part.begin; k < part.end; ++k) {
      const PixelChunk chunk(p, c, k);
      pack_lanes<T>(r, tensors.source, b, chunk, lane_pitch<S>(c), lanes);
      columns.add(chunk, lanes, sums, k != part.begin);
    }
    if (c.parts == 1) {
      store_block(r, b, sums, c.vectors * V::kSize, static_cast<T*>(tensors.output));
    }
  }

  static void finish(const Request& r, const Schedule& s, const Tensors& tensors,
                     const void* shared, Index task) noexcept {
    const OuterCut& c = tile_of<OuterCut>(s);
    const OuterBlock b(r.problem, c, V::kSize, task);
    S* sums = partial(c, const_cast<void*>(shared), task * c.parts);
    const Index pitch = c.vectors * V::kSize;
    for (Index part = 1; part < c.parts; ++part) {
      add_to(sums, partial(c, const_cast<void*>(shared), task * c.parts + part),
             b.columns() * pitch);
    }
    store_block(r, b, sums, pitch, static_cast<T*>(tensors.output));
  }

 private:
  static Index lane_count(const OuterCut& c) { return c.vectors * lane_pitch<S>(c); }
  static Index sum_count(const OuterCut& c) { return c.columns() * c.vectors * V::kSize; }
  static Index sum_bytes(const OuterCut& c) { return arena_bytes<S>(sum_count(c)); }
  static S* partial(const OuterCut& c, void* shared, Index job) {
    return reinterpret_cast<S*>(static_cast<char*>(shared) + job * sum_bytes(c));
  }
};

}  // namespace
}  // namespace convtranspose
