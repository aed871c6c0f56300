// SPDX-License-Identifier: MIT
// Direct convolution as an implicit GEMM, forward and data gradient alike. A job computes a box of
// outputs for some blocks of output channels: it packs the inputs the box needs once (channels
// last, in L2), then for every phase and channel block sums up runs of inputs in register tiles.
// Sums are blocked: at most kSumLength products are added in a register before they join the sum in
// memory, which keeps float32 errors below those of one long sum.
#pragma once

#include "direct_pack.hpp"
#include "direct_schedule.hpp"
#include "direct_store.hpp"
#include "direct_tile.hpp"

namespace convtranspose {
namespace {

template <class T>
class Direct {
  using S = Sum<T>;
  using V = Vec<S>;
  using Weights = DirectWeights<T>;

 public:
  static const char* refusal(const Request& r) noexcept {
    if (r.problem.batch == 0) return "a result of no elements";
    const DirectShape shape(r);
    // A box's inputs grow with the square of the stride; where most are never read, GEMM is better.
    if (!shape.forward &&
        saturated(shape.y.input_step, shape.x.input_step) / 16 > shape.y.kernel * shape.x.kernel) {
      return "a data gradient whose stride skips most of the result";
    }
    if (direct_schedule<T>(r).region > kMostRegionBytes / static_cast<Index>(sizeof(S))) {
      return "a dilation or stride too wide for its tiles";
    }
    return nullptr;
  }

  static void prepare(const Request& r, Schedule& s) noexcept {
    const DirectShape shape(r);
    const DirectSchedule d = direct_schedule<T>(r);
    const Weights weights(shape);
    schedule_of(s) = d;
    s.chunks = ceil_div(weights.panels(), d.per_chunk);
    s.packed_bytes = d.per_chunk * weights.panel_bytes();
    s.pack_tasks = d.per_chunk;
    s.jobs = d.n_boxes * d.y_boxes * d.x_boxes * d.splits;
    s.workspace_bytes =
        arena_bytes<S>(d.region) + arena_bytes<S>(d.stored_phases * d.pixels * 3 * V::kSize) +
        arena_bytes<const S*>(d.pixels + kMostTilePixels) + arena_bytes<S*>(d.pixels) +
        arena_bytes<Index>(shape.y.kernel * shape.x.kernel);
  }

  static void pack(const Request& r, const Schedule& s, const void* weights, void* packed,
                   Index chunk, Index task) noexcept {
    const Weights w{DirectShape(r)};
    const Index panel = chunk * schedule_of(s).per_chunk + task;
    if (panel >= w.panels()) return;
    w.pack(r, static_cast<const T*>(weights), panel,
           static_cast<char*>(packed) + task * w.panel_bytes());
  }

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, const void* packed,
                  void*, Index chunk, Index job, void* workspace) noexcept {
    Direct work(r, schedule_of(s), tensors, workspace);
    work.go(static_cast<const char*>(packed), chunk, job);
  }

 private:
  static constexpr Index kSumLength = 256;
  static constexpr Index kMostRegionBytes = Index{16} << 20;

  static DirectSchedule& schedule_of(Schedule& s) {
    static_assert(sizeof(DirectSchedule) <= sizeof s.tile);
    return *reinterpret_cast<DirectSchedule*>(s.tile);
  }
  static const DirectSchedule& schedule_of(const Schedule& s) {
    return *reinterpret_cast<const DirectSchedule*>(s.tile);
  }

  Direct(const Request& r, const DirectSchedule& d, const Tensors& tensors, void* workspace)
      : r_(r),
        d_(d),
        tensors_(tensors),
        shape_(r),
        weights_(shape_),
        pitch_(shape_.template pitch<S>()),
        direct_store_(stores_directly(r, tensors)) {
    Arena arena(workspace);
    region_ = arena.take<S>(d.region);
    sums_ = arena.take<S>(d.stored_phases * d.pixels * 3 * V::kSize);
    pixels_ = arena.take<const S*>(d.pixels + kMostTilePixels);
    outputs_ = arena.take<S*>(d.pixels);
    offsets_ = arena.take<Index>(shape_.y.kernel * shape_.x.kernel);
  }

