// SPDX-License-Identifier: MIT
// Forward and data gradient with pixels in the vectors' lanes. A unit of work is a tile of the
// outputs of one group (or of a few neighbouring groups, where channels are the fastest axis): its
// inputs are staged, then every output row is the sum of a few shifted rows.
//
// Staged rows have zeros where the tensor ends, so a unit is computed this way only if all its
// weights are finite: then those zeros add nothing. Other units go the careful way.
#pragma once

#include "depthwise_careful.hpp"
#include "depthwise_planar_tile.hpp"
#include "depthwise_transpose.hpp"

namespace convtranspose {
namespace {

template <class T, bool kForward>
class Planar : PlanarCut<T, kForward> {
  using S = Sum<T>;
  using V = Vec<S>;
  using Cut = PlanarCut<T, kForward>;
  using Cut::input_extent;
  using Cut::inputs;
  using Cut::kStagedRows;
  using Cut::output_extent;
  using Cut::outputs;
  using Cut::reach;
  using Cut::staged_width;
  using Cut::weights_size;

 public:
  using Cut::prepare;

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, Index job,
                  void* workspace) noexcept {
    const PlanarTile& t = tile_of<PlanarTile>(s);
    Planar work(r, t, tensors, workspace);
    const Span units = piece(job, t.per_job, t.units);
    for (Index unit = units.begin; unit < units.end; ++unit) work.go(unit);
    if (t.around) stream_fence();
  }

 private:
  Planar(const Request& r, const PlanarTile& t, const Tensors& tensors, void* workspace)
      : r_(r),
        p_(r.problem),
        t_(t),
        tensors_(tensors),
        in_(kForward ? r.source : r.result),
        out_(kForward ? r.result : r.source),
        arena_(workspace),
        columns_(r.problem.x, kForward, arena_) {
    columns_.set_run(t.run);
    staged_ = arena_.take<S>(t.groups * inputs(p_) * t.rows * t.pitch);
    weights_ = arena_.take<S>(weights_size(p_) * t.groups);
    taps_ = arena_.take<RowTap>(t.height * inputs(p_) * p_.y.kernel);
    first_tap_ = arena_.take<Index>(t.height + 1);
    sums_ = arena_.take<S>(t.groups * outputs(p_) * staged_width(p_, t) * kStagedRows);
    row_weights_ = columns_.total() * columns_.residues();
    // Zeros are in the same places of all rows if one tile is all columns.
    if (t.tiles == 1) fill(staged_, t.groups * inputs(p_) * t.rows * t.pitch, S{0});
  }

  void go(Index unit) {
    const Index column = unit % t_.tiles;
    const Index band = unit / t_.tiles % t_.bands;
    n_ = unit / t_.tiles / t_.bands % p_.batch;
    const Index block = unit / t_.tiles / t_.bands / p_.batch;
    y_ = piece(band, t_.height, output_extent(p_.y));
    x_ = piece(column, t_.width, output_extent(p_.x));
    if (block != block_) {
      block_ = block;
      groups_ = piece(block, t_.groups, p_.groups);
      finite_ = pack_weights();
    }
    if (!finite_) {
      careful();
      return;
    }
    if (band != band_) {
      band_ = band;
      list_rows();
    }
    stage();
    const Index step = direct() ? y_.size() : kStagedRows;
    for (Index y = y_.begin; y < y_.end; y += step) {
      const Span rows{y, min_of(y + step, y_.end)};
      for (Index g = groups_.begin; g < groups_.end; ++g) output_rows(g, rows);
      if (direct()) continue;
      for (Index row = rows.begin; row < rows.end; ++row) store_row(row, row - rows.begin);
    }
  }

  /// Weights of the unit's groups as [output][input][ky][column][residue]; true if all are finite.
  bool pack_weights() {
    S zero{0};
    for (Index g = groups_.begin; g < groups_.end; ++g) {
      for (Index i = 0; i < outputs(p_); ++i) {
        for (Index k = 0; k < inputs(p_); ++k) {
          const Index o = g * p_.source_channels + (kForward ? k : i);
          const T* from = static_cast<const T*>(tensors_.weights) + o * r_.weights.o +
                          (kForward ? i : k) * r_.weights.i;
          S* to = weights_of(g, i) + k * p_.y.kernel * row_weights_;
          for (Index ky = 0; ky < p_.y.kernel; ++ky, to += row_weights_) {
            for (Index kx = 0; kx < p_.x.kernel; ++kx) {
              const S w = widen(from[ky * r_.weights.y + kx * r_.weights.x]);
              zero += w * S{0};
              if (columns_.place(kx) >= 0) to[columns_.place(kx)] = w;
            }
          }
        }
      }
    }
    return zero == S{0};
  }
  S* weights_of(Index group, Index output) const {
    return weights_ + ((group - groups_.begin) * outputs(p_) + output) * inputs(p_) * p_.y.kernel *
                          row_weights_;
  }

