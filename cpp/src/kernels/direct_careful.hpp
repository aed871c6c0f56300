// SPDX-License-Identifier: MIT
// With weights that are not finite a tap outside must not be multiplied with a zero: pixel by
// pixel, only the taps inside.
#pragma once

#include "direct_box.hpp"
#include "direct_tile.hpp"

namespace convtranspose {
namespace {

template <class S>
void sum_carefully(const DirectShape& shape, const DirectBox& box, const DirectPhase& p,
                   const DirectInputs<S>& inputs, Index vectors, const S* weights, S* sums) {
  const DirectAxis &y = shape.y, &x = shape.x;
  const Index width = vectors * Vec<S>::kSize, step = shape.inputs * width;
  const Index taps_y = y.taps(p.tap_y), taps_x = x.taps(p.tap_x);
  const Index zero = 0;
  for (Index n = 0; n < box.images.size(); ++n) {
    for (Index oy = p.first_y; oy < box.y.end; oy += y.output_step) {
      for (Index ox = p.first_x; ox < box.x.end; ox += x.output_step, sums += width) {
        fill(sums, width, S{0});
        for (Index tap = 0; tap < taps_y * taps_x; ++tap) {
          const Index iy = y.input(oy, y.tap(p.tap_y, tap / taps_x));
          const Index ix = x.input(ox, x.tap(p.tap_x, tap % taps_x));
          if (iy < 0 || iy >= y.inputs || ix < 0 || ix >= x.inputs) continue;
          const S* pixel = inputs.at(n, iy - box.reach_y.begin, ix - box.reach_x.begin);
          TileSum<S> t{};
          t.pixels = &pixel;
          t.offsets = &zero;
          t.runs = 1;
          t.length = shape.inputs;
          t.weights = t.next = weights + tap * step;
          t.sums = sums;
          t.add = true;
          kTiles<S, false>[vectors][1](t, 1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace convtranspose
