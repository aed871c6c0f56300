// SPDX-License-Identifier: MIT
// Winograd's minimal filtering per phase, forward and data gradient. A job transforms the inputs of
// a box of tiles; then, for some channels of the output at a time, it multiplies them with the
// transformed weights, element by element, and transforms the products to results. The data
// gradient adds the phases up before that, which is possible among phases of equal taps.
#pragma once

#include "winograd_input.hpp"
#include "winograd_output.hpp"

namespace convtranspose {
namespace {

template <class T>
class Winograd {
  using S = Sum<T>;
  using Shape = WinogradShape<S>;

 public:
  static const char* refusal(const Request& r) noexcept {
    if (r.problem.batch == 0) return "a result of no elements";
    if (const char* reason = winograd_refusal(r.problem.y)) return reason;
    if (const char* reason = winograd_refusal(r.problem.x)) return reason;
    if (r.problem.y.kernel == r.problem.y.stride && r.problem.x.kernel == r.problem.x.stride) {
      return "one tap a phase leaves nothing to save";
    }
    const Shape shape(r);
    if (sets_size(shape, 1) > 4 * kMostTileBytes / static_cast<Index>(sizeof(S))) {
      return "transformed tiles too large";
    }
    return nullptr;
  }

  static void prepare(const Request& r, Schedule& s) noexcept {
    const Shape shape(r);
    const WinogradSchedule w = winograd_schedule<T>(r, shape);
    tile_of<WinogradSchedule>(s) = w;
    s.chunks = ceil_div(r.problem.groups * shape.panels, w.per_chunk);
    s.packed_bytes = w.per_chunk * arena_bytes<S>(shape.panel_size());
    s.pack_tasks = w.per_chunk;
    s.jobs = w.n_boxes * w.y_boxes * w.x_boxes * y_parts(shape) * w.splits;
    s.workspace_bytes = arena_bytes<S>(w.tiles) + arena_bytes<S>(w.sums) +
                        arena_bytes<S>(w.region) + arena_bytes<S>(w.half) + arena_bytes<S>(w.band) +
                        arena_bytes<S>(w.channels) + arena_bytes<S>(small_size(w, kMostElements)) +
                        arena_bytes<S>(small_size(w, 1));
  }

  static void pack(const Request& r, const Schedule& s, const void* weights, void* packed,
                   Index chunk, Index task) noexcept {
    const Shape shape(r);
    const Index panel = chunk * tile_of<WinogradSchedule>(s).per_chunk + task;
    if (panel >= r.problem.groups * shape.panels) return;
    char* to = static_cast<char*>(packed) + task * arena_bytes<S>(shape.panel_size());
    WinogradWeights<T>::pack(r, shape, static_cast<const T*>(weights), panel / shape.panels,
                             panel % shape.panels, reinterpret_cast<S*>(to));
  }

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, const void* packed,
                  void*, Index chunk, Index job, void* workspace) noexcept {
    Winograd work(r, tile_of<WinogradSchedule>(s), tensors, workspace);
    work.go(static_cast<const char*>(packed), chunk, job);
  }

 private:
  /// Products added in registers before they join the sum in memory.
  static constexpr Index kSumBlocks = 256 / Shape::kVector;
  /// Lines of weights that one block of channels takes.
  static constexpr Index kLine = 64 / static_cast<Index>(sizeof(S));
  static constexpr Index kAhead = Shape::kVector * Shape::kPanel / kLine;

  /// A tile's results of one chunk, or `lines` lines of them.
  static Index small_size(const WinogradSchedule& w, Index lines) {
    return lines * kMostSide * w.chunk_panels * Shape::kPanel;
  }

  Winograd(const Request& r, const WinogradSchedule& w, const Tensors& tensors, void* workspace)
      : r_(r), w_(w), tensors_(tensors), shape_(r), arena_(workspace) {
    tiles_ = arena_.take<S>(w.tiles);
    sums_ = arena_.take<S>(w.sums);
  }

  void go(const char* packed, Index chunk, Index job) {
    S* region = arena_.take<S>(w_.region);
    S* half = arena_.take<S>(w_.half);
    S* band = arena_.take<S>(w_.band);
    S* zeros = arena_.take<S>(w_.channels);
    S* small = arena_.take<S>(small_size(w_, kMostElements));
    S* bias = arena_.take<S>(small_size(w_, 1));
    WinogradInput<T> input(shape_, w_, shape_.forward ? r_.source : r_.result, region, half, zeros);
    WinogradOutput<T> output(shape_, shape_.forward ? r_.result : r_.source, tensors_, band, small,
                             bias);
    const Index split = job % w_.splits;
    job /= w_.splits;
    sets_ = sets_of_part(shape_, job % y_parts(shape_));
    job /= y_parts(shape_);
    box_.columns = piece(job % w_.x_boxes, w_.columns, shape_.x.tiles);
    job /= w_.x_boxes;
    box_.rows = piece(job % w_.y_boxes, w_.rows, shape_.y.tiles);
    box_.images = piece(job / w_.y_boxes, w_.images, r_.problem.batch);
    const Index all = r_.problem.groups * shape_.panels;
    const Index first = chunk * w_.per_chunk + split * w_.per_split;
    const Index end = min_of(min_of(first + w_.per_split, (chunk + 1) * w_.per_chunk), all);
    Index group = -1;
    for (Index panel = first; panel < end;) {
      if (panel / shape_.panels != group) {
        group = panel / shape_.panels;
        transform_inputs(input, group);
      }
      const Index begin = panel % shape_.panels;
      const Index count =
          min_of(min_of(w_.chunk_panels, end - panel), (group + 1) * shape_.panels - panel);
      const char* weights =
          packed + (panel - chunk * w_.per_chunk) * arena_bytes<S>(shape_.panel_size());
      const Index channel = begin * Shape::kPanel;
      const PanelChunk channels{
          group * shape_.outputs + channel, min_of(count * Shape::kPanel, shape_.outputs - channel),
          min_of(count * Shape::kPanel, round_up(shape_.outputs, Shape::kVector) - channel)};
      output.start(box_, channels);
      if (shape_.forward) {
        forward(output, weights, begin, count, channels.width);
      } else {
        gradient(output, weights, begin, count, channels.width);
      }
      panel += count;
    }
  }

