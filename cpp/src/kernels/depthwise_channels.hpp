// SPDX-License-Identifier: MIT
// Forward and data gradient with channels in the vectors' lanes: one channel a group, channels the
// fastest axis. No padding and no staging: a pixel near the border has a shorter list of taps.
//
// Outputs are x = q F + j (F the stride in the forward direction, 1 in the data gradient), and all
// of one phase j have the same taps, each at input q * step + shift.
#pragma once

#include "depthwise_channels_block.hpp"
#include "depthwise_stage.hpp"

namespace convtranspose {
namespace {

/// Numbers of Schedule::tile.
struct ChannelsTile {
  Index lanes_are_channels;  // 1
  Index height, bands;       // output rows of a job
  Index around;
};

/// A tap's place in the kernel and where its input lies.
struct Shift {
  Index tap, shift;
};

template <class T, bool kForward>
class ChannelStencil {
  using S = Sum<T>;
  using V = Vec<S>;

 public:
  static bool can(const Request& r) {
    const Problem& p = r.problem;
    if constexpr (!std::is_same_v<T, S>) return false;
    return p.source_channels == 1 && p.result_channels == 1 && p.groups >= V::kSize &&
           r.source.c == 1 && r.result.c == 1 && phases(p.x) * p.x.kernel <= kMaxShifts &&
           weights_bytes(p) <= kMaxWeights;
  }

  static void prepare(const Request& r, Schedule& s) noexcept {
    const Problem& p = r.problem;
    ChannelsTile& t = tile_of<ChannelsTile>(s);
    t.lanes_are_channels = 1;
    s.packed_bytes = weights_bytes(p);
    s.pack_tasks = ceil_div(p.groups, kPackChannels);
    const Index rows = extent(p.y);
    const Index row_terms =
        max_of(1, p.groups * p.x.source * p.x.kernel * p.y.kernel * p.y.source / max_of(1, rows));
    t.height = clamp_to(max_of(kJobTerms / row_terms, 1), 1, rows);
    t.bands = ceil_div(rows, t.height);
    t.height = ceil_div(rows, t.bands);
    t.bands = ceil_div(rows, t.height);
    s.jobs = p.batch * t.bands;
    const Index bytes = static_cast<Index>(sizeof(T)) * p.batch * p.groups * rows * extent(p.x);
    // A prototype was 2.5 times faster on Zen 4, where such results are written at the speed of
    // memory; no difference (within 4 %) on Zen 3.
    t.around = bytes > r.caches.l3;
    s.workspace_bytes = arena_bytes<Shift>(p.x.kernel) + arena_bytes<Index>(phases(p.x) + 1) +
                        2 * arena_bytes<ChannelTap<S>>(p.y.kernel * p.x.kernel);
  }

  static void pack(const Request& r, const void* weights, void* packed, Index task) noexcept {
    const Problem& p = r.problem;
    const Span channels = piece(task, kPackChannels, p.groups);
    for (Index ky = 0; ky < p.y.kernel; ++ky) {
      for (Index kx = 0; kx < p.x.kernel; ++kx) {
        const T* from = static_cast<const T*>(weights) + ky * r.weights.y + kx * r.weights.x;
        S* to = static_cast<S*>(packed) + (ky * p.x.kernel + kx) * p.groups;
        for (Index c = channels.begin; c < channels.end; ++c) to[c] = widen(from[c * r.weights.o]);
      }
    }
  }

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, const void* packed,
                  Index job, void* workspace) noexcept {
    if constexpr (std::is_same_v<T, S>) {
      const ChannelsTile& t = tile_of<ChannelsTile>(s);
      ChannelStencil work(r, t, tensors, static_cast<const S*>(packed), job / t.bands, workspace);
      const Span rows = piece(job % t.bands, t.height, extent(r.problem.y));
      for (Index y = rows.begin; y < rows.end; ++y) work.output_row(y);
      if (t.around) stream_fence();
    }
  }

 private:
  static constexpr Index kPackChannels = 64, kJobTerms = 1 << 20, kMaxShifts = 4096;
  static constexpr Index kMaxWeights = Index{4} << 20, kTerms = 256;

  static Index phases(const Axis& a) { return kForward ? min_of(a.stride, a.result) : 1; }
  static Index extent(const Axis& a) { return kForward ? a.result : a.source; }
  static Index inputs(const Axis& a) { return kForward ? a.source : a.result; }
  static Index weights_bytes(const Problem& p) {
    return arena_bytes<S>(p.groups * p.y.kernel * p.x.kernel);
  }

  ChannelStencil(const Request& r, const ChannelsTile& t, const Tensors& tensors, const S* weights,
                 Index n, void* workspace)
      : p_(r.problem),
        tensors_(tensors),
        in_(kForward ? r.source : r.result),
        out_(kForward ? r.result : r.source),
        weights_(weights),
        phases_(phases(r.problem.x)),
        input_step_(kForward ? 1 : r.problem.x.stride) {
    Arena arena(workspace);
    shifts_ = arena.take<Shift>(p_.x.kernel);
    first_ = arena.take<Index>(phases_ + 1);
    taps_ = arena.take<ChannelTap<S>>(p_.y.kernel * p_.x.kernel);
    few_ = arena.take<ChannelTap<S>>(p_.y.kernel * p_.x.kernel);
    input_ = static_cast<const S*>(kForward ? tensors.source : tensors.result) + n * in_.n;
    output_ = static_cast<S*>(tensors.output) + n * out_.n;
    constexpr auto line = static_cast<Index>(2 * sizeof(typename V::Type));
    around_ = t.around && tensors.epilogue.activation == ActivationKind::None &&
              p_.groups * static_cast<Index>(sizeof(S)) % line == 0 &&
              reinterpret_cast<std::uintptr_t>(output_) % static_cast<std::uintptr_t>(line) == 0 &&
              out_.x * static_cast<Index>(sizeof(S)) % line == 0 &&
              out_.y * static_cast<Index>(sizeof(S)) % line == 0;
    list_shifts();
  }

