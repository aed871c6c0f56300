// SPDX-License-Identifier: MIT
// How stencils with pixels in the lanes are cut into units of work and jobs.
#pragma once

#include "depthwise_block.hpp"

namespace convtranspose {
namespace {

/// Numbers of Schedule::tile.
struct PlanarTile {
  Index lanes_are_channels;  // 0 here; decides between the two kinds of schedule
  Index groups, group_blocks;
  Index height, bands;  // output rows of a unit
  Index width, tiles;   // output columns of a unit, a multiple of the stride
  Index rows;           // most staged rows of a channel
  Index run, pitch;     // numbers of a staged run, of a staged row
  Index units, per_job;
  Index around;  // stores go around the caches
};

/// "Inputs" and "outputs" are the channels of one group on the side that is read and written.
template <class T, bool kForward>
class PlanarCut {
  using S = Sum<T>;
  using V = Vec<S>;

 public:
  static Index inputs(const Problem& p) { return kForward ? p.source_channels : p.result_channels; }
  static Index outputs(const Problem& p) {
    return kForward ? p.result_channels : p.source_channels;
  }
  static Index output_extent(const Axis& a) { return kForward ? a.result : a.source; }
  static Index input_extent(const Axis& a) { return kForward ? a.source : a.result; }

  static Index reach(const Axis& a) { return (a.kernel - 1) * a.dilation; }
  static Index weights_size(const Problem& p) {
    return outputs(p) * inputs(p) * p.y.kernel * p.x.kernel * Columns::together(p.x, kForward);
  }
  /// Numbers of one staged row of outputs, its residues apart if they are computed apart.
  static Index staged_width(const Problem& p, const PlanarTile& t) {
    return Columns::phases(p.x, kForward) * ceil_div(t.width, Columns::phases(p.x, kForward));
  }

  static constexpr Index kStagedRows = 4;  // of outputs, where they cannot be stored at once

  static void prepare(const Request& r, Schedule& s) noexcept {
    const Problem& p = r.problem;
    PlanarTile& t = tile_of<PlanarTile>(s);
    t.lanes_are_channels = 0;
    const DataStrides& out = kForward ? r.result : r.source;
    const DataStrides& in = kForward ? r.source : r.result;
    const bool together = in.c == 1 || out.c == 1;
    t.groups = together ? min_of(p.groups, ceil_div(kLineChannels, outputs(p))) : 1;
    t.group_blocks = ceil_div(p.groups, t.groups);
    const Index planes = t.groups * inputs(p);
    const Index stride_x = kForward ? min_of(p.x.stride, p.x.result) : 1;
    const Index places = ceil_div(output_extent(p.x), stride_x);
    const Index slots = Columns::slots(p.x, kForward);
    const Index span = Columns::most_span(p.x);
    // Rows short enough that a few of every channel fit the budget.
    const Index budget = r.caches.l1 / static_cast<Index>(sizeof(S));
    const Index some = max_of(16 * V::kSize, budget / (planes * slots * 4));
    t.width = min_of(places, round_up(some, 8 * V::kSize));
    t.tiles = ceil_div(places, t.width);
    t.width = min_of(places, round_up(ceil_div(places, t.tiles), V::kSize));
    t.tiles = ceil_div(places, t.width);
    t.run = round_up(t.width, V::kSize) + round_up(span, V::kSize);
    t.pitch = t.run * slots;
    t.width *= stride_x;
    const Index fit = max_of(1, budget / (t.pitch * planes));
    t.height = min_of(output_extent(p.y), outputs_of_rows(p.y, fit));
    t.height = clamp_to(kRowTaps / (inputs(p) * p.y.kernel), 1, t.height);
    t.bands = ceil_div(output_extent(p.y), t.height);
    t.height = ceil_div(output_extent(p.y), t.bands);
    t.bands = ceil_div(output_extent(p.y), t.height);
    t.rows = min_of(input_extent(p.y), rows_of_outputs(p.y, t.height));
    t.units = t.group_blocks * p.batch * t.bands * t.tiles;
    const Index sums = t.groups * outputs(p) * t.height * t.width * inputs(p) *
                       ceil_div(p.y.kernel, kForward ? p.y.stride : 1) *
                       ceil_div(p.x.kernel, kForward ? p.x.stride : 1);
    t.per_job = clamp_to(kJobTerms / max_of(sums, 1), 1, ceil_div(t.units, kJobs));
    s.jobs = ceil_div(t.units, t.per_job);
    const Index bytes = static_cast<Index>(sizeof(T)) * p.batch * p.groups * outputs(p) *
                        output_extent(p.y) * output_extent(p.x);
    // A prototype was 2.5 times faster on Zen 4, where such results are written at the speed of
    // memory; no difference (within 4 %) on Zen 3.
    t.around = bytes > r.caches.l3 && std::is_same_v<T, S> && out.x == 1;
    s.workspace_bytes =
        Columns::arena_bytes_of(p.x, kForward) + arena_bytes<S>(planes * t.rows * t.pitch) +
        arena_bytes<S>(weights_size(p) * t.groups) +
        arena_bytes<RowTap>(t.height * inputs(p) * p.y.kernel) + arena_bytes<Index>(t.height + 1) +
        arena_bytes<S>(t.groups * outputs(p) * staged_width(p, t) * kStagedRows);
  }

 private:
  static constexpr Index kLineChannels = 16, kJobTerms = 1 << 20, kJobs = 16, kRowTaps = 1 << 15;

  /// Input rows that `height` output rows may meet.
  static Index rows_of_outputs(const Axis& a, Index height) {
    return kForward ? (height - 1 + reach(a)) / a.stride + 1
                    : (height - 1) * a.stride + reach(a) + 1;
  }
  /// As many output rows as meet no more than `rows` input rows; at least one stride's.
  static Index outputs_of_rows(const Axis& a, Index rows) {
    return kForward ? max_of(min_of(a.stride, a.result), (rows - 1) * a.stride - reach(a) + 1)
                    : max_of(1, (rows - 1 - reach(a)) / a.stride + 1);
  }
};

}  // namespace
}  // namespace convtranspose
