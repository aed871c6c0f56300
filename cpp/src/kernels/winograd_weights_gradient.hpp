// SPDX-License-Identifier: MIT
// The weights gradient by F(taps, results) per phase: transformed source tiles times transformed
// tiles of the incoming gradient, summed over all tiles before the inverse transform. A job does
// one phase for a block of source channels and a block of result channels.
#pragma once

#include "winograd_outer.hpp"
#include "winograd_schedule.hpp"
#include "winograd_side.hpp"

namespace convtranspose {
namespace {

struct WinogradGradientSchedule {
  Index images, rows, columns, n_boxes, y_boxes, x_boxes;  // tiles
  Index source_block, result_block;                        // channels
  Index source_blocks, result_blocks;                      // of one group
};

template <class T>
class WinogradWeightsGradient {
  using S = Sum<T>;
  static constexpr Index kVector = Vec<S>::kSize;
  static constexpr Index kRowPanel = 3 * kVector;
  static constexpr Index kLanePanel = 2 * kVector;

 public:
  static const char* refusal(const Request& r) noexcept {
    if (r.problem.batch == 0) return "a result of no elements";
    if (const char* reason = winograd_refusal(r.problem.y)) return reason;
    if (const char* reason = winograd_refusal(r.problem.x)) return reason;
    if (r.problem.y.kernel == r.problem.y.stride && r.problem.x.kernel == r.problem.x.stride) {
      return "one tap a phase leaves nothing to save";
    }
    return nullptr;
  }

  static void prepare(const Request& r, Schedule& s) noexcept {
    const Axes axes(r);
    WinogradGradientSchedule& w = tile_of<WinogradGradientSchedule>(s);
    w = {};
    WinogradSchedule tiles{};
    cut_tiles(tiles, r.problem.batch, axes.y.tiles, axes.x.tiles, kGradientTiles);
    w.images = tiles.images;
    w.rows = tiles.rows;
    w.columns = tiles.columns;
    w.n_boxes = tiles.n_boxes;
    w.y_boxes = tiles.y_boxes;
    w.x_boxes = tiles.x_boxes;
    Index sources = kSourceBlock, results = kResultBlock;
    for (;; sources > results ? sources /= 2 : results /= 2) {
      w.source_block = block_of(r.problem.source_channels, sources, kRowPanel);
      w.result_block = block_of(r.problem.result_channels, results, kLanePanel);
      w.source_blocks = ceil_div(r.problem.source_channels, w.source_block);
      w.result_blocks = ceil_div(r.problem.result_channels, w.result_block);
      s.jobs = axes.y.phases * axes.x.phases * r.problem.groups * w.source_blocks * w.result_blocks;
      if (s.jobs >= kFewestJobs || results <= kLeastBlock) break;
    }
    const Sizes sizes(axes, w);
    s.workspace_bytes = arena_bytes<S>(sizes.rows) + arena_bytes<S>(sizes.lanes) +
                        arena_bytes<S>(sizes.sums) + arena_bytes<S>(sizes.region) +
                        arena_bytes<S>(sizes.half) + arena_bytes<S>(sizes.block) +
                        arena_bytes<S>(sizes.half_taps) + arena_bytes<S>(sizes.taps);
  }

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, const void*, void*,
                  Index, Index job, void* workspace) noexcept {
    WinogradWeightsGradient work(r, tile_of<WinogradGradientSchedule>(s), tensors, job, workspace);
    work.go();
  }

 private:
  /// Tiles summed up in registers: float32 sums are that long at most before they join the sum in
  /// memory.
  static constexpr Index kGradientTiles = 128;
  /// Channels of a block. Both operands' tiles and the sums stream from L3, the less the larger the
  /// blocks are; but every thread should get some.
  static constexpr Index kSourceBlock = 192, kResultBlock = 128, kLeastBlock = 32;
  static constexpr Index kFewestJobs = 4;

  struct Axes {
    WinogradAxis y, x;
    explicit Axes(const Request& r)
        : y(best_winograd_axis(r.problem.y, true, r.fast_math)),
          x(best_winograd_axis(r.problem.x, true, r.fast_math)) {}
  };

