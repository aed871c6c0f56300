// SPDX-License-Identifier: MIT
// Few output channels: lanes are positions along a row, rows are all outputs of a position, with
// broadcast weights. A job packs the inputs of a box of positions once (planar, in L2) and sums
// panel after panel of rows. Sums are blocked: at most kBlockLength products are added in a
// register before they join the sum in memory.
#pragma once

#include "few_output_careful.hpp"
#include "few_output_finish.hpp"
#include "few_output_pack.hpp"
#include "few_output_schedule.hpp"
#include "few_output_store.hpp"
#include "few_output_weights.hpp"

namespace convtranspose {
namespace {

template <class T>
class FewOutput {
  using S = Sum<T>;
  using V = Vec<S>;
  using Weights = FewWeights<T>;

 public:
  static const char* refusal(const Request& r) noexcept {
    const FewShape shape(r);
    if (shape.batch == 0 || shape.outputs == 0) return "a result of no elements";
    if (shape.x.stride > kMostStride || shape.y.stride > kMostStride) return "a stride too wide";
    if (shape.x.kernel > kMostTaps / shape.y.kernel) return "a kernel too large";
    if (region_numbers<S>(shape, few_schedule<S>(shape, r.caches.l2, Weights::panel_bytes(shape))) >
        kMostRegionBytes / static_cast<Index>(sizeof(S))) {
      return "a dilation or stride too wide for its tiles";
    }
    return nullptr;
  }

  static void prepare(const Request& r, Schedule& s) noexcept {
    const FewShape shape(r);
    const FewSchedule d = few_schedule<S>(shape, r.caches.l2, Weights::panel_bytes(shape));
    tile_of<FewSchedule>(s) = d;
    s.chunks = ceil_div(shape.panels(), d.per_chunk);
    s.packed_bytes = d.per_chunk * Weights::panel_bytes(shape);
    s.pack_tasks = d.per_chunk;
    s.jobs = d.n_boxes * d.y_boxes * d.x_boxes * d.splits;
    s.workspace_bytes = arena_bytes<S>(region_numbers<S>(shape, d)) +
                        arena_bytes<S>(sums_numbers<S>(shape, d)) +
                        arena_bytes<S>(staged_numbers<S>(shape, d)) +
                        arena_bytes<Index>(shape.y.kernel * shape.x.kernel);
  }

  static void pack(const Request& r, const Schedule& s, const void* weights, void* packed,
                   Index chunk, Index task) noexcept {
    const FewShape shape(r);
    const Index panel = chunk * tile_of<FewSchedule>(s).per_chunk + task;
    if (panel >= shape.panels()) return;
    Weights::pack(shape, static_cast<const T*>(weights), shape.panel(panel),
                  static_cast<char*>(packed) + task * Weights::panel_bytes(shape));
  }

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, const void* packed,
                  void*, Index chunk, Index job, void* workspace) noexcept {
    FewOutput work(r, tile_of<FewSchedule>(s), tensors, workspace);
    work.go(static_cast<const char*>(packed), chunk, job);
  }

 private:
  static constexpr Index kLongestChain = 128;
  static constexpr Index kMostRegionBytes = Index{16} << 20;
  static constexpr Index kMostStride = 4096;
  static constexpr Index kMostTaps = Index{1} << 20;

  FewOutput(const Request& r, const FewSchedule& d, const Tensors& tensors, void* workspace)
      : d_(d), tensors_(tensors), shape_(r) {
    Arena arena(workspace);
    region_ = arena.take<S>(region_numbers<S>(shape_, d));
    sums_ = arena.take<S>(sums_numbers<S>(shape_, d));
    staged_ = arena.take<S>(staged_numbers<S>(shape_, d));
    offsets_ = arena.take<Index>(shape_.y.kernel * shape_.x.kernel);
  }

