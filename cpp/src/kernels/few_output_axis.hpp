// SPDX-License-Identifier: MIT
// One axis of the few-output algorithm. Outputs are gathered to positions whose outputs meet the
// same inputs, so that lanes are neighbouring positions for all of them. With s the stride, d the
// dilation, p the padding:
//   forward        output y is residue r of position q where y + p = q s + r;
//                  tap k belongs to residue k d mod s and meets input q - floor(k d / s)
//   data gradient  every output is a position; tap k meets input q s + k d - p. The inputs are
//                  split into planes by their residue, in which neighbours are side by side.
#pragma once

#include "tiling.hpp"

namespace convtranspose {
namespace {

constexpr Index common_divisor(Index a, Index b) { return b == 0 ? a : common_divisor(b, a % b); }

/// Taps that a run of residues shares: residue i of the run, tap j is tap first + i + j * step.
struct TapClass {
  Index residue, residues;
  Index first, step, taps;
  bool empty() const { return residues <= 0 || taps <= 0; }
};

struct FewAxis {
  Index outputs, inputs, kernel, stride, dilation, pad;
  Index period;  // taps so far apart have the same residue
  bool forward;

  static FewAxis make(const Axis& a, bool forward) {
    return {forward ? a.result : a.source,
            forward ? a.source : a.result,
            a.kernel,
            a.stride,
            a.dilation,
            a.pad,
            a.stride / common_divisor(a.stride, a.dilation),
            forward};
  }

  /// Outputs of one position.
  Index residues() const { return forward ? stride : 1; }
  Index first_position() const { return forward ? floor_div(pad, stride) : 0; }
  Index positions() const {
    if (!forward || outputs == 0) return outputs;
    return floor_div(pad + outputs - 1, stride) - first_position() + 1;
  }
  /// The output at a residue of a position, maybe outside.
  Index output(Index position, Index residue) const {
    return forward ? position * stride + residue - pad : position;
  }

  Index planes() const { return forward ? 1 : min_of(kernel, period); }
  Index plane(Index tap) const { return forward ? 0 : tap % planes(); }
  /// Inputs of a plane that are side by side are so far apart in the tensor.
  Index input_step() const { return forward ? 1 : stride; }
  /// Input number `index` of a plane.
  Index plane_input(Index plane, Index index) const {
    return forward ? index : index * stride + modulo(plane * dilation - pad, stride);
  }
  /// The input that tap meets, as a number of its plane relative to the position.
  Index shift(Index tap) const {
    return forward ? -(tap * dilation / stride) : floor_div(tap * dilation - pad, stride);
  }
  Index lowest_shift() const { return shift(forward ? kernel - 1 : 0); }
  /// So many more inputs than positions are met.
  Index halo() const { return shift(forward ? 0 : kernel - 1) - lowest_shift(); }
  /// Whether the tap meets an input at a position.
  bool meets(Index position, Index tap) const {
    const Index input = plane_input(plane(tap), position + shift(tap));
    return input >= 0 && input < inputs;
  }

  /// The classes of the residues of a span; some may be empty. Without dilation all residues share
  /// the shifts of the whole strides of the kernel, and the first kernel % stride one more.
  Index classes(const Span& span) const {
    if (!forward) return 1;
    return shares_taps() ? 2 : span.size();
  }
  TapClass tap_class(const Span& span, Index number) const {
    if (!forward) return {0, 1, 0, 1, kernel};
    if (shares_taps()) {
      if (number == 0) return {span.begin, span.size(), span.begin, stride, kernel / stride};
      const Index whole = kernel / stride * stride;
      return {span.begin, min_of(kernel - whole, span.end) - span.begin, whole + span.begin, stride,
              1};
    }
    const Index residue = span.begin + number;
    for (Index k = 0; k < min_of(kernel, period); ++k) {
      if (k * (dilation % stride) % stride == residue) {
        return {residue, 1, k, period, ceil_div(kernel - k, period)};
      }
    }
    return {residue, 0, 0, 1, 0};
  }
  /// Most taps of one residue.
  Index most_taps() const { return forward ? ceil_div(kernel, period) : kernel; }

 private:
  bool shares_taps() const { return dilation == 1 || stride == 1; }
};

}  // namespace
}  // namespace convtranspose
