// SPDX-License-Identifier: MIT
// Forward and data gradient with pixels in the vectors' lanes. A unit of work is a tile of the
// outputs of one group (or of a few neighbouring groups, where channels are the fastest axis): its
// inputs are staged, then every output row is the sum of a few shifted rows.
//
// Staged rows have zeros where the tensor ends, so a unit is computed this way only if all its
// weights are finite: then those zeros add nothing. Other units go the careful way.
#pragma once

#include "depthwise_block.hpp"
#include "depthwise_careful.hpp"
#include "depthwise_transpose.hpp"

namespace convtranspose {
namespace {

/// Numbers of Schedule::tile.
struct PlanarTile {
  Index lanes_are_channels;  // 0 here; decides between the two kinds of schedule
  Index groups, group_blocks;
  Index height, bands;  // output rows of a unit
  Index width, tiles;   // output columns of a unit, a multiple of the stride
  Index rows;           // most staged rows of a channel
  Index run, pitch;     // numbers of a staged run, of a staged row
  Index units, per_job;
  Index around;         // stores go around the caches
};

template <class T, bool kForward>
class Planar {
  using S = Sum<T>;
  using V = Vec<S>;

 public:
  static Index inputs(const Problem& p) { return kForward ? p.source_channels : p.result_channels; }
  static Index outputs(const Problem& p) {
    return kForward ? p.result_channels : p.source_channels;
  }
  static Index output_extent(const Axis& a) { return kForward ? a.result : a.source; }
  static Index input_extent(const Axis& a) { return kForward ? a.source : a.result; }

  static void prepare(const Request& r, Schedule& s) noexcept {
    const Problem& p = r.problem;
    PlanarTile& t = tile(s);
    t.lanes_are_channels = 0;
    const DataStrides& out = kForward ? r.result : r.source;
    const DataStrides& in = kForward ? r.source : r.result;
    const bool together = in.c == 1 || out.c == 1;
    t.groups = together ? min_of(p.groups, ceil_div(kLineChannels, outputs(p))) : 1;
    t.group_blocks = ceil_div(p.groups, t.groups);
    const Index planes = t.groups * inputs(p);
    const Index stride_x = kForward ? min_of(p.x.stride, p.x.result) : 1;
    const Index places = ceil_div(output_extent(p.x), stride_x);
    const Index slots = Columns::slots(p.x, kForward);
    const Index span = Columns::most_span(p.x);
    // Rows short enough that a few of every channel fit the budget.
    const Index budget = r.caches.l1 / static_cast<Index>(sizeof(S));
    const Index some = max_of(16 * V::kSize, budget / (planes * slots * 4));
    t.width = min_of(places, round_up(some, 8 * V::kSize));
    t.tiles = ceil_div(places, t.width);
    t.width = min_of(places, round_up(ceil_div(places, t.tiles), V::kSize));
    t.tiles = ceil_div(places, t.width);
    t.run = round_up(t.width, V::kSize) + round_up(span, V::kSize);
    t.pitch = t.run * slots;
    t.width *= stride_x;
    const Index fit = max_of(1, budget / (t.pitch * planes));
    t.height = min_of(output_extent(p.y), outputs_of_rows(p.y, fit));
    t.height = clamp_to(kRowTaps / (inputs(p) * p.y.kernel), 1, t.height);
    t.bands = ceil_div(output_extent(p.y), t.height);
    t.height = ceil_div(output_extent(p.y), t.bands);
    t.bands = ceil_div(output_extent(p.y), t.height);
    t.rows = min_of(input_extent(p.y), rows_of_outputs(p.y, t.height));
    t.units = t.group_blocks * p.batch * t.bands * t.tiles;
    const Index sums = t.groups * outputs(p) * t.height * t.width * inputs(p) *
                       ceil_div(p.y.kernel, kForward ? p.y.stride : 1) *
                       ceil_div(p.x.kernel, kForward ? p.x.stride : 1);
    t.per_job = clamp_to(kJobTerms / max_of(sums, 1), 1, ceil_div(t.units, kJobs));
    s.jobs = ceil_div(t.units, t.per_job);
    const Index bytes = static_cast<Index>(sizeof(T)) * p.batch * p.groups * outputs(p) *
                        output_extent(p.y) * output_extent(p.x);
    t.around = bytes > r.caches.l3 && std::is_same_v<T, S> && out.x == 1;
    s.workspace_bytes = Columns::arena_bytes_of(p.x, kForward) +
                        arena_bytes<S>(planes * t.rows * t.pitch) +
                        arena_bytes<S>(weights_size(p) * t.groups) +
                        arena_bytes<RowTap>(t.height * inputs(p) * p.y.kernel) +
                        arena_bytes<Index>(t.height + 1) +
                        arena_bytes<S>(t.groups * outputs(p) * staged_width(p, t) * kStagedRows);
  }

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, Index job,
                  void* workspace) noexcept {
    const PlanarTile& t = tile(s);
    Planar work(r, t, tensors, workspace);
    const Span units = piece(job, t.per_job, t.units);
    for (Index unit = units.begin; unit < units.end; ++unit) work.go(unit);
    if (t.around) stream_fence();
  }