  void go(const char* packed, Index chunk, Index job) {
    const Index split = job % d_.splits;
    job /= d_.splits;
    box_.x = piece(job % d_.x_boxes, d_.columns, shape_.x.positions());
    job /= d_.x_boxes;
    box_.y = piece(job % d_.y_boxes, d_.rows, shape_.y.positions());
    box_.n = piece(job / d_.y_boxes, d_.images, shape_.batch);
    shift(box_.y, shape_.y.first_position());
    shift(box_.x, shape_.x.first_position());
    box_.line = box_.x.size() + shape_.x.halo();
    box_.image = (box_.y.size() + shape_.y.halo()) * box_.line;
    box_.plane = d_.plane;
    const Index begin = chunk * d_.per_chunk + split * d_.per_split;
    const Index end =
        min_of(min_of(begin + d_.per_split, (chunk + 1) * d_.per_chunk), shape_.panels());
    for (Index number = begin; number < end; ++number) {
      compute(shape_.panel(number),
              packed + (number - chunk * d_.per_chunk) * Weights::panel_bytes(shape_));
    }
  }

  static void shift(Span& span, Index by) { span = {span.begin + by, span.end + by}; }

  /// Packs input channels, counted over all groups, unless they are those in hand.
  void pack_inputs(const Span& channels) {
    if (channels.begin == packed_) return;
    packed_ = channels.begin;
    const T* from = static_cast<const T*>(shape_.forward ? tensors_.source : tensors_.result) +
                    channels.begin * shape_.in.c;
    const FewAxis &y = shape_.y, &x = shape_.x;
    S* to = region_;
    for (Index j = 0; j < y.planes(); ++j) {
      const PlaneSpan rows =
          PlaneSpan::make(y, j, box_.y.begin + y.lowest_shift(), box_.y.size() + y.halo());
      for (Index i = 0; i < x.planes(); ++i, to += shape_.block * box_.plane) {
        const PlaneSpan columns = PlaneSpan::make(x, i, box_.x.begin + x.lowest_shift(), box_.line);
        for (Index n = box_.n.begin; n < box_.n.end; ++n) {
          pack_plane(from + n * shape_.in.n, shape_.in, rows, y.input_step(), columns,
                     x.input_step(), channels.size(), to + (n - box_.n.begin) * box_.image,
                     box_.plane);
        }
      }
    }
  }

  /// All outputs of the box that belong to a panel.
  void compute(const FewPanel& panel, const char* memory) {
    const Index positions = box_.positions();
    for (Index row = 0; row < panel.rows(); ++row) {
      fill(sums_ + row * box_.plane, round_up(positions, V::kSize), S{0});
    }
    const S* weights = Weights::numbers(memory);
    const bool finite = Weights::finite(memory);
    for_each_packed(shape_, [&](const Span& inputs) {
      const Index first = panel.group * shape_.inputs;
      pack_inputs({first + inputs.begin, first + inputs.end});
      for_each_segment(shape_, panel, [&](const TapClass& y, const TapClass& x) {
        FewRow rows[kMostRows];
        S* sums[kMostRows];
        const Index count = list_rows(shape_, panel, y, x, rows);
        for (Index i = 0; i < count; ++i) {
          sums[i] = sums_ + box_.plane * shape_.place(panel, y.residue + rows[i].y,
                                                      x.residue + rows[i].x, rows[i].channel);
        }
        for (Index tap = 0; tap < y.taps * x.taps; ++tap) {
          offsets_[tap] =
              box_.offset(shape_, y.first + tap / x.taps * y.step, x.first + tap % x.taps * x.step);
        }
        const auto sum = [&](const Span& channels, const Span& taps) {
          if (finite) {
            sum_block(channels, taps, weights, sums, count);
          } else {
            sum_carefully(shape_, box_, y, x, channels, taps, offsets_, region_, weights, sums,
                          count);
          }
          weights += channels.size() * taps.size() * count;
        };
        for_each_block({0, inputs.size()}, y.taps * x.taps, sum);
      });
    });
    finish_rows(shape_, panel, tensors_.epilogue, sums_, box_.plane, round_up(positions, V::kSize));
    store(panel);
  }

