// SPDX-License-Identifier: MIT
// One operand of Winograd's weights gradient: the source's tiles or those of a phase of the
// incoming gradient, transformed for some channels to
//   [element][panel of channels][tile][channel of the panel]
#pragma once

#include "winograd_axis.hpp"
#include "winograd_gather.hpp"

namespace convtranspose {
namespace {

/// One axis of an operand: tile i takes `taken` numbers from first + i tile_step, `step` apart, and
/// makes `made` of them.
struct SideAxis {
  Index first, tile_step, step, taken, made, size;
  Index position(Index tile, Index i) const { return first + tile * tile_step + i * step; }
};

template <class S>
struct SideTransforms {
  void (*rows)(const InputRows<S>&);
  void (*columns)(const InputColumns<S>&);
};

/// Some tiles of an image.
struct TileBox {
  Span rows, columns;
};

template <class T>
class WinogradSide {
  using S = Sum<T>;
  static constexpr Index kVector = Vec<S>::kSize;

 public:
  /// `region` and `half` hold a row of a box's numbers; `panel` counts vectors.
  WinogradSide(const SideAxis& y, const SideAxis& x, const SideTransforms<S>& transforms,
               const DataStrides& strides, Index panel, Index block, S* region, S* half, S* zeros)
      : y_(y),
        x_(x),
        transforms_(transforms),
        strides_(strides),
        panel_(panel * kVector),
        region_(region),
        half_(half),
        zeros_(zeros) {
    fill(zeros_, block, S{0});
  }

  /// Columns that a box of so many tiles reads: every step-th of the tensor's.
  static Index window(const SideAxis& x, Index tiles) {
    return (tiles - 1) * x.tile_step / x.step + x.taken;
  }

  /// Transforms the box's tiles of an image, which are tiles `first`, first + 1 and so on of
  /// `count`, for `channels` channels at `image`.
  void transform(const T* image, const TileBox& box, Index channels, Index first, Index count,
                 S* to) {
    const Index panels = ceil_div(channels, panel_), element = panels * count * panel_;
    const Index width = round_up(channels, kVector);
    in_place_ = std::is_same_v<T, S> && strides_.c == 1 && channels == width;
    Index tile = first;
    for (Index row = box.rows.begin; row < box.rows.end; ++row) {
      region_line_ = ((window(x_, box.columns.size()) - 1) * x_.step + 1) * width;
      transform_rows(image, row, box.columns, channels, width);
      InputColumns<S> t{};
      t.from_row = columns_ * width;
      t.from_step = width;
      t.to_element = element;
      t.to_row = x_.made * element;
      t.to_vector = kVector;
      t.rows = y_.made;
      for (Index i = 0; i < box.columns.size(); ++i, ++tile) {
        for (Index panel = 0; panel < panels; ++panel) {
          t.from = half_ + i * (x_.tile_step / x_.step) * width + panel * panel_;
          t.to = to + (panel * count + tile) * panel_;
          t.vectors = min_of(panel_, width - panel * panel_) / kVector;
          transforms_.columns(t);
        }
      }
    }
  }

 private:
  static Index ceil_from(Index a, Index b) { return -floor_div(-a, b); }

  void transform_rows(const T* image, Index row, Span tiles, Index real, Index width) {
    const Index begin = x_.position(tiles.begin, 0);
    columns_ = window(x_, tiles.size());
    const Index left = clamp_to(-floor_div(begin, x_.step), 0, columns_);
    const Index end = clamp_to(ceil_from(x_.size - begin, x_.step), left, columns_);
    const Index span = end > left ? (end - left - 1) * x_.step + 1 : 0;  // of the tensor's columns
    InputRows<S> t{};
    for (Index i = 0; i < y_.taken; ++i) {
      const Index line = y_.position(row, i);
      if (line < 0 || line >= y_.size) {
        t.from[i] = zeros_;
        t.from_step[i] = 0;
        continue;
      }
      const T* at = image + line * strides_.y + (begin + left * x_.step) * strides_.x;
      t.from[i] = region_ + i * region_line_;
      t.from_step[i] = width * x_.step;
      if constexpr (std::is_same_v<T, S>) {
        if (in_place_) {
          t.from[i] = at;
          t.from_step[i] = strides_.x * x_.step;
          continue;
        }
      }
      gather_row(at, strides_.x, strides_.c, span, real, width, region_ + i * region_line_);
    }
    t.to = half_ + left * width;
    t.to_row = columns_ * width;
    t.to_step = width;
    t.columns = end - left;
    t.vectors = width / kVector;
    transforms_.rows(t);
    for (Index e = 0; e < y_.made; ++e) {
      S* line = half_ + e * t.to_row;
      fill(line, left * width, S{0});
      fill(line + end * width, (columns_ - end) * width, S{0});
    }
  }

  const SideAxis y_, x_;
  const SideTransforms<S> transforms_;
  const DataStrides strides_;
  const Index panel_;
  S* const region_;
  S* const half_;
  S* const zeros_;
  bool in_place_ = false;
  Index columns_ = 0, region_line_ = 0;
};

}  // namespace
}  // namespace convtranspose
