// SPDX-License-Identifier: MIT
// From products to results: the inverse transform of a box's tiles, straight into the result where
// its channels are whole vectors side by side, else by way of a band of rows.
#pragma once

#include "winograd_schedule.hpp"
#include "winograd_store.hpp"

namespace convtranspose {
namespace {

/// The box a job computes.
struct WinogradBox {
  Span images, rows, columns;  // of tiles
  Index tiles() const { return images.size() * rows.size() * columns.size(); }
};

/// Channels that are multiplied together: some panels of a group.
struct PanelChunk {
  Index first;     // channel, within the tensor
  Index channels;  // of them real
  Index width;     // with the last panel's padding
};

template <class T>
class WinogradOutput {
  using S = Sum<T>;
  using Shape = WinogradShape<S>;

 public:
  WinogradOutput(const Shape& shape, const DataStrides& strides, const Tensors& tensors, S* band,
                 S* half, S* bias)
      : shape_(shape),
        strides_(strides),
        tensors_(tensors),
        band_(band),
        half_(half),
        bias_(bias) {}

  void start(const WinogradBox& box, const PanelChunk& chunk) {
    box_ = box;
    chunk_ = chunk;
    direct_ = std::is_same_v<T, S> && strides_.c == 1 && chunk.channels == chunk.width &&
              tensors_.epilogue.activation == ActivationKind::None;
    outputs_x_ = shape_.x.results_of(box.columns);
    outputs_y_ = shape_.y.results_of(box.rows);
    const S* bias = static_cast<const S*>(tensors_.epilogue.bias);
    for (Index c = 0; c < chunk.width; ++c) {
      bias_[c] = bias != nullptr && c < chunk.channels ? bias[chunk.first + c] : S{0};
    }
  }

  /// Results of phase (ry, rx) from the products [element][tile][channel]. `add`: to what another
  /// phase left.
  void transform(Index ry, Index rx, const S* sums, Index element, bool add) {
    const WinogradAxis &y = shape_.y, &x = shape_.x;
    const auto& filter_y = minimal_filter<S>(y.m, y.phase[ry].taps);
    const auto& filter_x = minimal_filter<S>(x.m, x.phase[rx].taps);
    const auto square = y.m == x.m && y.phase[ry].taps == x.phase[rx].taps
                            ? square_output<S>(y.m, y.phase[ry].taps)
                            : nullptr;
    const Index width = chunk_.width, vectors = width / Shape::kVector;
    Regular<S> columns{};
    columns.from_row = x.elements(rx) * element;
    columns.from_step = element;
    columns.to = half_;
    columns.to_row = x.m * width;
    columns.to_step = width;
    columns.rows = y.elements(ry);
    columns.vectors = vectors;
    OutputRows<S> rows{};
    rows.from_row = columns.to_row;
    rows.from_step = width;
    rows.bias = bias_;
    rows.vectors = vectors;
    rows.add = add;
    const Index step = shape_.forward ? x.stride : 1;
    rows.to_step = step * (direct_ ? strides_.x : width);
    columns.from = sums;
    for (Index n = box_.images.begin; n < box_.images.end; ++n) {
      for (Index row = box_.rows.begin; row < box_.rows.end; ++row) {
        const Span qy = results(y, ry, row);
        for (Index column = box_.columns.begin; column < box_.columns.end;
             ++column, columns.from += width) {
          const Span qx = results(x, rx, column);
          if (qx.size() == 0 || qy.size() == 0) continue;
          const Index q0 = y.set[y.phase[ry].set].origin + row * y.m;
          const Index first = x.set[x.phase[rx].set].origin + column * x.m;
          const Index at_x = x.result(rx, qx.begin);
          rows.valid = {qy.begin - q0, qy.end - q0};
          for (Index i = rows.valid.begin; i < rows.valid.end; ++i) {
            rows.to[i] = place(n, y.result(ry, q0 + i), at_x);
          }
          if (square != nullptr) {
            // Addressed as if all columns were there.
            OutputTile<S> t{columns.from,
                            columns.from_row,
                            element,
                            {},
                            rows.to_step,
                            rows.valid,
                            {qx.begin - first, qx.end - first},
                            bias_,
                            vectors,
                            add};
            for (Index i = rows.valid.begin; i < rows.valid.end; ++i) {
              t.to[i] = rows.to[i] - t.valid_columns.begin * rows.to_step;
            }
            square(t);
            continue;
          }
          filter_x.output_columns(columns);
          rows.from = half_ + (qx.begin - first) * width;
          rows.columns = qx.size();
          filter_y.output_rows(rows);
        }
      }
    }
  }

  /// Stores what the band has of a phase of y; nothing to do where the results are in place.
  void finish(Index ry) {
    if (direct_) return;
    const WinogradAxis& y = shape_.y;
    const Index pixels = outputs_x_.size();
    for (Index n = box_.images.begin; n < box_.images.end; ++n) {
      for (Index row = box_.rows.begin; row < box_.rows.end; ++row) {
        const Span qy = results(y, ry, row);
        for (Index q = qy.begin; q < qy.end; ++q) {
          const Index oy = y.result(ry, q);
          S* sums = band_row(n, oy);
          activate_run(sums, pixels * chunk_.width, tensors_.epilogue);
          T* to = static_cast<T*>(tensors_.output) + n * strides_.n + oy * strides_.y +
                  outputs_x_.begin * strides_.x + chunk_.first * strides_.c;
          store_pixels<T>(sums, chunk_.width, pixels, chunk_.channels, to, strides_.x, strides_.c);
        }
      }
    }
  }

 private:
  /// A phase's results in a tile.
  static Span results(const WinogradAxis& a, Index r, Index tile) {
    const Index q = a.set[a.phase[r].set].origin + tile * a.m;
    const Span all = a.phase[r].q;
    const Index begin = clamp_to(q, all.begin, all.end);
    return {begin, clamp_to(q + a.m, begin, all.end)};
  }

  S* place(Index n, Index oy, Index ox) {
    if constexpr (std::is_same_v<T, S>) {
      if (direct_) {
        return static_cast<T*>(tensors_.output) + n * strides_.n + oy * strides_.y +
               ox * strides_.x + chunk_.first;
      }
    }
    return band_row(n, oy) + (ox - outputs_x_.begin) * chunk_.width;
  }

  /// The band has a phase's rows of the box only.
  S* band_row(Index n, Index oy) {
    const Index step = shape_.forward ? shape_.y.stride : 1;
    const Index rows = ceil_div(outputs_y_.size(), step);
    const Index row = (n - box_.images.begin) * rows + (oy - outputs_y_.begin) / step;
    return band_ + row * outputs_x_.size() * chunk_.width;
  }

  const Shape& shape_;
  const DataStrides strides_;
  const Tensors& tensors_;
  S* const band_;
  S* const half_;
  S* const bias_;
  WinogradBox box_{};
  PanelChunk chunk_{};
  bool direct_ = false;
  Span outputs_x_{}, outputs_y_{};
};

}  // namespace
}  // namespace convtranspose