  /// A group of vectors at a time: their inputs of one block stay in L1 for all rows.
  void sum_block(const Span& channels, const Span& taps, const S* weights, S* const* sums,
                 Index rows) {
    const Index vectors = ceil_div(box_.positions(), V::kSize);
    FewSum<S> t{};
    t.channel_step = box_.plane;
    t.channels = channels.size();
    t.chained = chained_channels(channels.size(), taps.size());
    t.offsets = offsets_ + taps.begin;
    t.taps = taps.size();
    for (Index first = 0; first < vectors; first += kGroupVectors) {
      const Index group = min_of(kGroupVectors, vectors - first);
      t.weights = weights;
      for_each_tile(rows, [&](const Span& tile) {
        const Index most = kTileVectors[tile.size()];
        for (Index v = 0; v < group; v += most) {
          const Index at = (first + v) * V::kSize;
          t.inputs = region_ + channels.begin * box_.plane + at;
          for (Index i = 0; i < tile.size(); ++i) t.sums[i] = sums[tile.begin + i] + at;
          run_few_tile(t, tile.size(), min_of(most, group - v));
        }
        t.weights += channels.size() * taps.size() * tile.size();
      });
    }
  }

  /// Short sums are chains of a fifth of their products, others of at most kLongestChain: that
  /// keeps their errors near PyTorch's (FCN-8s, 84 products: 1.02 times; in one chain 2.9).
  Index chained_channels(Index channels, Index taps) const {
    const Index products = channels * taps;
    const bool is_short = taps > 1 && channels == shape_.inputs && products <= kLongestChain;
    if (is_short) return max_of(1, max_of(4, products / 5) / taps);
    return ceil_div(channels, ceil_div(products, kLongestChain));
  }

  void store(const FewPanel& panel) {
    const DataStrides& strides = shape_.out;
    const Index inside = shape_.channels_inside ? panel.c.size() : 1;
    const Index rows = panel.x.size() * inside;  // interleaved
    T* first = static_cast<T*>(tensors_.output) +
               (panel.group * shape_.outputs + panel.c.begin) * strides.c;
    for (Index n = box_.n.begin; n < box_.n.end; ++n) {
      for (Index q = box_.y.begin; q < box_.y.end; ++q) {
        const S* sums = sums_ + (n - box_.n.begin) * box_.image + (q - box_.y.begin) * box_.line;
        for (Index j = panel.y.begin; j < panel.y.end; ++j) {
          const Index y = shape_.y.output(q, j);
          if (y < 0 || y >= shape_.y.outputs) {
            sums += panel.x.size() * panel.c.size() * box_.plane;
            continue;
          }
          T* to = first + n * strides.n + y * strides.y;
          for (Index c = 0; c < panel.c.size(); c += inside, to += strides.c) {
            interleave(sums, box_.plane, rows, box_.x.size(), staged_);
            store_line(panel.x, inside, to);
            sums += rows * box_.plane;
          }
        }
      }
    }
  }

  /// The staged row: one run if the panel has all residues, else a run a position.
  void store_line(const Span& residues, Index channels, T* to) {
    const FewAxis& x = shape_.x;
    const bool whole = residues.size() == x.residues();
    const Index length = whole ? residues.size() * box_.x.size() : residues.size();
    const S* from = staged_;
    for (Index q = box_.x.begin; q < (whole ? box_.x.begin + 1 : box_.x.end); ++q) {
      const Index at = x.output(q, residues.begin);
      const Index begin = clamp_to(-at, 0, length);
      const Index end = clamp_to(x.outputs - at, begin, length);
      store_pixels<T>(from + begin * channels, end - begin, channels,
                      to + (at + begin) * shape_.out.x, shape_.out.x, shape_.out.c);
      from += length * channels;
    }
  }

  const FewSchedule& d_;
  const Tensors& tensors_;
  const FewShape shape_;
  FewBox box_{};
  S *region_, *sums_, *staged_;
  Index* offsets_;
  Index packed_ = -1;  // first of the channels in hand
};

}  // namespace
}  // namespace convtranspose