  void go(const char* packed, Index chunk, Index job) {
    const Index split = job % d_.splits;
    job /= d_.splits;
    box_x_ = piece(job % d_.x_boxes, d_.columns, shape_.x.outputs);
    job /= d_.x_boxes;
    box_y_ = piece(job % d_.y_boxes, d_.rows, shape_.y.outputs);
    images_ = piece(job / d_.y_boxes, d_.images, r_.problem.batch);
    reach_y_ = shape_.y.reach(box_y_.begin, box_y_.end);
    reach_x_ = shape_.x.reach(box_x_.begin, box_x_.end);
    const Index first = chunk * d_.per_chunk + split * d_.per_split;
    const Index end =
        min_of(min_of(first + d_.per_split, (chunk + 1) * d_.per_chunk), weights_.panels());
    Index group = -1;
    for (Index panel = first; panel < end; ++panel) {
      const char* memory = packed + (panel - chunk * d_.per_chunk) * weights_.panel_bytes();
      if (panel / weights_.blocks.count != group) {
        group = panel / weights_.blocks.count;
        pack_inputs(group);
      }
      compute(group, panel % weights_.blocks.count, memory);
    }
  }

  void pack_inputs(Index group) {
    const DataStrides& strides = shape_.forward ? r_.source : r_.result;
    const T* from = static_cast<const T*>(shape_.forward ? tensors_.source : tensors_.result) +
                    group * shape_.inputs * strides.c;
    const Index plane = reach_y_.size() * reach_x_.size() * pitch_;
    for (Index n = images_.begin; n < images_.end; ++n) {
      pack_region(from + n * strides.n, strides, reach_y_, shape_.y.inputs, reach_x_,
                  shape_.x.inputs, shape_.inputs, pitch_, region_ + (n - images_.begin) * plane);
    }
  }

  /// All outputs of the box for one block of channels.
  void compute(Index group, Index block, const char* memory) {
    const Index phases_y = min_of(shape_.y.output_step, box_y_.size());
    const Index phases_x = min_of(shape_.x.output_step, box_x_.size());
    for (Index j = 0; j < phases_y; ++j) {
      for (Index i = 0; i < phases_x; ++i) {
        const bool at_once = direct_store_ || d_.stored_phases == 1;
        S* sums = sums_ + (at_once ? 0 : i) * d_.pixels * 3 * V::kSize;
        const bool stored =
            sum_phase(box_y_.begin + j, box_x_.begin + i, group, block, memory, sums);
        if (at_once && !stored) store(group, block, j, i, 1);
      }
      if (!direct_store_ && d_.stored_phases != 1) store(group, block, j, 0, phases_x);
    }
  }

  /// Pixels of a phase that starts at this output of the box.
  static Index count(const Span& box, Index first, Index step) {
    return ceil_div(box.end - first, step);
  }

  /// Whether tiles may write the result themselves: whole vectors of channels side by side, of the
  /// sums' type, with nothing but a bias to do.
  static bool stores_directly(const Request& r, const Tensors& tensors) {
    const DataStrides& strides = r.operation == Operation::Forward ? r.result : r.source;
    return std::is_same_v<T, S> && strides.c == 1 &&
           tensors.epilogue.activation == ActivationKind::None;
  }

