// SPDX-License-Identifier: MIT
// Weights gradient with channels in the vectors' lanes. A job sums over some source rows; sums are
// in registers over one row (at most kRun pixels), then added to the job's, then those of all jobs
// in a fixed order: so long sums keep their digits.
#pragma once

#include "depthwise_registers.hpp"
#include "tiling.hpp"

namespace convtranspose {
namespace {

/// Numbers of Schedule::tile.
struct ChannelsWeightsTile {
  Index lanes_are_channels;  // 1
  Index per_part, parts;     // source rows, over the batch
};

/// K taps x W vectors of channels: sums += source * result over a run of pixels.
template <class S, int K, int W>
struct ChannelTaps {
  Vectors<S, W> head;
  ChannelTaps<S, K - 1, W> tail;

  EIGEN_ALWAYS_INLINE void set() {
    head.set(S{0});
    tail.set();
  }
  EIGEN_ALWAYS_INLINE void fma(const Vectors<S, W>& source, const S* result, Index tap_step) {
    head.fma_each(source, result);
    tail.fma(source, result + tap_step, tap_step);
  }
  EIGEN_ALWAYS_INLINE void add_to(S* sums, Index step) {
    head.add(sums);
    head.store(sums);
    tail.add_to(sums + step, step);
  }
};
template <class S, int W>
struct ChannelTaps<S, 0, W> {
  EIGEN_ALWAYS_INLINE void set() {}
  EIGEN_ALWAYS_INLINE void fma(const Vectors<S, W>&, const S*, Index) {}
  EIGEN_ALWAYS_INLINE void add_to(S*, Index) {}
};

template <class T>
class ChannelWeights {
  using S = Sum<T>;
  using V = Vec<S>;

 public:
  static bool can(const Request& r) {
    const Problem& p = r.problem;
    if constexpr (!std::is_same_v<T, S>) return false;
    return p.source_channels == 1 && p.result_channels == 1 && p.groups >= V::kSize &&
           r.source.c == 1 && r.result.c == 1 && sums_bytes(p) <= kMaxSums;
  }

  static void prepare(const Request& r, Schedule& s) noexcept {
    const Problem& p = r.problem;
    ChannelsWeightsTile& t = tile_of<ChannelsWeightsTile>(s);
    t.lanes_are_channels = 1;
    const Index rows = p.batch * p.y.source;
    const Index row_terms = max_of(1, p.groups * p.x.source * p.x.kernel * p.y.kernel);
    t.parts = clamp_to(rows * row_terms / kJobTerms, 1, min_of(rows, kParts));
    t.per_part = ceil_div(rows, t.parts);
    t.parts = ceil_div(rows, t.per_part);
    s.jobs = t.parts;
    s.shared_bytes = t.parts * sums_bytes(p);
    s.workspace_bytes = arena_bytes<Span>(p.x.kernel);
    s.finish_tasks = ceil_div(p.groups, kFinishChannels);
  }

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, void* shared,
                  Index job, void* workspace) noexcept {
    if constexpr (std::is_same_v<T, S>) {
      const Problem& p = r.problem;
      const ChannelsWeightsTile& t = tile_of<ChannelsWeightsTile>(s);
      S* sums = partial(p, shared, job);
      for (Index i = 0; i < p.y.kernel * p.x.kernel * pitch(p); ++i) sums[i] = S{0};
      Span* columns = static_cast<Span*>(workspace);
      for (Index kx = 0; kx < p.x.kernel; ++kx) columns[kx] = columns_of(p.x, kx);
      const Span rows = piece(job, t.per_part, p.batch * p.y.source);
      for (Index row = rows.begin; row < rows.end; ++row) {
        add_row(r, tensors, row / p.y.source, row % p.y.source, columns, sums);
      }
    }
  }

  static void finish(const Request& r, const Schedule& s, const Tensors& tensors,
                     const void* shared, Index task) noexcept {
    const Problem& p = r.problem;
    const Span channels = piece(task, kFinishChannels, p.groups);
    const S* sums = partial(p, const_cast<void*>(shared), 0);
    const Index step = sums_bytes(p) / static_cast<Index>(sizeof(S));
    const Index whole = p.groups / V::kSize * V::kSize;
    for (Index c = channels.begin; c < channels.end; ++c) {
      // The last channels were summed as the end of a vector of their own.
      const Index place = c < whole ? c : whole + V::kSize - (p.groups - c);
      for (Index ky = 0; ky < p.y.kernel; ++ky) {
        for (Index kx = 0; kx < p.x.kernel; ++kx) {
          const S* from = sums + (ky * p.x.kernel + kx) * pitch(p) + place;
          S sum{0};
          for (Index part = 0; part < tile_of<ChannelsWeightsTile>(s).parts; ++part)
            sum += from[part * step];
          static_cast<T*>(tensors.output)[c * r.weights.o + ky * r.weights.y + kx * r.weights.x] =
              round_to<T>(sum);
        }
      }
    }
  }