  /// The output row's values can go straight to the result.
  bool direct() const { return std::is_same_v<T, S> && out_.x == 1 && columns_.phases() == 1; }

  void careful() {
    CarefulStencil<T, kForward> sums(r_, tensors_);
    for (Index g = groups_.begin; g < groups_.end; ++g) {
      for (Index i = 0; i < outputs(p_); ++i) {
        for (Index y = y_.begin; y < y_.end; ++y) {
          for (Index x = x_.begin; x < x_.end; ++x) sums.store(n_, g, i, y, x);
        }
      }
    }
  }

  void stage() {
    const Index begin = (kForward ? x_.begin / p_.x.stride : x_.begin) + columns_.low();
    const Index places = kForward ? ceil_div(x_.size(), p_.x.stride) : x_.size();
    const Places wanted{begin, round_up(places, V::kSize) + columns_.span(), t_.tiles > 1};
    const T* base = static_cast<const T*>(kForward ? tensors_.source : tensors_.result) +
                    n_ * in_.n + groups_.begin * inputs(p_) * in_.c;
    const Index planes = groups_.size() * inputs(p_), stride = kForward ? 1 : p_.x.stride;
    for (Index y = input_y_.begin; in_.c == 1 && y < input_y_.end; ++y) {
      const ChannelsRow<T> row{base + y * in_.y, in_.x, input_extent(p_.x), planes};
      for (Index i = 0; i < columns_.slots(); ++i) {
        stage_channels(row, wanted, stride, kForward ? 0 : columns_.slot_residue(i),
                       staged_row(0, y) + i * t_.run, t_.rows * t_.pitch);
      }
    }
    if (in_.c == 1) return;
    for (Index plane = 0; plane < planes; ++plane) {
      for (Index y = input_y_.begin; y < input_y_.end; ++y) {
        const TensorRow<T> row{base + plane * in_.c + y * in_.y, in_.x, input_extent(p_.x)};
        S* to = staged_row(plane, y);
        if (kForward) {
          stage_run(row, wanted, 1, 0, to);
        } else if (columns_.all_residues()) {
          stage_residues(row, wanted, stride, to, t_.run);
        } else {
          for (Index i = 0; i < columns_.slots(); ++i) {
            stage_run(row, wanted, stride, columns_.slot_residue(i), to + i * t_.run);
          }
        }
      }
    }
  }
  S* staged_row(Index plane, Index y) const {
    return staged_ + (plane * t_.rows + y - input_y_.begin) * t_.pitch;
  }

  /// The rows of inputs that meet every output row of the band, and the weights they meet.
  void list_rows() {
    const Axis& a = p_.y;
    input_y_ = kForward
                   ? sources_of(a, y_.begin, y_.end)
                   : Span{clamp_to(y_.begin * a.stride - a.pad, 0, a.result),
                          clamp_to((y_.end - 1) * a.stride - a.pad + reach(a) + 1, 0, a.result)};
    Index count = 0;
    for (Index y = y_.begin; y < y_.end; ++y) {
      first_tap_[y - y_.begin] = count;
      const Index begin = count;
      for (Index ky = 0; ky < a.kernel; ++ky) {
        Index row = y * a.stride + ky * a.dilation - a.pad;
        if (kForward) {
          const Index at = y + a.pad - ky * a.dilation;
          if (modulo(at, a.stride) != 0) continue;
          row = floor_div(at, a.stride);
        }
        if (row < 0 || row >= input_extent(a)) continue;
        taps_[count++] = {(row - input_y_.begin) * t_.pitch, ky * row_weights_};
      }
      const Index own = count - begin;
      for (Index k = 1; k < inputs(p_); ++k) {
        for (Index i = 0; i < own; ++i) {
          taps_[count++] = {taps_[begin + i].data + k * t_.rows * t_.pitch,
                            taps_[begin + i].weights + k * a.kernel * row_weights_};
        }
      }
    }
    first_tap_[y_.size()] = count;
  }

