// SPDX-License-Identifier: MIT
// One axis of the direct algorithm. Outputs fall into phases: those of one phase meet the same
// taps, and their inputs lie side by side. With s the stride, d the dilation, p the padding:
//   forward        output y, tap k meets input (y + p - k d) / s where that is whole; s phases
//   data gradient  output y, tap k meets input y s + k d - p; one phase
// The taps of a phase are first, first + step, first + 2 step, ...; `first` names the phase.
#pragma once

#include "tiling.hpp"

namespace convtranspose {
namespace {

constexpr Index greatest_common_divisor(Index a, Index b) {
  while (b != 0) {
    const Index rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

struct DirectAxis {
  Index outputs, inputs, kernel, dilation, pad;
  Index output_step;  // outputs of one phase are so far apart
  Index input_step;   // inputs of neighbouring outputs of one phase are so far apart
  Index tap_step;
  bool forward;  // then a later tap meets an earlier input

  static DirectAxis make(const Axis& a, bool forward) {
    if (!forward) return {a.source, a.result, a.kernel, a.dilation, a.pad, 1, a.stride, 1, false};
    // Every output meets a lone input through one tap at most. A stride beyond everything says the
    // same, and so every output is a phase of its own that does not go over the other taps.
    const Index reach = max_of(a.result + a.pad, (a.kernel - 1) * a.dilation + 1);
    const Index stride = a.source == 1 ? max_of(a.stride, reach) : a.stride;
    const Index step = stride / greatest_common_divisor(stride, a.dilation);
    return {a.result, a.source, a.kernel, a.dilation, a.pad, stride, 1, step, true};
  }

  /// First tap of the phase that `output` belongs to, or -1 if no tap ever reaches it.
  Index first_tap(Index output) const {
    if (!forward) return 0;
    const Index residue = (output + pad) % output_step;
    if (dilation == 1) return residue < kernel ? residue : -1;
    for (Index k = 0; k < min_of(kernel, tap_step); ++k) {
      if (k * (dilation % output_step) % output_step == residue) return k;
    }
    return -1;
  }

  /// Taps of a phase.
  Index taps(Index first) const { return ceil_div(kernel - first, tap_step); }

  /// Taps of all phases whose first tap is below.
  Index taps_before(Index first) const {
    return first * (kernel / tap_step) + min_of(first, kernel % tap_step);
  }

  /// Tap number j of a phase, in the order of the inputs they meet.
  Index tap(Index first, Index j) const {
    return first + (forward ? taps(first) - 1 - j : j) * tap_step;
  }

  /// The input that tap k of its phase meets, maybe outside.
  Index input(Index output, Index k) const {
    return forward ? floor_div(output + pad - k * dilation, output_step)
                   : output * input_step + k * dilation - pad;
  }

  /// How far apart the inputs of neighbouring taps are.
  Index tap_distance() const { return forward ? tap_step * dilation / output_step : dilation; }

  /// Inputs that outputs [begin, end) may meet; may reach outside on both sides.
  Span reach(Index begin, Index end) const {
    return forward ? Span{input(begin, kernel - 1), input(end - 1, 0) + 1}
                   : Span{input(begin, 0), input(end - 1, kernel - 1) + 1};
  }
};

}  // namespace
}  // namespace convtranspose
