// SPDX-License-Identifier: MIT
// What the kernel's columns mean to a row of inputs whose lanes are pixels. An output x of the
// transposed convolution is x = q s + j; tap k meets source column q - f where k d - pad = f s + j
// (s stride, d dilation), so that all outputs of one residue j read the same shifts. The data
// gradient has the same f and j, but reads run j of the result row (its columns q s + j) at q + f.
#pragma once

#include "tiling.hpp"

namespace convtranspose {
namespace {

/// A vector of inputs, and which of the interleaved residues it meets.
struct Column {
  Index offset;  // from the output's place to the input's, in a staged row
  Index mask;    // bit j: residue j has a tap here
};

/// Limits of the stencils: what reaches further is no stencil.
constexpr Index kMaxKernel = 1024, kMaxStride = 1024, kMaxSpan = 4096;

class Columns {
 public:
  /// Residues that are computed together in registers.
  static Index together(const Axis& a, bool forward) {
    return forward && (a.stride == 2 || a.stride == 4) ? a.stride : 1;
  }
  static Index phases(const Axis& a, bool forward) {
    return forward && together(a, true) == 1 ? min_of(a.stride, a.result) : 1;
  }
  static Index arena_bytes_of(const Axis& a, bool forward) {
    return arena_bytes<Column>(a.kernel) + arena_bytes<Index>(phases(a, forward) + 1) +
           4 * arena_bytes<Index>(a.kernel);
  }

  Columns(const Axis& a, bool forward, Arena& arena)
      : stride_(a.stride), residues_(together(a, forward)), phases_(phases(a, forward)) {
    columns_ = arena.take<Column>(a.kernel);
    first_ = arena.take<Index>(phases_ + 1);
    place_ = arena.take<Index>(a.kernel);
    slot_residue_ = arena.take<Index>(a.kernel);
    Index* shift = arena.take<Index>(a.kernel);
    Index* phase = arena.take<Index>(a.kernel);
    Index low = 0, high = 0;
    bool any = false;
    for (Index i = 0; i <= phases_; ++i) first_[i] = 0;
    for (Index k = 0; k < a.kernel; ++k) {
      const Index at = k * a.dilation - a.pad, f = floor_div(at, a.stride);
      shift[k] = forward ? -f : f;
      phase[k] = forward && residues_ == 1 ? modulo(at, a.stride) : 0;
      const bool met =
          forward ? f < ceil_div(a.result, a.stride) && f + a.source > 0 && phase[k] < phases_
                  : at < a.result && (a.source - 1) * a.stride + at >= 0;
      place_[k] = met ? 0 : -1;
      if (!met) continue;
      low = any ? min_of(low, shift[k]) : shift[k];
      high = any ? max_of(high, shift[k]) : shift[k];
      any = true;
    }
    low_ = low;
    span_ = high - low;
    slots_ = forward ? 1 : slot_period(a);
    for (Index i = 0; i < slots_; ++i) {
      slot_residue_[i] = all_residues() ? i : modulo(i * a.dilation - a.pad, a.stride);
    }
    fill(a, forward, shift, phase);
  }

  /// Lengths that do not depend on which taps are met, for the schedule.
  static Index slots(const Axis& a, bool forward) { return forward ? 1 : slot_period(a); }
  static Index most_span(const Axis& a) {
    return min_of((a.kernel - 1) * a.dilation / a.stride + 1, a.source + a.result);
  }
  /// Where the runs of the data gradient's rows lie in a staged row.
  void set_run(Index run) {
    for (Index i = 0; i < first_[phases_]; ++i) columns_[i].offset += slot_of_[i] * run;
  }

  Index residues() const { return residues_; }
  Index phases() const { return phases_; }
  Index low() const { return low_; }  // smallest shift: place 0 of a staged row is q = begin + low
  Index span() const { return span_; }  // largest shift - smallest
  Index slots() const { return slots_; }
  /// The data gradient needs every run, and run j is residue j.
  bool all_residues() const { return slots_ == stride_; }
  Index slot_residue(Index slot) const { return slot_residue_[slot]; }
  Index first(Index phase) const { return first_[phase]; }
  Index count(Index phase) const { return first_[phase + 1] - first_[phase]; }
  Index total() const { return first_[phases_]; }
  const Column* columns() const { return columns_; }
  /// Place of tap k's weight among those of one kernel row, which are [column][residue]; -1 if no
  /// output ever meets the tap.
  Index place(Index k) const { return place_[k]; }

 private:
  static Index gcd(Index a, Index b) { return b == 0 ? a : gcd(b, a % b); }
  static Index slot_period(const Axis& a) {
    return min_of(a.kernel, a.stride / gcd(a.stride, a.dilation));
  }

  void fill(const Axis& a, bool forward, const Index* shift, Index* phase) {
    slot_of_ = phase;  // done with once the columns are in place
    if (phases_ == 1) {
      Index count = 0;
      for (Index k = 0; k < a.kernel; ++k) {
        if (place_[k] < 0) continue;
        const Index j = residues_ == 1 ? 0 : modulo(k * a.dilation - a.pad, a.stride);
        // Shifts fall or rise with k, so equal ones are neighbours.
        if (!forward || count == 0 || columns_[count - 1].offset != shift[k] - low_) {
          columns_[count] = {shift[k] - low_, 0};
          slot_of_[count] = forward          ? 0
                            : all_residues() ? modulo(k * a.dilation - a.pad, a.stride)
                                             : k % slots_;
          ++count;
        }
        columns_[count - 1].mask |= Index{1} << j;
        place_[k] = (count - 1) * residues_ + j;
      }
      first_[1] = count;
      return;
    }
    for (Index k = 0; k < a.kernel; ++k) {
      if (place_[k] >= 0) ++first_[phase[k] + 1];
    }
    for (Index i = 0; i < phases_; ++i) first_[i + 1] += first_[i];
    for (Index k = 0; k < a.kernel; ++k) {
      if (place_[k] >= 0) place_[k] = first_[phase[k]]++;
    }
    for (Index i = phases_; i > 0; --i) first_[i] = first_[i - 1];
    first_[0] = 0;
    for (Index k = 0; k < a.kernel; ++k) {
      if (place_[k] >= 0) columns_[place_[k]] = {shift[k] - low_, 1};
    }
    for (Index i = 0; i < total(); ++i) slot_of_[i] = 0;
  }

  Index stride_, residues_, phases_;
  Index low_ = 0, span_ = 0, slots_ = 1;
  Column* columns_;
  Index* first_;
  Index* place_;
  Index* slot_residue_;
  Index* slot_of_ = nullptr;
};

}  // namespace
}  // namespace convtranspose
