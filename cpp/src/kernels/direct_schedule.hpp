// SPDX-License-Identifier: MIT
// How the direct algorithm cuts a request into boxes of outputs and blocks of channels.
#pragma once

#include "direct_axis.hpp"
#include "direct_blocks.hpp"
#include "direct_weights.hpp"
#include "tiling.hpp"

namespace convtranspose {
namespace {

/// Numbers of Schedule::tile.
struct DirectSchedule {
  Index images, rows, columns;      // outputs of one box
  Index n_boxes, y_boxes, x_boxes;  //
  Index per_chunk;                  // panels (a channel block of a group each)
  Index splits, per_split;          // jobs share the panels of a chunk, so many each
  Index region;                     // most packed inputs of a box
  Index pixels;                     // most pixels of one phase of a box
  Index phases;                     // x phases in hand at a time: all of them, or one
  Index widest;                     // numbers of the widest block
};

// 96 pixels are whole tiles of 8, 6 and 4, and enough to read weights from L2 rarely. More of them
// make longer rows, which suit DRAM, as long as they leave most of L2 alone.
constexpr Index kDirectPixels = 96;
constexpr Index kMostDirectPixels = 192;
constexpr Index kDirectJobs = 16;
constexpr Index kMostPhases = 16;
constexpr Index kDirectChunkBytes = Index{4} << 20;

template <class T>
DirectSchedule direct_schedule(const Request& r) {
  using S = Sum<T>;
  const DirectShape shape(r);
  const DirectWeights<T> weights(shape);
  const DirectAxis &y = shape.y, &x = shape.x;
  DirectSchedule d{};
  const Index input_bytes = saturated(shape.inputs * static_cast<Index>(sizeof(S)),
                                      saturated(y.input_step, x.input_step));
  const Index limit = max_of(clamp_to(r.caches.l2 / 2 / input_bytes, 24, kDirectPixels),
                             min_of(r.caches.l2 / 4 / input_bytes, kMostDirectPixels));
  const Index wide = ceil_div(x.outputs, x.output_step);
  const Index pieces = ceil_div(wide, limit);
  const Index columns = pieces == 1 ? wide : round_up(ceil_div(wide, pieces), 8);
  d.columns = columns * x.output_step;
  d.x_boxes = ceil_div(x.outputs, d.columns);
  const Index high = ceil_div(y.outputs, y.output_step);
  const Index rows = clamp_to(limit / columns, 1, high);
  d.rows = ceil_div(high, ceil_div(high, rows)) * y.output_step;
  d.y_boxes = ceil_div(y.outputs, d.rows);
  d.images =
      d.x_boxes == 1 && d.y_boxes == 1 ? clamp_to(limit / (columns * high), 1, r.problem.batch) : 1;
  d.n_boxes = ceil_div(r.problem.batch, d.images);
  d.pixels = d.images * (d.rows / y.output_step) * columns;
  d.region = saturated(saturated(d.images * shape.template pitch<S>(), y.reach(0, d.rows).size()),
                       x.reach(0, d.columns).size()) +
             Vec<S>::kSize;
  d.per_chunk = clamp_to(kDirectChunkBytes / weights.panel_bytes(), 1, weights.panels());
  const Index boxes = d.n_boxes * d.y_boxes * d.x_boxes;
  // Every split packs the box's inputs anew, which four blocks of channels make up for.
  d.splits = clamp_to(ceil_div(kDirectJobs, boxes), 1, ceil_div(d.per_chunk, 4));
  d.per_split = ceil_div(d.per_chunk, d.splits);
  d.splits = ceil_div(d.per_chunk, d.per_split);
  d.widest = weights.blocks.size(weights.blocks.count - 1) * Vec<S>::kSize;
  // With all phases in hand rows are stored as whole vectors; their sums should stay in L2.
  const Index sums = d.pixels * d.widest * static_cast<Index>(sizeof(S));
  const Index phases = min_of(x.output_step, x.outputs);
  d.phases = phases <= kMostPhases && phases * sums <= r.caches.l2 / 3 ? phases : 1;
  return d;
}

}  // namespace
}  // namespace convtranspose
