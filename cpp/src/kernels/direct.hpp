// SPDX-License-Identifier: MIT
// Direct convolution as an implicit GEMM, forward and data gradient alike. A job computes a box of
// outputs for some blocks of output channels: it packs the inputs the box needs once (channels
// last, in L2) unless they can be read where they are, then for every phase and channel block sums
// up runs of inputs in register tiles.
#pragma once

#include "direct_box.hpp"
#include "direct_careful.hpp"
#include "direct_pack.hpp"
#include "direct_schedule.hpp"
#include "direct_store.hpp"
#include "direct_sums.hpp"
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
    tile_of<DirectSchedule>(s) = d;
    s.chunks = ceil_div(weights.panels(), d.per_chunk);
    s.packed_bytes = d.per_chunk * weights.panel_bytes();
    s.pack_tasks = d.per_chunk;
    s.jobs = d.n_boxes * d.y_boxes * d.x_boxes * d.splits;
    const Index pixels = d.phases * d.pixels;
    s.workspace_bytes = arena_bytes<S>(d.region) + arena_bytes<S>(pixels * d.widest) +
                        2 * arena_bytes<const S*>(pixels) + arena_bytes<Index>(pixels) +
                        arena_bytes<Index>(shape.y.kernel * shape.x.kernel);
  }

  static void pack(const Request& r, const Schedule& s, const void* weights, void* packed,
                   Index chunk, Index task) noexcept {
    const Weights w{DirectShape(r)};
    const Index panel = chunk * tile_of<DirectSchedule>(s).per_chunk + task;
    if (panel >= w.panels()) return;
    w.pack(r, static_cast<const T*>(weights), panel,
           static_cast<char*>(packed) + task * w.panel_bytes());
  }

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, const void* packed,
                  void*, Index chunk, Index job, void* workspace) noexcept {
    Direct work(r, tile_of<DirectSchedule>(s), tensors, job / tile_of<DirectSchedule>(s).splits,
                workspace);
    work.go(static_cast<const char*>(packed), chunk, job % tile_of<DirectSchedule>(s).splits);
  }

 private:
  static constexpr Index kMostRegionBytes = Index{16} << 20;

  Direct(const Request& r, const DirectSchedule& d, const Tensors& tensors, Index box,
         void* workspace)
      : r_(r),
        d_(d),
        tensors_(tensors),
        shape_(r),
        weights_(shape_),
        strides_(shape_.forward ? r.result : r.source),
        box_(DirectBox::make(shape_, d, r.problem.batch, box)),
        tiles_store_(std::is_same_v<T, S> && strides_.c == 1 &&
                     tensors.epilogue.activation == ActivationKind::None) {
    Arena arena(workspace);
    const Index pixels = d.phases * d.pixels;
    region_ = arena.take<S>(d.region);
    sums_ = arena.take<S>(pixels * d.widest);
    pixels_ = arena.take<const S*>(pixels);
    row_ = arena.take<const S*>(pixels);
    outputs_ = arena.take<Index>(pixels);
    offsets_ = arena.take<Index>(shape_.y.kernel * shape_.x.kernel);
  }

  void go(const char* packed, Index chunk, Index split) {
    const Index begin = chunk * d_.per_chunk + split * d_.per_split;
    const Index end =
        min_of(min_of(begin + d_.per_split, (chunk + 1) * d_.per_chunk), weights_.panels());
    const Index blocks = weights_.blocks.count;
    for (Index panel = begin; panel < end;) {
      const Index group = panel / blocks, stop = min_of(end, (group + 1) * blocks);
      find_inputs(group);
      compute(group, {panel % blocks, stop - group * blocks},
              packed + (panel - chunk * d_.per_chunk) * weights_.panel_bytes());
      panel = stop;
    }
  }

  void find_inputs(Index group) {
    const DataStrides& strides = shape_.forward ? r_.source : r_.result;
    const T* from = static_cast<const T*>(shape_.forward ? tensors_.source : tensors_.result) +
                    group * shape_.inputs * strides.c + box_.images.begin * strides.n;
    if constexpr (std::is_same_v<T, S>) {
      // Pixels a multiple of a page apart would share one set of the first-level cache.
      const bool spread = strides.x * static_cast<Index>(sizeof(S)) % 4096 != 0;
      if (strides.c == 1 && spread && box_.inside(shape_)) {
        inputs_ = {from + box_.reach_y.begin * strides.y + box_.reach_x.begin * strides.x,
                   strides.x, strides.y, strides.n};
        return;
      }
    }
    const Index pitch = shape_.template pitch<S>();
    const Index line = box_.reach_x.size() * pitch, image = box_.reach_y.size() * line;
    for (Index n = 0; n < box_.images.size(); ++n) {
      pack_region(from + n * strides.n, strides, box_.reach_y, shape_.y.inputs, box_.reach_x,
                  shape_.x.inputs, shape_.inputs, pitch, region_ + n * image);
    }
    inputs_ = {region_, pitch, line, image};
  }

  /// All outputs of the box for some blocks of a group's channels; `memory` is the first's panel.
  void compute(Index group, const Span& blocks, const char* memory) {
    const Index phases_y = min_of(shape_.y.output_step, box_.y.size());
    const Index phases_x = min_of(shape_.x.output_step, box_.x.size());
    for (Index j = 0; j < phases_y; ++j) {
      for (Index i = 0; i < phases_x; i += d_.phases) {
        const Index count = min_of(d_.phases, phases_x - i);
        some_empty_ = false;
        for (Index k = 0; k < count; ++k) {
          phases_[k] = DirectPhase::make(shape_, box_, j, i + k);
          some_empty_ |= phases_[k].empty();
          if (phases_[k].empty()) continue;
          list_inputs(shape_, box_, phases_[k], inputs_, pixels_ + k * d_.pixels);
          if (tiles_store_) {
            list_outputs(shape_, box_, phases_[k], strides_, outputs_ + k * d_.pixels);
          }
        }
        for (Index block = blocks.begin; block < blocks.end; ++block) {
          const char* panel = memory + (block - blocks.begin) * weights_.panel_bytes();
          bool stored = true;
          for (Index k = 0; k < count; ++k) {
            const char* next = panel;
            if (k + 1 == count && block + 1 < blocks.end) next += weights_.panel_bytes();
            stored &= sum_phase(k, group, block, panel, next, k + 1 < count ? k + 1 : 0);
          }
          if (!stored) store(group, block, count);
        }
      }
    }
  }

  /// The channels of a block, within its group.
  Span channels(Index block) const {
    const Index begin = ChannelBlocks::begin(block) * V::kSize;
    return {begin, min_of(begin + weights_.blocks.size(block) * V::kSize, shape_.outputs)};
  }

  const S* weights_of(const DirectPhase& p, const char* panel, Index block) const {
    return weights_.phase(panel, block, max_of(p.tap_y, 0), max_of(p.tap_x, 0));
  }

  /// Whether tiles write this block's channels themselves: whole vectors of channels side by side,
  /// of the sums' type, with nothing but a bias to do, and no phase without any tap.
  bool stores_itself(Index block, const char* panel) const {
    return tiles_store_ && !some_empty_ && weights_.finite(panel) &&
           channels(block).size() == weights_.blocks.size(block) * V::kSize;
  }

  /// Sums of one phase and block. Returns whether they are in the result already. `next` tells
  /// which weights come next.
  bool sum_phase(Index number, Index group, Index block, const char* panel, const char* next,
                 Index next_number) {
    const DirectPhase& p = phases_[number];
    const Index vectors = weights_.blocks.size(block), width = vectors * V::kSize;
    S* sums = sums_ + number * d_.pixels * d_.widest;
    if (p.empty()) {
      fill(sums, p.pixels * width, S{0});
      return false;
    }
    const S* weights = weights_of(p, panel, block);
    if (!weights_.finite(panel)) {
      sum_carefully(shape_, box_, p, inputs_, vectors, weights, sums);
      return false;
    }
    const bool direct = stores_itself(block, panel);
    const Index channel = group * shape_.outputs + channels(block).begin;
    // Runs: taps side by side in the inputs are one run.
    const DirectAxis &y = shape_.y, &x = shape_.x;
    const Index taps_y = y.taps(p.tap_y), taps_x = x.taps(p.tap_x);
    const bool merged = x.tap_distance() * inputs_.pixel == shape_.inputs;
    const Index length = merged ? taps_x * shape_.inputs : shape_.inputs;
    Index runs = 0;
    for (Index a = 0; a < taps_y; ++a) {
      for (Index b = 0; b < (merged ? 1 : taps_x); ++b) {
        offsets_[runs++] =
            a * y.tap_distance() * inputs_.line + b * x.tap_distance() * inputs_.pixel;
      }
    }
    TileSum<S> t{};
    t.pixels = pixels_ + number * d_.pixels;
    t.weights = weights;
    t.sums = sums;
    const DirectSums cut = DirectSums::make(shape_, runs, length);
    t.chain = cut.chain;
    for (Index run = 0; run < runs; run += cut.at_once) {
      t.runs = min_of(cut.at_once, runs - run);
      for (Index k = 0; k < length; k += cut.part) {
        const Index offset = offsets_[run] + k;
        t.offsets = k == 0 ? offsets_ + run : &offset;
        t.length = min_of(cut.part, length - k);
        const Index used = t.runs * t.length * width;
        t.next = t.weights + used;
        if (run + cut.at_once >= runs && k + cut.part >= length) {  // completes the sums
          t.next = weights_of(phases_[next_number], next, block + (next != panel));
          if (direct) {
            t.outputs = outputs_ + number * d_.pixels;
            t.output = static_cast<S*>(tensors_.output) + channel;
            if (tensors_.epilogue.bias != nullptr) {
              t.bias = static_cast<const S*>(tensors_.epilogue.bias) + channel;
            }
          }
        }
        sum_pixels(t, p.pixels, vectors);
        t.weights += used;
        t.add = true;
      }
    }
    return direct;
  }

  /// The phases in hand, which are those of columns side by side or just one.
  void store(Index group, Index block, Index count) {
    const Index width = weights_.blocks.size(block) * V::kSize;
    const Index first = group * shape_.outputs + channels(block).begin;
    finish(first, channels(block).size(), width, count);
    const DirectPhase& p = phases_[0];
    const Index step = count == 1 ? shape_.x.output_step : 1;
    StoredRow<S> stored{row_, 0, width, channels(block).size()};
    for (Index k = 0; k < count; ++k) stored.columns += phases_[k].columns;
    T* out = static_cast<T*>(tensors_.output) + first * strides_.c + p.first_x * strides_.x;
    for (Index n = 0; n < box_.images.size(); ++n) {
      for (Index row = 0; row < p.rows; ++row) {
        for (Index k = 0; k < count; ++k) {
          const Index columns = phases_[k].columns;
          const S* sums = sums_ + k * d_.pixels * d_.widest + (n * p.rows + row) * columns * width;
          for (Index x = 0; x < columns; ++x) row_[k + x * count] = sums + x * width;
        }
        store_row(stored,
                  out + (box_.images.begin + n) * strides_.n +
                      (p.first_y + row * shape_.y.output_step) * strides_.y,
                  strides_.x * step, strides_.c);
      }
    }
  }

  void finish(Index channel, Index channels, Index width, Index count) {
    const Epilogue& e = tensors_.epilogue;
    if (e.bias == nullptr && e.activation == ActivationKind::None) return;
    S bias[3 * V::kSize] = {};
    if (e.bias != nullptr) {
      for (Index c = 0; c < channels; ++c) bias[c] = static_cast<const S*>(e.bias)[channel + c];
    }
    for (Index k = 0; k < count; ++k) {
      finish_sums(sums_ + k * d_.pixels * d_.widest, phases_[k].pixels, width,
                  e.bias == nullptr ? nullptr : bias, e);
    }
  }

  const Request& r_;
  const DirectSchedule& d_;
  const Tensors& tensors_;
  const DirectShape shape_;
  const Weights weights_;
  const DataStrides& strides_;  // of the outputs
  const DirectBox box_;
  const bool tiles_store_;
  bool some_empty_ = false;
  DirectPhase phases_[kMostPhases];
  S *region_, *sums_;
  const S **pixels_, **row_;
  DirectInputs<S> inputs_;
  Index *outputs_, *offsets_;
};

}  // namespace
}  // namespace convtranspose