  void output_rows(Index group, Span rows) {
    const Epilogue& e = tensors_.epilogue;
    StencilRows<S> s{};
    s.data = staged_ + (group - groups_.begin) * inputs(p_) * t_.rows * t_.pitch;
    s.taps = taps_;
    s.first = first_tap_ + rows.begin - y_.begin;
    s.height = rows.size();
    s.around = t_.around && e.activation == ActivationKind::None;
    for (Index i = 0; i < outputs(p_); ++i) {
      const Index channel = group * outputs(p_) + i;
      s.weights = weights_of(group, i);
      s.bias = e.bias == nullptr ? S{0} : static_cast<const S*>(e.bias)[channel];
      s.to = sums_ + (channel - groups_.begin * outputs(p_)) * staged_width(p_, t_);
      s.to_step = staged_width(p_, t_) * t_.groups * outputs(p_);
      Index width = staged_width(p_, t_);
      if constexpr (std::is_same_v<T, S>) {
        if (direct()) {
          s.to = static_cast<S*>(tensors_.output) + n_ * out_.n + channel * out_.c +
                 rows.begin * out_.y + x_.begin;
          s.to_step = out_.y;
          width = x_.size();
        }
      }
      compute(s);
      if (e.activation == ActivationKind::None) continue;
      for (Index y = 0; y < rows.size(); ++y) activate_run(s.to + y * s.to_step, width, e);
    }
  }

  void compute(StencilRows<S> s) const {
    s.columns = columns_.columns();
    s.column_count = columns_.total();
    s.count = x_.size();
    if (columns_.residues() == 2) return stencil_rows<S, 2>(s);
    if (columns_.residues() == 4) return stencil_rows<S, 4>(s);
    const Index phases = columns_.phases(), width = ceil_div(t_.width, phases);
    for (Index j = 0; j < phases; ++j) {
      s.columns = columns_.columns() + columns_.first(j);
      s.column_count = columns_.count(j);
      s.count = ceil_div(max_of(0, x_.size() - j), phases);
      stencil_rows<S, 1>(s);
      s.weights += columns_.count(j);
      s.to += width;
    }
  }

  void store_row(Index y, Index place) {
    const Index phases = columns_.phases(), width = ceil_div(t_.width, phases);
    const Index channels = groups_.size() * outputs(p_), pitch = staged_width(p_, t_);
    const S* sums = sums_ + place * pitch * t_.groups * outputs(p_);
    T* out = static_cast<T*>(tensors_.output) + n_ * out_.n + groups_.begin * outputs(p_) * out_.c +
             y * out_.y + x_.begin * out_.x;
    if (out_.c == 1) {
      for (Index j = 0; j < phases; ++j) {
        store_channels(sums + j * width, pitch, ceil_div(max_of(0, x_.size() - j), phases),
                       channels, out + j * out_.x, phases * out_.x);
      }
      return;
    }
    for (Index c = 0; c < channels; ++c) {
      Index done = 0;
      if (out_.x == 1) {  // residues are to a place what channels are to a pixel
        done = x_.size() / phases;
        store_channels(sums + c * pitch, width, done, phases, out + c * out_.c, phases);
      }
      for (Index j = 0; j < phases; ++j) {
        const S* from = sums + c * pitch + j * width;
        T* to = out + c * out_.c + j * out_.x;
        const Index count = ceil_div(max_of(0, x_.size() - j), phases);
        for (Index q = done; q < count; ++q) to[q * phases * out_.x] = round_to<T>(from[q]);
      }
    }
  }

  const Request& r_;
  const Problem& p_;
  const PlanarTile& t_;
  const Tensors& tensors_;
  const DataStrides &in_, &out_;
  Arena arena_;
  Columns columns_;
  S *staged_, *weights_, *sums_;
  RowTap* taps_;
  Index* first_tap_;
  Index row_weights_;
  Index block_ = -1, band_ = -1, n_ = 0;
  bool finite_ = false;
  Span groups_{}, y_{}, x_{}, input_y_{};
};

}  // namespace
}  // namespace convtranspose
