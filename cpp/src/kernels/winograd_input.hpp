// SPDX-License-Identifier: MIT
// From the inputs of a box to its transformed tiles. Inputs whose channels lie side by side are
// read in place, others go through a copy that has them so, some channels at a time.
#pragma once

#include "winograd_gather.hpp"
#include "winograd_schedule.hpp"

namespace convtranspose {
namespace {

/// One image's inputs, a group of channels, and where the transformed tiles go.
template <class T>
class WinogradInput {
  using S = Sum<T>;
  using Shape = WinogradShape<S>;

 public:
  WinogradInput(const Shape& shape, const WinogradSchedule& s, const DataStrides& strides,
                S* region, S* half, S* zeros)
      : shape_(shape),
        schedule_(s),
        strides_(strides),
        in_place_(std::is_same_v<T, S> && strides.c == 1 && shape.inputs % Shape::kVector == 0),
        region_(region),
        half_(half),
        zeros_(zeros) {
    fill(zeros_, s.channels, S{0});
  }

  /// Transforms, for some sets of y, the tiles rows x columns of the image at `image`; they are
  /// tiles `first`, first + 1 and so on of the `count` in `tiles`.
  void transform(const T* image, Span sets, Span rows, Span columns, Index first, Index count,
                 S* tiles) {
    const WinogradAxis &y = shape_.y, &x = shape_.x;
    lines_ = y.inputs_of(rows);
    window_ = x.inputs_of(columns);
    inside_y_ = {clamp_to(0, lines_.begin, lines_.end),
                 clamp_to(y.inputs, lines_.begin, lines_.end)};
    inside_x_ = {clamp_to(0, window_.begin, window_.end),
                 clamp_to(x.inputs, window_.begin, window_.end)};
    const Index all = shape_.blocks * Shape::kVector;
    for (Index c = 0; c < all; c += schedule_.channels) {
      const Index width = min_of(schedule_.channels, all - c);
      if (!in_place_) gather(image, c, width);
      for (Index row = rows.begin; row < rows.end; ++row) {
        const Index tile = first + (row - rows.begin) * columns.size();
        S* to = tiles;
        for (Index iy = sets.begin; iy < sets.end; ++iy) {
          transform_rows(image, iy, row, c, width);
          for (Index ix = 0; ix < x.sets; ++ix) {
            transform_columns(iy, ix, columns, c, width, tile, count, to);
            to += set_size(shape_, iy, ix, count);
          }
        }
      }
    }
  }

 private:
  void gather(const T* image, Index c, Index width) {
    const Index channels = clamp_to(shape_.inputs - c, 0, width);
    for (Index line = inside_y_.begin; line < inside_y_.end; ++line) {
      gather_row(image + line * strides_.y + inside_x_.begin * strides_.x + c * strides_.c,
                 strides_.x, strides_.c, inside_x_.size(), channels, width,
                 region_ + (line - lines_.begin) * window_.size() * width +
                     (inside_x_.begin - window_.begin) * width);
    }
  }

  /// half_[element of y][column of the window][channel]
  void transform_rows(const T* image, Index iy, Index row, Index c, Index width) {
    const WinogradAxis& y = shape_.y;
    const Index elements = y.elements_of_set(iy);
    const Index left = inside_x_.begin - window_.begin, right = window_.end - inside_x_.end;
    InputRows<S> t{};
    for (Index e = 0; e < elements; ++e) {
      const Index line = y.first_input(iy, row) + e * y.input_step();
      if (line < 0 || line >= y.inputs) {
        t.from[e] = zeros_;
        t.from_step[e] = 0;
        continue;
      }
      t.from[e] = region_ + ((line - lines_.begin) * window_.size() + left) * width;
      t.from_step[e] = width;
      if constexpr (std::is_same_v<T, S>) {
        if (in_place_) {
          t.from[e] = image + line * strides_.y + inside_x_.begin * strides_.x + c;
          t.from_step[e] = strides_.x;
        }
      }
    }
    t.to_row = window_.size() * width;
    t.to_step = width;
    t.to = half_ + left * width;
    t.columns = inside_x_.size();
    t.vectors = width / Shape::kVector;
    minimal_filter<S>(y.m, y.set[iy].taps).input_rows(t);
    for (Index e = 0; e < elements; ++e) {
      S* line = half_ + e * t.to_row;
      fill(line, left * width, S{0});
      fill(line + t.to_row - right * width, right * width, S{0});
    }
  }

  void transform_columns(Index iy, Index ix, Span columns, Index c, Index width, Index tile,
                         Index count, S* to) {
    const WinogradAxis& x = shape_.x;
    const Index group = shape_.blocks * kGroup * Shape::kVector;
    InputColumns<S> t{};
    t.from_row = window_.size() * width;
    t.from_step = x.input_step() * width;
    t.to_element = ceil_div(count, kGroup) * group + 64 / static_cast<Index>(sizeof(S));
    t.to_row = x.elements_of_set(ix) * t.to_element;
    t.to_vector = kGroup * Shape::kVector;
    t.rows = shape_.y.elements_of_set(iy);
    t.vectors = width / Shape::kVector;
    const auto& filter = minimal_filter<S>(x.m, x.set[ix].taps);
    const TileGroups groups(count);
    for (Index column = columns.begin; column < columns.end; ++column, ++tile) {
      Index number, slot;
      groups.find(tile, number, slot);
      t.from = half_ + (x.first_input(ix, column) - window_.begin) * width;
      t.to = to + number * group + c * kGroup + slot * Shape::kVector;
      filter.input_columns(t);
    }
  }

  const Shape& shape_;
  const WinogradSchedule& schedule_;
  const DataStrides strides_;
  const bool in_place_;
  S* const region_;
  S* const half_;
  S* const zeros_;
  Span lines_{}, window_{}, inside_y_{}, inside_x_{};
};

}  // namespace
}  // namespace convtranspose
