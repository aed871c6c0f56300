// SPDX-License-Identifier: MIT
// A box of positions and its packed inputs, and the sums for weights that are not all finite: taps
// outside must then not be multiplied with the zeros that stand for them.
#pragma once

#include "few_output_weights.hpp"

namespace convtranspose {
namespace {

struct FewBox {
  Span n, y, x;              // images, positions
  Index line, image, plane;  // numbers from row to row, image to image, channel to channel

  /// From the first position to the last, with those between rows.
  Index positions() const { return (n.size() - 1) * image + (y.size() - 1) * line + x.size(); }

  /// From a position to its input, in the packed inputs.
  Index offset(const FewShape& shape, Index tap_y, Index tap_x) const {
    const Index residues = shape.y.plane(tap_y) * shape.x.planes() + shape.x.plane(tap_x);
    return residues * shape.block * plane + (shape.y.shift(tap_y) - shape.y.lowest_shift()) * line +
           shape.x.shift(tap_x) - shape.x.lowest_shift();
  }
};

/// One block of the sums of a segment, tap by tap where it is inside.
template <class S>
void sum_carefully(const FewShape& shape, const FewBox& box, const TapClass& y, const TapClass& x,
                   const Span& channels, const Span& taps, const Index* offsets, const S* region,
                   const S* weights, S* const* sums, Index rows) {
  for_each_tile(rows, [&](const Span& tile) {
    for (Index c = channels.begin; c < channels.end; ++c) {
      for (Index tap = taps.begin; tap < taps.end; ++tap, weights += tile.size()) {
        const Index tap_y = y.first + tap / x.taps * y.step;
        const Index tap_x = x.first + tap % x.taps * x.step;
        const S* inputs = region + c * box.plane + offsets[tap];
        for (Index n = 0; n < box.n.size(); ++n) {
          for (Index j = 0; j < box.y.size(); ++j) {
            if (!shape.y.meets(box.y.begin + j, tap_y)) continue;
            const Index start = n * box.image + j * box.line;
            for (Index i = 0; i < box.x.size(); ++i) {
              if (!shape.x.meets(box.x.begin + i, tap_x)) continue;
              for (Index row = tile.begin; row < tile.end; ++row) {
                sums[row][start + i] += weights[row - tile.begin] * inputs[start + i];
              }
            }
          }
        }
      }
    }
  });
}

}  // namespace
}  // namespace convtranspose
