// SPDX-License-Identifier: MIT
// Weights as the direct algorithm reads them: a panel is a block of output channels of one group,
//   [phase of y][phase of x][tap of y][tap of x][input channel][channels of the block]
// with the taps in the order of the inputs they meet. A panel begins with a line that says whether
// all its weights are finite.
#pragma once

#include "direct_axis.hpp"
#include "direct_blocks.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// A request seen as outputs and inputs.
struct DirectShape {
  bool forward;
  DirectAxis y, x;
  Index inputs, outputs;  // channels of one group
  Index groups;

  explicit DirectShape(const Request& r)
      : forward(r.operation == Operation::Forward),
        y(DirectAxis::make(r.problem.y, forward)),
        x(DirectAxis::make(r.problem.x, forward)),
        inputs(forward ? r.problem.source_channels : r.problem.result_channels),
        outputs(forward ? r.problem.result_channels : r.problem.source_channels),
        groups(r.problem.groups) {}
};

template <class T>
class DirectWeights {
  using S = Sum<T>;
  using V = Vec<S>;
  static constexpr Index kHeader = 64;

 public:
  explicit DirectWeights(const DirectShape& shape)
      : blocks(ChannelBlocks::make(shape.outputs, V::kSize)), shape_(shape) {}

  const ChannelBlocks blocks;

  Index panels() const { return shape_.groups * blocks.count; }

  /// Bytes of the largest panel.
  Index panel_bytes() const {
    const Index vectors = blocks.size(blocks.count - 1);
    return kHeader + arena_bytes<S>(shape_.y.kernel * shape_.x.kernel * shape_.inputs * vectors *
                                    V::kSize);
  }

  static bool finite(const char* panel) { return *reinterpret_cast<const Index*>(panel) != 0; }

  const S* phase(const char* panel, Index block, Index tap_y, Index tap_x) const {
    return reinterpret_cast<const S*>(panel + kHeader) +
           place(tap_y, tap_x) * shape_.inputs * blocks.size(block) * V::kSize;
  }

  void pack(const Request& r, const T* weights, Index panel, char* to) const {
    const Index group = panel / blocks.count, block = panel % blocks.count;
    const Index width = blocks.size(block) * V::kSize;
    const Index first = ChannelBlocks::begin(block) * V::kSize;
    const Index channels = min_of(width, shape_.outputs - first);
    // Strides of input and output channels; the weights' O axis counts source channels.
    const Index in = shape_.forward ? r.weights.o : r.weights.i;
    const Index out = shape_.forward ? r.weights.i : r.weights.o;
    const T* base = weights + group * r.problem.source_channels * r.weights.o + first * out;
    S check = 0;  // times 0 and summed up: 0, or NaN where something is not finite
    for (Index fy = 0; fy < min_of(shape_.y.tap_step, shape_.y.kernel); ++fy) {
      for (Index fx = 0; fx < min_of(shape_.x.tap_step, shape_.x.kernel); ++fx) {
        S* at = reinterpret_cast<S*>(to + kHeader) + place(fy, fx) * shape_.inputs * width;
        for (Index a = 0; a < shape_.y.taps(fy); ++a) {
          for (Index b = 0; b < shape_.x.taps(fx); ++b) {
            const T* tap = base + shape_.y.tap(fy, a) * r.weights.y +
                           shape_.x.tap(fx, b) * r.weights.x;
            for (Index c = 0; c < shape_.inputs; ++c, at += width) {
              for (Index o = 0; o < channels; ++o) {
                at[o] = widen(tap[c * in + o * out]);
                check += at[o] * S{0};
              }
              for (Index o = channels; o < width; ++o) at[o] = S{0};
            }
          }
        }
      }
    }
    *reinterpret_cast<Index*>(to) = check == S{0} ? 1 : 0;
  }

 private:
  /// Taps of all phases before this one.
  Index place(Index tap_y, Index tap_x) const {
    return shape_.y.taps_before(tap_y) * shape_.x.kernel +
           shape_.y.taps(tap_y) * shape_.x.taps_before(tap_x);
  }

  const DirectShape shape_;
};

}  // namespace
}  // namespace convtranspose