  struct Sizes {
    Index rows, lanes, sums, region, half, half_taps, taps, block;
    Sizes(const Axes& axes, const WinogradGradientSchedule& w) {
      const Index e = most_elements(axes.y) * most_elements(axes.x);
      const Index tiles = w.images * w.rows * w.columns;
      const Index sources = round_up(w.source_block, kRowPanel);
      const Index results = round_up(w.result_block, kLanePanel);
      rows = e * tiles * sources;
      lanes = e * tiles * results;
      sums = e * sources * results;
      const Index side = most_elements(axes.x);
      const Index columns = ((w.columns - 1) * axes.x.m + side - 1) * axes.x.stride + 1;
      block = max_of(sources, results);
      region = most_elements(axes.y) * columns * block;
      half = region;
      half_taps = most_elements(axes.y) * kMostTaps * kRowPanel * kLanePanel;
      taps = kMostTaps * kMostTaps * kRowPanel * results;
    }
  };

  /// Even blocks of at most so many channels, whole panels each.
  static Index block_of(Index channels, Index most, Index panel) {
    return round_up(even_piece(channels, max_of(most / panel * panel, panel)), panel);
  }

  WinogradWeightsGradient(const Request& r, const WinogradGradientSchedule& w,
                          const Tensors& tensors, Index job, void* workspace)
      : r_(r), w_(w), tensors_(tensors), axes_(r), sizes_(axes_, w), arena_(workspace) {
    rows_ = arena_.take<S>(sizes_.rows);
    lanes_ = arena_.take<S>(sizes_.lanes);
    sums_ = arena_.take<S>(sizes_.sums);
    const Problem& p = r.problem;
    ry_ = job % axes_.y.phases;
    job /= axes_.y.phases;
    rx_ = job % axes_.x.phases;
    job /= axes_.x.phases;
    result_ = piece(job % w.result_blocks, w.result_block, p.result_channels);
    job /= w.result_blocks;
    source_ = piece(job % w.source_blocks, w.source_block, p.source_channels);
    group_ = job / w.source_blocks;
    elements_ = axes_.y.elements(ry_) * axes_.x.elements(rx_);
  }

  static SideAxis source_side(const WinogradAxis& a, Index r) {
    const Index i = a.phase[r].set;
    return {a.first_input(i, 0), a.m, 1, a.elements(r), a.elements(r), a.inputs};
  }
  static SideAxis result_side(const WinogradAxis& a, Index r) {
    const Index first = a.result(r, a.set[a.phase[r].set].origin);
    return {first, a.m * a.stride, a.stride, a.m, a.elements(r), a.results};
  }
  const auto& gradient_filter(const WinogradAxis& a, Index r) const {
    return kGradientFilters<S>[a.m - 1][a.phase[r].taps - 1];
  }

  void go() {
    S* region = arena_.take<S>(sizes_.region);
    S* half = arena_.take<S>(sizes_.half);
    S* zeros = arena_.take<S>(sizes_.block);
    const WinogradAxis &y = axes_.y, &x = axes_.x;
    WinogradSide<T> sources(source_side(y, ry_), source_side(x, rx_),
                            {minimal_filter<S>(y.m, y.phase[ry_].taps).input_rows,
                             minimal_filter<S>(x.m, x.phase[rx_].taps).input_columns},
                            r_.source, 3, w_.source_block, region, half, zeros);
    WinogradSide<T> results(
        result_side(y, ry_), result_side(x, rx_),
        {gradient_filter(y, ry_).filter_rows, gradient_filter(x, rx_).filter_columns}, r_.result, 2,
        w_.result_block, region, half, zeros);
    const Problem& p = r_.problem;
    const T* source = static_cast<const T*>(tensors_.source) +
                      (group_ * p.source_channels + source_.begin) * r_.source.c;
    const T* result = static_cast<const T*>(tensors_.result) +
                      (group_ * p.result_channels + result_.begin) * r_.result.c;
    for (Index i = 0; i < w_.n_boxes * w_.y_boxes * w_.x_boxes; ++i) {
      const Index row = i / w_.x_boxes;
      const TileBox box{piece(row % w_.y_boxes, w_.rows, y.tiles),
                        piece(i % w_.x_boxes, w_.columns, x.tiles)};
      const Span images = piece(row / w_.y_boxes, w_.images, p.batch);
      const Index each = box.rows.size() * box.columns.size(), count = images.size() * each;
      for (Index n = images.begin; n < images.end; ++n) {
        const Index first = (n - images.begin) * each;
        sources.transform(source + n * r_.source.n, box, source_.size(), first, count, rows_);
        results.transform(result + n * r_.result.n, box, result_.size(), first, count, lanes_);
      }
      multiply(count, i > 0);
    }
    store();
  }

