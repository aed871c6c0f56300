// SPDX-License-Identifier: MIT
// A forward or data gradient request as Winograd sees it, and its transformed weights: panels of
// one or two vectors of output channels, each
//   [phase of y][phase of x][element of the transformed filter][input channel][channel of the
//   panel]
// with the input channels filled up to whole vectors by zeros.
#pragma once

#include "winograd_axis.hpp"

namespace convtranspose {
namespace {

template <class S>
struct WinogradShape {
  static constexpr Index kVector = Vec<S>::kSize;
  static constexpr Index kPanel = 2 * kVector;

  bool forward;
  WinogradAxis y, x;
  Index inputs, outputs;  // channels of one group
  Index blocks;           // vectors of input channels
  Index panels;           // of one group

  explicit WinogradShape(const Request& r)
      : forward(r.operation == Operation::Forward),
        y(best_winograd_axis(r.problem.y, forward, r.fast_math)),
        x(best_winograd_axis(r.problem.x, forward, r.fast_math)),
        inputs(forward ? r.problem.source_channels : r.problem.result_channels),
        outputs(forward ? r.problem.result_channels : r.problem.source_channels),
        blocks(ceil_div(inputs, kVector)),
        panels(ceil_div(outputs, kPanel)) {}

  Index vectors(Index panel) const { return min_of(2, ceil_div(outputs, kVector) - 2 * panel); }
  Index elements(Index ry, Index rx) const { return y.elements(ry) * x.elements(rx); }

  /// Numbers of a panel of two vectors.
  Index panel_size() const {
    return saturated(total(y) * total(x), saturated(blocks, kVector * kPanel));
  }

  /// Where a phase's numbers start in a panel.
  Index phase_start(Index ry, Index rx, Index panel) const {
    const Index before = y.elements_before(ry) * total(x) + y.elements(ry) * x.elements_before(rx);
    return before * blocks * kVector * vectors(panel) * kVector;
  }

 private:
  static Index total(const WinogradAxis& a) { return a.elements_before(a.phases); }
};

template <class T>
class WinogradWeights {
  using S = Sum<T>;
  using Shape = WinogradShape<S>;

 public:
  static void pack(const Request& r, const Shape& shape, const T* weights, Index group, Index panel,
                   S* to) {
    // The weights' O axis counts source channels.
    const Index in = shape.forward ? r.weights.o : r.weights.i;
    const Index out = shape.forward ? r.weights.i : r.weights.o;
    const T* base =
        weights + group * r.problem.source_channels * r.weights.o + panel * Shape::kPanel * out;
    const Index width = shape.vectors(panel) * Shape::kVector;
    const Index channels = min_of(width, shape.outputs - panel * Shape::kPanel);
    for (Index ry = 0; ry < shape.y.phases; ++ry) {
      for (Index rx = 0; rx < shape.x.phases; ++rx) {
        S* phase = to + shape.phase_start(ry, rx, panel);
        for (Index k = 0; k < shape.inputs; ++k) {
          pack_channel(r, shape, base + k * in, out, ry, rx, channels, width, phase + k * width);
        }
        const Index filled = shape.blocks * Shape::kVector;
        for (Index e = 0; e < shape.elements(ry, rx); ++e) {
          fill(phase + (e * filled + shape.inputs) * width, (filled - shape.inputs) * width, S{0});
        }
      }
    }
  }

 private:
  /// One input channel's filters of a phase.
  static void pack_channel(const Request& r, const Shape& shape, const T* from, Index out, Index ry,
                           Index rx, Index channels, Index width, S* to) {
    S taps[kMostTaps * kMostTaps * Shape::kPanel];
    S half[kMostElements * kMostTaps * Shape::kPanel];
    const WinogradAxis &y = shape.y, &x = shape.x;
    const Index taps_y = y.phase[ry].taps, taps_x = x.phase[rx].taps;
    for (Index ty = 0; ty < taps_y; ++ty) {
      for (Index tx = 0; tx < taps_x; ++tx) {
        const T* tap = from + y.tap(ry, ty) * r.weights.y + x.tap(rx, tx) * r.weights.x;
        S* lanes = taps + (ty * taps_x + tx) * width;
        for (Index c = 0; c < channels; ++c) lanes[c] = widen(tap[c * out]);
        fill(lanes + channels, width - channels, S{0});
      }
    }
    const Index vectors = width / Shape::kVector, row = taps_x * width;
    minimal_filter<S>(y.m, taps_y).filter({taps, width, row, half, width, row, taps_x, vectors});
    const Index element = shape.blocks * Shape::kVector * width;
    minimal_filter<S>(x.m, taps_x)
        .filter({half, row, width, to, x.elements(rx) * element, element, y.elements(ry), vectors});
  }
};

}  // namespace
}  // namespace convtranspose