  /// The taps of every phase; and the places q whose taps are all inside the input.
  void list_shifts() {
    const Axis& a = p_.x;
    Index count = 0, low = 0, high = 0;
    for (Index j = 0; j < phases_; ++j) {
      first_[j] = count;
      for (Index k = 0; k < a.kernel; ++k) {
        const Index at = k * a.dilation - a.pad;
        if (kForward && modulo(at, a.stride) != j) continue;
        const Index shift = kForward ? -floor_div(at, a.stride) : at;
        shifts_[count++] = {k, shift};
        low = min_of(low, shift);
        high = max_of(high, shift);
      }
    }
    first_[phases_] = count;
    const Index places = ceil_div(extent(a), phases_);
    inside_.begin = min_of(ceil_div(-low, input_step_), places);
    inside_.end = clamp_to(floor_div(inputs(a) - 1 - high, input_step_) + 1, inside_.begin, places);
    // The last place may lack some phases.
    if (extent(a) % phases_ != 0) {
      inside_.end = max_of(inside_.begin, min_of(inside_.end, places - 1));
    }
  }

  /// The input row that meets output row y through ky, or -1.
  Index input_row(Index y, Index ky) const {
    const Axis& a = p_.y;
    Index row = y * a.stride + ky * a.dilation - a.pad;
    if (kForward) {
      const Index at = y + a.pad - ky * a.dilation;
      if (at < 0 || at % a.stride != 0) return -1;
      row = at / a.stride;
    }
    return row < inputs(a) ? max_of(row, -1) : -1;
  }

  void output_row(Index y) {
    Index rows = 0;
    for (Index ky = 0; ky < p_.y.kernel; ++ky) {
      const Index row = input_row(y, ky);
      if (row < 0) continue;
      const S* data = input_ + row * in_.y;
      const S* weights = weights_ + ky * p_.x.kernel * p_.groups;
      few_[rows++] = {data, weights};
    }
    Index count = 0;
    for (Index j = 0; j < phases_; ++j) {
      for (Index i = 0; i < rows; ++i) {
        for (Index k = first_[j]; k < first_[j + 1]; ++k) {
          taps_[count++] = {few_[i].data + shifts_[k].shift * in_.x,
                            few_[i].weights + shifts_[k].tap * p_.groups};
        }
      }
    }
    rows_ = rows;
    S* out = output_ + y * out_.y;
    for (Index q = 0; q < inside_.begin; ++q) border(q, out);
    constexpr Index wide = 6, narrow = 2;
    Index q = inside_.begin;
    for (; q + wide <= inside_.end; q += wide) pixels<wide>(q, out);
    for (; q + narrow <= inside_.end; q += narrow) pixels<narrow>(q, out);
    for (; q < ceil_div(extent(p_.x), phases_); ++q) border(q, out);
  }

  template <int P>
  void pixels(Index q, S* out) {
    for (Index j = 0; j < phases_; ++j) {
      const Index count = rows_ * (first_[j + 1] - first_[j]);
      place<P>(taps_ + rows_ * first_[j], count, q, out + (q * phases_ + j) * out_.x);
    }
  }

  /// One place near the border: only the taps whose inputs exist.
  void border(Index q, S* out) {
    for (Index j = 0; j < phases_ && q * phases_ + j < extent(p_.x); ++j) {
      const Index n = first_[j + 1] - first_[j];
      Index count = 0;
      for (Index i = 0; i < n; ++i) {
        const Index at = q * input_step_ + shifts_[first_[j] + i].shift;
        if (at < 0 || at >= inputs(p_.x)) continue;
        for (Index row = 0; row < rows_; ++row) {
          few_[count++] = taps_[rows_ * first_[j] + row * n + i];
        }
      }
      place<1>(few_, count, q, out + (q * phases_ + j) * out_.x);
    }
  }

  /// P outputs of one phase, all channels; sums in parts of at most kTerms terms.
  template <int P>
  void place(const ChannelTap<S>* taps, Index count, Index q, S* out) {
    const Index in = q * input_step_ * in_.x, in_step = input_step_ * in_.x;
    const Index out_step = phases_ * out_.x;
    ChannelSums<S> sums{taps, min_of(count, kTerms), static_cast<const S*>(tensors_.epilogue.bias),
                        false, around_ && count <= kTerms};
    channel_blocks<S, P>(sums, p_.groups, in, in_step, out, out_step);
    for (Index first = kTerms; first < count; first += kTerms) {
      channel_blocks<S, P>({taps + first, min_of(count - first, kTerms), nullptr, true, false},
                           p_.groups, in, in_step, out, out_step);
    }
    if (tensors_.epilogue.activation == ActivationKind::None) return;
    for (int i = 0; i < P; ++i) activate_run(out + i * out_step, p_.groups, tensors_.epilogue);
  }

  const Problem& p_;
  const Tensors& tensors_;
  const DataStrides &in_, &out_;
  const S* weights_;
  const S* input_;
  S* output_;
  Index phases_, input_step_, rows_ = 0;
  Shift* shifts_;
  Index* first_;
  ChannelTap<S>*taps_, *few_;
  Span inside_{};
  bool around_;
};

}  // namespace
}  // namespace convtranspose