  /// A box's products, to the sums [element][panel of results][source channel][channel of panel].
  void multiply(Index tiles, bool add) {
    const Index row_panels = ceil_div(source_.size(), kRowPanel);
    const Index lane_panels = ceil_div(result_.size(), kLanePanel);
    TileProduct<S> p{};
    p.row_pitch = kRowPanel;
    p.lane_pitch = kLanePanel;
    p.tiles = tiles;
    p.add = add;
    p.sums = sums_;
    for (Index e = 0; e < elements_; ++e) {
      const S* rows = rows_ + e * row_panels * tiles * kRowPanel;
      for (Index j = 0; j < lane_panels; ++j) {
        const Index vectors = min_of(2, ceil_div(result_.size(), kVector) - 2 * j);
        p.lanes = lanes_ + (e * lane_panels + j) * tiles * kLanePanel;
        for (Index i = 0; i < source_.size(); i += kOuterRows) {
          const Index count = min_of(kOuterRows, source_.size() - i);
          p.rows = rows + i / kRowPanel * tiles * kRowPanel + i % kRowPanel;
          kOuterProducts<S>[vectors][count](p);
          p.sums += count * kLanePanel;
        }
      }
    }
  }

  /// The inverse transform of the sums, and the phase's taps to the weights: for a few source
  /// channels at a time all result channels, whose filters follow one another in OIHW.
  void store() {
    const WinogradAxis &y = axes_.y, &x = axes_.x;
    S* half = arena_.take<S>(sizes_.half_taps);
    S* taps = arena_.take<S>(sizes_.taps);
    const Index taps_y = y.phase[ry_].taps, taps_x = x.phase[rx_].taps;
    const Index panels = ceil_div(result_.size(), kLanePanel);
    const Index panel = source_.size() * kLanePanel, element = panels * panel;
    for (Index c = 0; c < source_.size(); c += kRowPanel) {
      const Index channels = min_of(kRowPanel, source_.size() - c);
      const Index run = channels * kLanePanel, vectors = run / kVector;
      for (Index j = 0; j < panels; ++j) {
        const S* sums = sums_ + j * panel + c * kLanePanel;
        gradient_filter(x, rx_).output({sums, x.elements(rx_) * element, element, half,
                                        taps_x * run, run, y.elements(ry_), vectors});
        gradient_filter(y, ry_).output({half, run, taps_x * run, taps + j * taps_y * taps_x * run,
                                        run, taps_x * run, taps_x, vectors});
      }
      store_channels(taps, c, channels);
    }
  }

  /// From [panel of results][tap of y][tap of x][source channel][channel of the panel].
  void store_channels(const S* taps, Index first, Index channels) {
    const WinogradAxis &y = axes_.y, &x = axes_.x;
    const Index taps_x = x.phase[rx_].taps, count = y.phase[ry_].taps * taps_x;
    const Index run = channels * kLanePanel;
    Index places[kMostTaps * kMostTaps];
    for (Index t = 0; t < count; ++t) {
      places[t] = y.tap(ry_, t / taps_x) * r_.weights.y + x.tap(rx_, t % taps_x) * r_.weights.x;
    }
    T* out = static_cast<T*>(tensors_.output) +
             (group_ * r_.problem.source_channels + source_.begin + first) * r_.weights.o +
             result_.begin * r_.weights.i;
    for (Index c = 0; c < channels; ++c, out += r_.weights.o) {
      for (Index i = 0; i < result_.size(); ++i) {  // a filter's taps share a cache line
        const S* from = taps + i / kLanePanel * count * run + c * kLanePanel + i % kLanePanel;
        T* to = out + i * r_.weights.i;
        for (Index t = 0; t < count; ++t) to[places[t]] = round_to<T>(from[t * run]);
      }
    }
  }

  const Request& r_;
  const WinogradGradientSchedule& w_;
  const Tensors& tensors_;
  const Axes axes_;
  const Sizes sizes_;
  Arena arena_;
  S *rows_, *lanes_, *sums_;
  Index ry_, rx_, group_, elements_;
  Span source_, result_;
};

}  // namespace
}  // namespace convtranspose
