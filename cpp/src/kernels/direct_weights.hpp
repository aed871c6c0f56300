// SPDX-License-Identifier: MIT
// Weights as the direct algorithm reads them: a panel is a block of output channels of one group,
//   [phase of y][phase of x][tap of y][tap of x][input channel][channels of the block]
// with the taps in the order of the inputs they meet. A panel begins with a line that says whether
// all its weights are finite.
#pragma once

#include "direct_axis.hpp"
#include "direct_blocks.hpp"
#include "pack_matrix.hpp"
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

  /// Numbers between the packed inputs of neighbouring pixels. Multiples of 2 KiB would send the
  /// rows of a tile to the same few sets of the first-level cache.
  template <class S>
  Index pitch() const {
    constexpr Index line = 64 / static_cast<Index>(sizeof(S));
    return inputs % (32 * line) == 0 ? inputs + line : inputs;
  }
};

/// Where a panel's weights are: the first of them, and strides of input and output channels, of
/// taps.
template <class T>
struct PackSource {
  const T* base;
  Index in, out, y, x;
  const T* end;
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
    return kHeader +
           arena_bytes<S>(shape_.y.kernel * shape_.x.kernel * shape_.inputs * vectors * V::kSize);
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
    const PackSource<T> source{base, in, out, r.weights.y, r.weights.x, last_element(r, weights)};
    const bool finite = pack_taps(source, channels, width, reinterpret_cast<S*>(to + kHeader));
    *reinterpret_cast<Index*>(to) = finite ? 1 : 0;
  }

 private:
  /// One past the last element of the tensor, if it is one without gaps; else nullptr.
  const T* last_element(const Request& r, const T* weights) const {
    const Problem& p = r.problem;
    const Index taps = p.y.kernel * p.x.kernel;
    const bool dense = r.weights.x == 1 && r.weights.y == p.x.kernel && r.weights.i == taps &&
                       r.weights.o == taps * p.result_channels;
    return dense ? weights + p.groups * p.source_channels * r.weights.o : nullptr;
  }

  bool pack_taps(const PackSource<T>& s, Index channels, Index width, S* to) const {
    const Index taps = shape_.y.kernel * shape_.x.kernel;
    bool finite = true;
    Index tap = 0;
    // Eight (vector's) taps at a time where they lie side by side. The last load of a channel reads
    // into the next one's taps, so it must not be the tensor's last.
    if constexpr (std::is_same_v<T, S>) {
      if (s.end != nullptr && taps > 1) {
        for (; tap < taps; tap += V::kSize) {
          const T* last = s.base + (shape_.inputs - 1) * s.in + (channels - 1) * s.out + tap;
          if (last + V::kSize > s.end && tap + V::kSize > taps) break;
          finite &= pack_tap_squares(s, tap, min_of(V::kSize, taps - tap), channels, width, to);
        }
      }
    }
    for (; tap < taps; ++tap) {
      const Index ky = tap / shape_.x.kernel, kx = tap % shape_.x.kernel;
      finite &= pack_matrix(s.base + ky * s.y + kx * s.x, s.in, s.out, shape_.inputs, channels,
                            width, to + row_of(ky, kx) * shape_.inputs * width);
    }
    return finite;
  }

  /// Taps [tap, tap + count) of dense weights for all channels: squares of channels x taps.
  bool pack_tap_squares(const PackSource<T>& s, Index tap, Index count, Index channels, Index width,
                        S* to) const {
    S* rows[V::kSize];
    for (Index i = 0; i < count; ++i) {
      const Index ky = (tap + i) / shape_.x.kernel, kx = (tap + i) % shape_.x.kernel;
      rows[i] = to + row_of(ky, kx) * shape_.inputs * width;
    }
    typename V::Type check = V::zero();
    for (Index c = 0; c < shape_.inputs; ++c) {
      for (Index o = 0; o < width; o += V::kSize) {
        typename V::Block block;
        for (Index i = 0; i < V::kSize; ++i) {
          const T* from = s.base + c * s.in + (o + i) * s.out + tap;
          block.packet[i] = o + i < channels ? V::load(from) : V::zero();
        }
        V::transpose(block);
        for (Index i = 0; i < count; ++i) {
          V::store(rows[i] + c * width + o, block.packet[i]);
          check = V::fma(block.packet[i], V::zero(), check);
        }
      }
    }
    return V::reduce(check) == S{0};
  }

  /// Place of a tap among all taps of the panel.
  Index row_of(Index ky, Index kx) const {
    const Index fy = ky % min_of(shape_.y.tap_step, shape_.y.kernel);
    const Index fx = kx % min_of(shape_.x.tap_step, shape_.x.kernel);
    const Index jy = ky / shape_.y.tap_step, jx = kx / shape_.x.tap_step;
    const Index ny = shape_.y.taps(fy), nx = shape_.x.taps(fx);
    return place(fy, fx) + (shape_.forward ? ny - 1 - jy : jy) * nx +
           (shape_.forward ? nx - 1 - jx : jx);
  }

  /// Taps of all phases before this one.
  Index place(Index tap_y, Index tap_x) const {
    return shape_.y.taps_before(tap_y) * shape_.x.kernel +
           shape_.y.taps(tap_y) * shape_.x.taps_before(tap_x);
  }

  const DirectShape shape_;
};

}  // namespace
}  // namespace convtranspose