  void transform_inputs(WinogradInput<T>& input, Index group) {
    const DataStrides& strides = shape_.forward ? r_.source : r_.result;
    const T* from = static_cast<const T*>(shape_.forward ? tensors_.source : tensors_.result) +
                    group * shape_.inputs * strides.c;
    const Index each = box_.rows.size() * box_.columns.size();
    for (Index n = box_.images.begin; n < box_.images.end; ++n) {
      input.transform(from + n * strides.n, sets_, box_.rows, box_.columns,
                      (n - box_.images.begin) * each, box_.tiles(), tiles_);
    }
  }

  void forward(WinogradOutput<T>& output, const char* weights, Index panel, Index panels,
               Index width) {
    for (Index ry = 0; ry < shape_.y.phases; ++ry) {
      if (shape_.y.phase[ry].set != sets_.begin) continue;
      for (Index rx = 0; rx < shape_.x.phases; ++rx) {
        multiply_phase(ry, rx, weights, panel, panels, width, false);
        output.transform(ry, rx, sums_, element(width), false);
      }
      output.finish(ry);
    }
  }

  void gradient(WinogradOutput<T>& output, const char* weights, Index panel, Index panels,
                Index width) {
    bool add = false;
    // Classes of equal taps; the first phase of one stands for it.
    for (Index y_taps = kMostTaps; y_taps > 0; --y_taps) {
      for (Index x_taps = kMostTaps; x_taps > 0; --x_taps) {
        Index last_y = -1, last_x = -1;
        for (Index ry = 0; ry < shape_.y.phases; ++ry) {
          for (Index rx = 0; rx < shape_.x.phases; ++rx) {
            if (shape_.y.phase[ry].taps != y_taps || shape_.x.phase[rx].taps != x_taps) continue;
            multiply_phase(ry, rx, weights, panel, panels, width, last_y >= 0);
            last_y = ry;
            last_x = rx;
          }
        }
        if (last_y < 0) continue;
        output.transform(last_y, last_x, sums_, element(width), add);
        add = true;
      }
    }
    output.finish(0);
  }

  /// Numbers from one element's products to the next one's: off each other's cache sets.
  Index element(Index width) const {
    return round_up(box_.tiles(), kGroup) * width + 64 / static_cast<Index>(sizeof(S));
  }

  const S* set_of(Index ry, Index rx) const {
    const S* at = tiles_;
    const Index last = shape_.y.phase[ry].set * shape_.x.sets + shape_.x.phase[rx].set;
    for (Index i = sets_.begin * shape_.x.sets; i < last; ++i) {
      at += set_size(shape_, i / shape_.x.sets, i % shape_.x.sets, box_.tiles());
    }
    return at;
  }

  /// sums_[element][tile][channel of the chunk] of one phase.
  void multiply_phase(Index ry, Index rx, const char* weights, Index panel, Index panels,
                      Index width, bool add) {
    const TileGroups groups(box_.tiles());
    const Index group_size = shape_.blocks * kGroup * Shape::kVector;
    const Index element_size = groups.count * group_size + 64 / static_cast<Index>(sizeof(S));
    const Index part = even_piece(shape_.blocks, kSumBlocks);
    const S* set = set_of(ry, rx);
    const auto weights_at = [&](Index e, Index block, Index i) {
      const S* from = reinterpret_cast<const S*>(weights + i * arena_bytes<S>(shape_.panel_size()));
      return from + shape_.phase_start(ry, rx, panel + i) +
             (e * shape_.blocks + block) * Shape::kVector * shape_.vectors(panel + i) *
                 Shape::kVector;
    };
    const Index elements = shape_.elements(ry, rx);
    for (Index e = 0; e < elements; ++e) {
      for (Index block = 0; block < shape_.blocks; block += part) {
        for (Index i = 0; i < panels; ++i) {
          const Index vectors = shape_.vectors(panel + i);
          GroupProduct<S> p{};
          p.weights = weights_at(e, block, i);
          const S* next = i + 1 < panels                 ? weights_at(e, block, i + 1)
                          : block + part < shape_.blocks ? weights_at(e, block + part, 0)
                                                         : weights_at(e + 1, 0, 0);
          p.tiles = set + e * element_size + block * kGroup * Shape::kVector;
          p.blocks = min_of(part, shape_.blocks - block);
          p.sums = sums_ + e * element(width) + i * Shape::kPanel;
          p.pitch = width;
          p.add = add || block > 0;
          for (Index g = 0; g < groups.count; ++g) {
            p.ahead[0] = next + g % kAhead * kLine;
            p.ahead[1] = next + (g + groups.count) % kAhead * kLine;
            const Index size = groups.size(g);
            kGroupProducts<S>[vectors][size](p);
            p.tiles += group_size;
            p.sums += size * width;
          }
        }
      }
    }
  }

  const Request& r_;
  const WinogradSchedule& w_;
  const Tensors& tensors_;
  const Shape shape_;
  Arena arena_;
  S* tiles_;
  S* sums_;
  WinogradBox box_{};
  Span sets_{};
};

}  // namespace
}  // namespace convtranspose