  /// The outputs first_y, first_y + step, ... x first_x, first_x + step, ... of the box. Returns
  /// whether they are in the result already.
  bool sum_phase(Index first_y, Index first_x, Index group, Index block, const char* memory,
                 S* sums) {
    const DirectAxis &y = shape_.y, &x = shape_.x;
    const Index vectors = weights_.blocks.size(block), width = vectors * V::kSize;
    const Index rows = count(box_y_, first_y, y.output_step);
    const Index columns = count(box_x_, first_x, x.output_step);
    const Index pixels = images_.size() * rows * columns;
    const Index tap_y = y.first_tap(first_y), tap_x = x.first_tap(first_x);
    if (tap_y < 0 || tap_x < 0) {
      fill(sums, pixels * width, S{0});
      return false;
    }
    const S* weights = weights_.phase(memory, block, tap_y, tap_x);
    if (!weights_.finite(memory)) {
      sum_carefully(first_y, first_x, tap_y, tap_x, vectors, weights, sums);
      return false;
    }
    // A pixel's address is that of the input its first tap meets.
    const Index line = reach_x_.size() * pitch_;
    const Index start_y = y.input(first_y, y.tap(tap_y, 0)) - reach_y_.begin;
    const Index start_x = x.input(first_x, x.tap(tap_x, 0)) - reach_x_.begin;
    const S** pixel = pixels_;
    for (Index n = 0; n < images_.size(); ++n) {
      for (Index row = 0; row < rows; ++row) {
        const S* at = region_ + (n * reach_y_.size() + start_y + row * y.input_step) * line +
                      start_x * pitch_;
        for (Index column = 0; column < columns; ++column) {
          *pixel++ = at + column * x.input_step * pitch_;
        }
      }
    }
    for (Index i = 0; i < kMostTilePixels; ++i) pixel[i] = pixels_[0];
    const Index channel = group * shape_.outputs + ChannelBlocks::begin(block) * V::kSize;
    const bool direct =
        direct_store_ && ChannelBlocks::begin(block) * V::kSize + width <= shape_.outputs;
    if (direct) list_outputs(first_y, first_x, rows, columns, channel);
    // Runs: taps side by side in the packed inputs are one run.
    const Index taps_y = y.taps(tap_y), taps_x = x.taps(tap_x);
    const bool merged = x.tap_distance() == 1 && pitch_ == shape_.inputs;
    const Index length = merged ? taps_x * shape_.inputs : shape_.inputs;
    Index runs = 0;
    for (Index a = 0; a < taps_y; ++a) {
      for (Index b = 0; b < (merged ? 1 : taps_x); ++b) {
        offsets_[runs++] = a * y.tap_distance() * line + b * x.tap_distance() * pitch_;
      }
    }
    TileSum<S> t{pixels_, offsets_, 0, 0, weights, sums, false, nullptr, nullptr};
    const auto last = [&] {  // the block of sums that completes them
      if (!direct) return;
      t.outputs = outputs_;
      if (tensors_.epilogue.bias != nullptr) {
        t.bias = static_cast<const S*>(tensors_.epilogue.bias) + channel;
      }
    };
    if (length <= kSumLength) {
      const Index at_once = kSumLength / length;
      for (Index run = 0; run < runs; run += at_once) {
        t.offsets = offsets_ + run;
        t.runs = min_of(at_once, runs - run);
        t.length = length;
        if (run + at_once >= runs) last();
        sum_pixels(t, pixels, vectors);
        t.weights += t.runs * length * width;
        t.add = true;
      }
    } else {
      const Index part = ceil_div(length, ceil_div(length, kSumLength));
      for (Index run = 0; run < runs; ++run) {
        for (Index k = 0; k < length; k += part) {
          const Index offset = offsets_[run] + k;
          t.offsets = &offset;
          t.runs = 1;
          t.length = min_of(part, length - k);
          if (run + 1 == runs && k + part >= length) last();
          sum_pixels(t, pixels, vectors);
          t.weights += t.length * width;
          t.add = true;
        }
      }
    }
    return direct;
  }

  /// Addresses in the result of a phase's pixels.
  void list_outputs(Index first_y, Index first_x, Index rows, Index columns, Index channel) {
    if constexpr (std::is_same_v<T, S>) {
      const DataStrides& strides = shape_.forward ? r_.result : r_.source;
      S** to = outputs_;
      for (Index n = images_.begin; n < images_.end; ++n) {
        for (Index row = 0; row < rows; ++row) {
          S* at = static_cast<T*>(tensors_.output) + n * strides.n + channel +
                  (first_y + row * shape_.y.output_step) * strides.y + first_x * strides.x;
          for (Index column = 0; column < columns; ++column) {
            *to++ = at + column * shape_.x.output_step * strides.x;
          }
        }
      }
    }
  }