 private:
  static constexpr Index kLineChannels = 16, kJobTerms = 1 << 20, kJobs = 16;
  static constexpr Index kRowTaps = 1 << 15, kStagedRows = 4;

  static PlanarTile& tile(Schedule& s) {
    static_assert(sizeof(PlanarTile) <= sizeof s.tile);
    return *reinterpret_cast<PlanarTile*>(s.tile);
  }
  static const PlanarTile& tile(const Schedule& s) {
    return *reinterpret_cast<const PlanarTile*>(s.tile);
  }
  static Index reach(const Axis& a) { return (a.kernel - 1) * a.dilation; }
  /// Input rows that `height` output rows may meet.
  static Index rows_of_outputs(const Axis& a, Index height) {
    return kForward ? (height - 1 + reach(a)) / a.stride + 1
                    : (height - 1) * a.stride + reach(a) + 1;
  }
  /// As many output rows as meet no more than `rows` input rows; at least one stride's.
  static Index outputs_of_rows(const Axis& a, Index rows) {
    return kForward ? max_of(min_of(a.stride, a.result), (rows - 1) * a.stride - reach(a) + 1)
                    : max_of(1, (rows - 1 - reach(a)) / a.stride + 1);
  }
  static Index weights_size(const Problem& p) {
    return outputs(p) * inputs(p) * p.y.kernel * p.x.kernel * Columns::together(p.x, kForward);
  }
  /// Numbers of one staged row of outputs, its residues apart if they are computed apart.
  static Index staged_width(const Problem& p, const PlanarTile& t) {
    return Columns::phases(p.x, kForward) * ceil_div(t.width, Columns::phases(p.x, kForward));
  }

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
  }

  void go(Index unit) {
    tile_ = unit % t_.tiles;
    const Index band = unit / t_.tiles % t_.bands;
    n_ = unit / t_.tiles / t_.bands % p_.batch;
    const Index block = unit / t_.tiles / t_.bands / p_.batch;
    y_ = piece(band, t_.height, output_extent(p_.y));
    x_ = piece(tile_, t_.width, output_extent(p_.x));
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
    return weights_ + ((group - groups_.begin) * outputs(p_) + output) * inputs(p_) *
                          p_.y.kernel * row_weights_;
  }

  /// The output row's values can go straight to the result.
  bool direct() const {
    return std::is_same_v<T, S> && out_.x == 1 && columns_.phases() == 1;
  }

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
    const Index count = round_up(places, V::kSize) + columns_.span();
    const T* base = static_cast<const T*>(kForward ? tensors_.source : tensors_.result) +
                    n_ * in_.n + groups_.begin * inputs(p_) * in_.c;
    const Index planes = groups_.size() * inputs(p_), stride = kForward ? 1 : p_.x.stride;
    for (Index y = input_y_.begin; in_.c == 1 && y < input_y_.end; ++y) {
      const ChannelsRow<T> row{base + y * in_.y, in_.x, input_extent(p_.x), planes};
      for (Index i = 0; i < columns_.slots(); ++i) {
        stage_channels(row, begin, stride, kForward ? 0 : columns_.slot_residue(i), count,
                       staged_row(0, y) + i * t_.run, t_.rows * t_.pitch);
      }
    }
    if (in_.c == 1) return;
    for (Index plane = 0; plane < planes; ++plane) {
      for (Index y = input_y_.begin; y < input_y_.end; ++y) {
        const TensorRow<T> row{base + plane * in_.c + y * in_.y, in_.x, input_extent(p_.x)};
        S* to = staged_row(plane, y);
        if (kForward) {
          stage_run(row, begin, 1, 0, count, to);
        } else if (columns_.all_residues()) {
          stage_residues(row, begin, stride, count, to, t_.run);
        } else {
          for (Index i = 0; i < columns_.slots(); ++i) {
            stage_run(row, begin, stride, columns_.slot_residue(i), count, to + i * t_.run);
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
    input_y_ = kForward ? sources_of(a, y_.begin, y_.end)
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
    T* out = static_cast<T*>(tensors_.output) + n_ * out_.n +
             groups_.begin * outputs(p_) * out_.c + y * out_.y + x_.begin * out_.x;
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
  Index block_ = -1, band_ = -1, n_ = 0, tile_ = 0;
  bool finite_ = false;
  Span groups_{}, y_{}, x_{}, input_y_{};
};

}  // namespace
}  // namespace convtranspose