 private:
  static constexpr Index kJobTerms = 1 << 20, kParts = 32, kFinishChannels = 64, kRun = 1024;
  static constexpr Index kMaxSums = Index{1} << 20;

  /// Sums of one tap.
  static Index pitch(const Problem& p) { return round_up(p.groups, V::kSize); }
  static Index sums_bytes(const Problem& p) {
    return arena_bytes<S>(p.y.kernel * p.x.kernel * pitch(p));
  }
  static S* partial(const Problem& p, void* shared, Index part) {
    return reinterpret_cast<S*>(static_cast<char*>(shared) + part * sums_bytes(p));
  }

  /// Source columns whose result column through kx is inside.
  static Span columns_of(const Axis& a, Index kx) {
    const Index shift = kx * a.dilation - a.pad;
    const Index first = clamp_to(-floor_div(shift, a.stride), 0, a.source);
    return {first, clamp_to(floor_div(a.result - 1 - shift, a.stride) + 1, first, a.source)};
  }

  static void add_row(const Request& r, const Tensors& tensors, Index n, Index sy,
                      const Span* columns, S* sums) {
    const Problem& p = r.problem;
    const S* source = static_cast<const S*>(tensors.source) + n * r.source.n + sy * r.source.y;
    const S* result = static_cast<const S*>(tensors.result) + n * r.result.n;
    Index c = 0;
    for (; c + 2 * V::kSize <= p.groups; c += 2 * V::kSize) {
      add_channels<2>(r, source + c, result + c, sy, columns, sums + c);
    }
    for (; c + V::kSize <= p.groups; c += V::kSize) {
      add_channels<1>(r, source + c, result + c, sy, columns, sums + c);
    }
    if (c < p.groups) {
      const Index last = p.groups - V::kSize;
      add_channels<1>(r, source + last, result + last, sy, columns, sums + c);
    }
  }

  template <int W>
  static void add_channels(const Request& r, const S* source, const S* result, Index sy,
                           const Span* columns, S* sums) {
    const Problem& p = r.problem;
    for (Index ky = 0; ky < p.y.kernel; ++ky) {
      const Index y = sy * p.y.stride + ky * p.y.dilation - p.y.pad;
      if (y < 0 || y >= p.y.result) continue;
      const S* row = result + y * r.result.y;
      S* to = sums + ky * p.x.kernel * pitch(p);
      for (Index kx = 0; kx < p.x.kernel;) {
        const Index left = p.x.kernel - kx;
        if (left >= 4) {
          add_taps<4, W>(r, source, row, kx, columns, to);
          kx += 4;
        } else if (left == 3) {
          add_taps<3, W>(r, source, row, kx, columns, to);
          kx += 3;
        } else {
          add_taps<1, W>(r, source, row, kx, columns, to);
          ++kx;
        }
      }
    }
  }

  /// K taps together where all meet the result, and each alone near the ends.
  template <int K, int W>
  static void add_taps(const Request& r, const S* source, const S* row, Index kx,
                       const Span* columns, S* sums) {
    Span all = columns[kx];
    for (int k = 1; k < K; ++k) {
      const Span next = columns[kx + k];
      all.begin = max_of(all.begin, next.begin);
      all.end = max_of(all.begin, min_of(all.end, next.end));
    }
    add_run<K, W>(r, source, row, kx, all, sums);
    if constexpr (K > 1) {
      for (int k = 0; k < K; ++k) {
        const Span own = columns[kx + k];
        add_run<1, W>(r, source, row, kx + k, {own.begin, min_of(own.end, all.begin)}, sums);
        add_run<1, W>(r, source, row, kx + k, {max_of(own.begin, all.end), own.end}, sums);
      }
    }
  }

  template <int K, int W>
  static void add_run(const Request& r, const S* source, const S* row, Index kx, Span columns,
                      S* sums) {
    const Axis& a = r.problem.x;
    const Index tap_step = a.dilation * r.result.x, step = a.stride * r.result.x;
    while (columns.begin < columns.end) {
      const Index count = min_of(columns.size(), kRun);
      const S* from = source + columns.begin * r.source.x;
      const S* at = row + (columns.begin * a.stride + kx * a.dilation - a.pad) * r.result.x;
      ChannelTaps<S, K, W> total;
      total.set();
      for (Index i = 0; i < count; ++i, from += r.source.x, at += step) {
        Vectors<S, W> s;
        s.load(from);
        total.fma(s, at, tap_step);
      }
      total.add_to(sums + kx * pitch(r.problem), pitch(r.problem));
      columns.begin += count;
    }
  }
};

}  // namespace
}  // namespace convtranspose
