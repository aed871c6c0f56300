// SPDX-License-Identifier: MIT
// A box of outputs, and the pixels of one of its phases: where their inputs lie, packed or in
// place, and where their outputs belong in the result.
#pragma once

#include "direct_axis.hpp"
#include "direct_schedule.hpp"

namespace convtranspose {
namespace {

struct DirectBox {
  Span images, y, x;      // outputs
  Span reach_y, reach_x;  // inputs, maybe outside

  static DirectBox make(const DirectShape& shape, const DirectSchedule& d, Index batch,
                        Index number) {
    DirectBox box;
    box.x = piece(number % d.x_boxes, d.columns, shape.x.outputs);
    number /= d.x_boxes;
    box.y = piece(number % d.y_boxes, d.rows, shape.y.outputs);
    box.images = piece(number / d.y_boxes, d.images, batch);
    box.reach_y = shape.y.reach(box.y.begin, box.y.end);
    box.reach_x = shape.x.reach(box.x.begin, box.x.end);
    return box;
  }
  /// Whether no tap reaches outside the inputs.
  bool inside(const DirectShape& shape) const {
    return reach_y.begin >= 0 && reach_y.end <= shape.y.inputs && reach_x.begin >= 0 &&
           reach_x.end <= shape.x.inputs;
  }
};

/// The outputs first_y, first_y + step, ... x first_x, first_x + step, ... of a box.
struct DirectPhase {
  Index first_y, first_x;
  Index tap_y, tap_x;  // the first taps that meet them, -1 if none does
  Index rows, columns, pixels;

  static DirectPhase make(const DirectShape& shape, const DirectBox& box, Index j, Index i) {
    DirectPhase p;
    p.first_y = box.y.begin + j;
    p.first_x = box.x.begin + i;
    p.tap_y = shape.y.first_tap(p.first_y);
    p.tap_x = shape.x.first_tap(p.first_x);
    p.rows = ceil_div(box.y.end - p.first_y, shape.y.output_step);
    p.columns = ceil_div(box.x.end - p.first_x, shape.x.output_step);
    p.pixels = box.images.size() * p.rows * p.columns;
    return p;
  }
  bool empty() const { return tap_y < 0 || tap_x < 0; }
};

/// The inputs of a box: where its first one is, and how far apart pixels, lines and images are.
/// Channels lie side by side.
template <class S>
struct DirectInputs {
  const S* first;
  Index pixel, line, image;

  const S* at(Index n, Index y, Index x) const { return first + n * image + y * line + x * pixel; }
};

/// Addresses of the inputs that the first tap of the phase meets.
template <class S>
void list_inputs(const DirectShape& shape, const DirectBox& box, const DirectPhase& p,
                 const DirectInputs<S>& inputs, const S** to) {
  const DirectAxis &y = shape.y, &x = shape.x;
  const Index start_y = y.input(p.first_y, y.tap(p.tap_y, 0)) - box.reach_y.begin;
  const Index start_x = x.input(p.first_x, x.tap(p.tap_x, 0)) - box.reach_x.begin;
  const Index step = x.input_step * inputs.pixel;
  for (Index n = 0; n < box.images.size(); ++n) {
    for (Index row = 0; row < p.rows; ++row) {
      const S* at = inputs.at(n, start_y + row * y.input_step, start_x);
      for (Index column = 0; column < p.columns; ++column) *to++ = at + column * step;
    }
  }
}

/// Places of the outputs in the result.
inline void list_outputs(const DirectShape& shape, const DirectBox& box, const DirectPhase& p,
                         const DataStrides& strides, Index* to) {
  for (Index n = box.images.begin; n < box.images.end; ++n) {
    for (Index row = 0; row < p.rows; ++row) {
      const Index at = n * strides.n + (p.first_y + row * shape.y.output_step) * strides.y +
                       p.first_x * strides.x;
      for (Index column = 0; column < p.columns; ++column) {
        *to++ = at + column * shape.x.output_step * strides.x;
      }
    }
  }
}

}  // namespace
}  // namespace convtranspose
