// SPDX-License-Identifier: MIT
// How the few-output algorithm cuts its work: boxes of positions, and panels of rows shared by
// jobs.
#pragma once

#include "few_output_shape.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// Numbers of Schedule::tile.
struct FewSchedule {
  Index images, rows, columns;  // positions of one box
  Index n_boxes, y_boxes, x_boxes;
  Index plane;              // numbers from channel to channel, and from row to row of sums
  Index per_chunk;          // panels
  Index splits, per_split;  // jobs share the panels of a chunk, so many each
};

constexpr Index kFewJobs = 16;
constexpr Index kFewestPositions = 256;  // of a box, unless the result has fewer
constexpr Index kFewChunkBytes = Index{4} << 20;

inline Index planes_of(const FewShape& shape) { return shape.y.planes() * shape.x.planes(); }
template <class S>
Index region_numbers(const FewShape& shape, const FewSchedule& d) {
  return saturated(planes_of(shape) * shape.block, d.plane) + Vec<S>::kSize;
}
template <class S>
Index sums_numbers(const FewShape& shape, const FewSchedule& d) {
  return shape.y_residues * shape.x_residues * shape.channels * d.plane + Vec<S>::kSize;
}
template <class S>
Index staged_numbers(const FewShape& shape, const FewSchedule& d) {
  return (d.columns + Vec<S>::kSize) * shape.x_residues *
             (shape.channels_inside ? shape.channels : 1) +
         Vec<S>::kSize;
}

/// The box that wastes least: sums of the columns between rows, and copies of the halo.
template <class S>
void choose_box(const FewShape& shape, Index limit, Index high, Index wide, FewSchedule& d) {
  // A copied number costs as much as six products or so.
  const double copy = 6.0 / (static_cast<double>(shape.outputs) *
                             static_cast<double>(shape.y.kernel * shape.x.kernel));
  double best = 0;
  for (Index pieces = 1; pieces == 1 || wide / pieces >= 2 * Vec<S>::kSize; pieces *= 2) {
    const Index columns =
        pieces == 1 ? max_of(1, wide) : round_up(ceil_div(wide, pieces), Vec<S>::kSize);
    const Index line = saturated(1, columns + shape.x.halo());
    const Index most = clamp_to(limit / line - shape.y.halo(), 1, max_of(1, high));
    const Index rows = ceil_div(max_of(1, high), ceil_div(max_of(1, high), most));
    const double across = static_cast<double>(line) / static_cast<double>(columns);
    const double down = static_cast<double>(rows + shape.y.halo()) / static_cast<double>(rows);
    const double cost = across * (1 + copy * down);
    if (pieces == 1 || cost < best) {
      best = cost;
      d.rows = rows;
      d.columns = columns;
    }
  }
}

template <class S>
FewSchedule few_schedule(const FewShape& shape, Index l2, Index panel_bytes) {
  const FewAxis &y = shape.y, &x = shape.x;
  const Index high = y.positions(), wide = x.positions();
  FewSchedule d{};
  // Inputs and sums of a box within half of L2, and enough boxes for several threads.
  const Index numbers = saturated(planes_of(shape), shape.block) +
                        shape.y_residues * shape.x_residues * shape.channels;
  const Index fair = saturated(shape.batch, saturated(high, wide)) / kFewJobs;
  const Index limit = max_of(
      1, min_of(l2 / 2 / static_cast<Index>(sizeof(S)) / numbers, max_of(kFewestPositions, fair)));
  choose_box<S>(shape, limit, high, wide, d);
  d.y_boxes = ceil_div(high, d.rows);
  d.x_boxes = ceil_div(wide, d.columns);
  const Index image = saturated(d.rows + y.halo(), d.columns + x.halo());
  d.images = d.x_boxes == 1 && d.y_boxes == 1 ? clamp_to(limit / image, 1, shape.batch) : 1;
  d.n_boxes = ceil_div(shape.batch, d.images);
  // Vectors may reach over the end. An odd number of cache lines: planes fall into all cache
  // sets.
  const Index line = 64 / static_cast<Index>(sizeof(S));
  d.plane = (ceil_div(saturated(d.images, image) + Vec<S>::kSize, line) | 1) * line;

  const Index panels = shape.panels();
  const Index most = clamp_to(kFewChunkBytes / panel_bytes, 1, panels);
  d.per_chunk = ceil_div(panels, ceil_div(panels, most));
  const Index boxes = max_of(1, d.n_boxes * d.y_boxes * d.x_boxes);
  d.splits = clamp_to(ceil_div(kFewJobs, boxes), 1, d.per_chunk);
  d.per_split = ceil_div(d.per_chunk, d.splits);
  d.splits = ceil_div(d.per_chunk, d.per_split);
  return d;
}

}  // namespace
}  // namespace convtranspose
