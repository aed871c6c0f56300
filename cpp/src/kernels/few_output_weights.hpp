// SPDX-License-Identifier: MIT
// Weights as the few-output algorithm reads them. A panel's rows fall into segments that share
// taps (a class of y times one of x); a segment's products are cut into blocks of at most
// kBlockLength a row, which are summed in registers; and a block's rows into tiles:
//   [channels packed at a time][segment][block of channels, taps][tile][channel][tap][row]
// A panel begins with a line that says whether all its weights are finite.
#pragma once

#include "few_output_shape.hpp"
#include "few_output_tile.hpp"

namespace convtranspose {
namespace {

constexpr Index kBlockLength = 256;

/// f(class of y, class of x) for every segment.
template <class F>
void for_each_segment(const FewShape& shape, const FewPanel& panel, const F& f) {
  for (Index j = 0; j < shape.y.classes(panel.y); ++j) {
    const TapClass y = shape.y.tap_class(panel.y, j);
    if (y.empty()) continue;
    for (Index i = 0; i < shape.x.classes(panel.x); ++i) {
      const TapClass x = shape.x.tap_class(panel.x, i);
      if (!x.empty()) f(y, x);
    }
  }
}

/// f(channels) for those that are packed at a time.
template <class F>
void for_each_packed(const FewShape& shape, const F& f) {
  for (Index c = 0; c < shape.inputs; c += shape.block) {
    f(Span{c, min_of(c + shape.block, shape.inputs)});
  }
}

/// f(channels, taps) for every block.
template <class F>
void for_each_block(const Span& channels, Index taps, const F& f) {
  const Index most = max_of(1, kBlockLength / taps);
  const Index c_step = ceil_div(channels.size(), ceil_div(channels.size(), most));
  const Index t_step = ceil_div(taps, ceil_div(taps, kBlockLength));
  for (Index c = channels.begin; c < channels.end; c += c_step) {
    for (Index t = 0; t < taps; t += t_step) {
      f(Span{c, min_of(c + c_step, channels.end)}, Span{t, min_of(t + t_step, taps)});
    }
  }
}

/// f(rows) for every tile; sizes differ by at most one.
template <class F>
void for_each_tile(Index rows, const F& f) {
  const Index tiles = ceil_div(rows, kMostTileRows);
  for (Index i = 0; i < tiles; ++i) f(Span{rows * i / tiles, rows * (i + 1) / tiles});
}

/// A row of a segment: its residues counted from the classes' first, and its channel.
struct FewRow {
  Index y, x, channel;
};

/// The rows of a segment, in the order of their places. Returns how many.
inline Index list_rows(const FewShape& shape, const FewPanel& panel, const TapClass& y,
                       const TapClass& x, FewRow* rows) {
  FewRow* row = rows;
  for (Index j = 0; j < y.residues; ++j) {
    if (shape.channels_inside) {
      for (Index i = 0; i < x.residues; ++i) {
        for (Index c = panel.c.begin; c < panel.c.end; ++c) *row++ = {j, i, c};
      }
    } else {
      for (Index c = panel.c.begin; c < panel.c.end; ++c) {
        for (Index i = 0; i < x.residues; ++i) *row++ = {j, i, c};
      }
    }
  }
  return row - rows;
}

template <class T>
struct FewWeights {
  using S = Sum<T>;
  static constexpr Index kHeader = 64;

  static Index panel_bytes(const FewShape& shape) {
    return kHeader + arena_bytes<S>(shape.y_residues * shape.x_residues * shape.channels *
                                    shape.y.most_taps() * shape.x.most_taps() * shape.inputs);
  }
  static bool finite(const char* panel) { return *reinterpret_cast<const Index*>(panel) != 0; }
  static const S* numbers(const char* panel) { return reinterpret_cast<const S*>(panel + kHeader); }

  static void pack(const FewShape& shape, const T* weights, const FewPanel& panel, char* to) {
    const T* base = weights + panel.group * shape.weights_group;
    S* number = reinterpret_cast<S*>(to + kHeader);
    S check{0};  // products with 0: NaN where something is not finite
    for_each_packed(shape, [&](const Span& packed) {
      for_each_segment(shape, panel, [&](const TapClass& y, const TapClass& x) {
        FewRow rows[kMostRows];
        const Index count = list_rows(shape, panel, y, x, rows);
        const T* at[kMostRows];
        for (Index i = 0; i < count; ++i) {
          at[i] = base + rows[i].channel * shape.weights.i +
                  (y.first + rows[i].y) * shape.weights.y + (x.first + rows[i].x) * shape.weights.x;
        }
        for_each_block(packed, y.taps * x.taps, [&](const Span& channels, const Span& taps) {
          for_each_tile(count, [&](const Span& tile) {
            for (Index c = channels.begin; c < channels.end; ++c) {
              for (Index tap = taps.begin; tap < taps.end; ++tap) {
                const Index offset = c * shape.weights.o + tap / x.taps * y.step * shape.weights.y +
                                     tap % x.taps * x.step * shape.weights.x;
                for (Index i = tile.begin; i < tile.end; ++i) {
                  const S value = widen(at[i][offset]);
                  *number++ = value;
                  check += value * S{0};
                }
              }
            }
          });
        });
      });
    });
    *reinterpret_cast<Index*>(to) = check == S{0} ? 1 : 0;
  }
};

}  // namespace
}  // namespace convtranspose