  /// With weights that are not finite a tap outside must not be multiplied with a zero: pixel by
  /// pixel, only the taps inside.
  void sum_carefully(Index first_y, Index first_x, Index tap_y, Index tap_x, Index vectors,
                     const S* weights, S* sums) {
    const DirectAxis &y = shape_.y, &x = shape_.x;
    const Index width = vectors * V::kSize, step = shape_.inputs * width;
    const Index taps_y = y.taps(tap_y), taps_x = x.taps(tap_x);
    const Index zero = 0;
    for (Index n = 0; n < images_.size(); ++n) {
      for (Index oy = first_y; oy < box_y_.end; oy += y.output_step) {
        for (Index ox = first_x; ox < box_x_.end; ox += x.output_step, sums += width) {
          fill(sums, width, S{0});
          for (Index tap = 0; tap < taps_y * taps_x; ++tap) {
            const Index iy = y.input(oy, y.tap(tap_y, tap / taps_x));
            const Index ix = x.input(ox, x.tap(tap_x, tap % taps_x));
            if (iy < 0 || iy >= y.inputs || ix < 0 || ix >= x.inputs) continue;
            const S* pixel =
                region_ + ((n * reach_y_.size() + iy - reach_y_.begin) * reach_x_.size() + ix -
                           reach_x_.begin) *
                              pitch_;
            const S* twice[2] = {pixel, pixel};
            kTiles<S>[vectors][1]({twice, &zero, 1, shape_.inputs, weights + tap * step, sums, true,
                                   nullptr, nullptr});
          }
        }
      }
    }
  }

  /// Phase row j of the box, x phases [i, i + phases).
  void store(Index group, Index block, Index j, Index i, Index phases) {
    const DataStrides& strides = shape_.forward ? r_.result : r_.source;
    const Index vectors = weights_.blocks.size(block), width = vectors * V::kSize;
    const Index first_channel = ChannelBlocks::begin(block) * V::kSize;
    const Index channels = min_of(width, shape_.outputs - first_channel);
    const Index rows = count(box_y_, box_y_.begin + j, shape_.y.output_step);
    Index pixels[4];
    for (Index phase = 0; phase < phases; ++phase) {
      pixels[phase] = count(box_x_, box_x_.begin + i + phase, shape_.x.output_step);
    }
    finish(group * shape_.outputs + first_channel, channels, width, rows, pixels, phases);
    T* out = static_cast<T*>(tensors_.output) +
             (group * shape_.outputs + first_channel) * strides.c + box_x_.begin * strides.x +
             i * strides.x;
    const Index step = phases == 1 ? shape_.x.output_step : 1;  // of the columns stored here
    for (Index n = 0; n < images_.size(); ++n) {
      for (Index row = 0; row < rows; ++row) {
        StoredRow<S> stored{};
        stored.phases = phases;
        stored.width = width;
        stored.channels = channels;
        for (Index phase = 0; phase < phases; ++phase) {
          stored.sums[phase] =
              sums_ + phase * d_.pixels * 3 * V::kSize + (n * rows + row) * pixels[phase] * width;
          stored.columns += pixels[phase];
        }
        const Index y = box_y_.begin + j + row * shape_.y.output_step;
        store_row(stored, out + (images_.begin + n) * strides.n + y * strides.y, strides.x * step,
                  strides.c);
      }
    }
  }

  void finish(Index channel, Index channels, Index width, Index rows, const Index* pixels,
              Index phases) {
    const Epilogue& e = tensors_.epilogue;
    if (e.bias == nullptr && e.activation == ActivationKind::None) return;
    S bias[3 * V::kSize] = {};
    if (e.bias != nullptr) {
      for (Index c = 0; c < channels; ++c) bias[c] = static_cast<const S*>(e.bias)[channel + c];
    }
    for (Index phase = 0; phase < phases; ++phase) {
      finish_sums(sums_ + phase * d_.pixels * 3 * V::kSize, images_.size() * rows * pixels[phase],
                  width, e.bias == nullptr ? nullptr : bias, e);
    }
  }

  const Request& r_;
  const DirectSchedule& d_;
  const Tensors& tensors_;
  const DirectShape shape_;
  const Weights weights_;
  Span box_x_{}, box_y_{}, images_{}, reach_y_{}, reach_x_{};
  S *region_, *sums_;
  const S** pixels_;
  S** outputs_;
  const Index pitch_;
  const bool direct_store_;
  Index* offsets_;
};

}  // namespace
}  // namespace convtranspose
