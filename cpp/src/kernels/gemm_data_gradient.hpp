// SPDX-License-Identifier: MIT
// The gradient with respect to the source as im2col + GEMM, a tile of source pixels at a time:
//   source[o][pixel] = sum over (i, ky, kx) of im2col[pixel][(i, ky, kx)] * weights[o][i][ky][kx]
#pragma once

#include "gemm_careful.hpp"
#include "gemm_panels.hpp"

namespace convtranspose {
namespace {

struct DataGradientTile {
  Index channels, per_group, per_chunk;  // panels
  Index pixels;                          // of one job, numbered over the batch
};

template <class T>
class GemmDataGradient {
  using S = Sum<T>;
  using Gemm = EigenGemm<S>;

 public:
  static void prepare(const Request& r, Schedule& s) noexcept {
    const Problem& p = r.problem;
    DataGradientTile& t = tile_of<DataGradientTile>(s);
    const Index depth = p.result_channels * p.y.kernel * p.x.kernel;
    Panels panels = Panels::make<S>(p.groups, p.source_channels,
                                    min_of(kChannels, p.source_channels), depth, 1);
    panels.bytes += arena_bytes<S>(kFlag);
    t.channels = panels.channels;
    t.per_group = panels.per_group;
    t.per_chunk = panels.per_chunk;
    const Index all = p.batch * p.y.source * p.x.source;
    t.pixels = min_of(kPixels, all);
    panels.schedule(s, ceil_div(all, t.pixels));
    const Index m = Gemm::whole_panels(t.pixels);
    s.workspace_bytes =
        2 * arena_bytes<S>(m * min_of(Gemm::kDepth, depth)) + arena_bytes<S>(m * t.channels);
  }

  static void pack(const Request& r, const Schedule& s, const void* weights, void* packed,
                   Index chunk, Index task) noexcept {
    const Problem& p = r.problem;
    const DataGradientTile& t = tile_of<DataGradientTile>(s);
    const Index panel = chunk * t.per_chunk + task;
    if (panel >= p.groups * t.per_group) return;
    const Index taps = p.y.kernel * p.x.kernel;
    const Span channels = piece(panel % t.per_group, t.channels, p.source_channels);
    const T* base = static_cast<const T*>(weights) +
                    (panel / t.per_group * p.source_channels + channels.begin) * r.weights.o;
    S check = 0;
    pack_right(panel_memory(s, packed, task) + kFlag, p.result_channels * taps, channels.size(),
               [&](S* to, Index k0, Index k, Index column) {
                 for (Index i = 0; i < k; ++i) {
                   const Index tap = (k0 + i) % taps;
                   to[i] =
                       widen(base[column * r.weights.o + (k0 + i) / taps * r.weights.i +
                                  tap / p.x.kernel * r.weights.y + tap % p.x.kernel * r.weights.x]);
                   check += to[i] * S{0};
                 }
               });
    *panel_memory(s, packed, task) = check;
  }

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, const void* packed,
                  void*, Index chunk, Index job, void* workspace) noexcept {
    const Problem& p = r.problem;
    const DataGradientTile& t = tile_of<DataGradientTile>(s);
    const Index jobs = s.jobs / t.per_chunk, in_chunk = job / jobs;
    const Index panel = chunk * t.per_chunk + in_chunk;
    if (panel >= p.groups * t.per_group) return;
    const Index group = panel / t.per_group, taps = p.y.kernel * p.x.kernel;
    const Span channels = piece(panel % t.per_group, t.channels, p.source_channels);
    const Span pixels = piece(job % jobs, t.pixels, p.batch * p.y.source * p.x.source);
    const Index depth = p.result_channels * taps, n = channels.size();
    const Index m = Gemm::whole_panels(pixels.size());

    Arena arena(workspace);
    S* staging = arena.take<S>(m * min_of(Gemm::kDepth, depth));
    S* left = arena.take<S>(m * min_of(Gemm::kDepth, depth));
    S* sums = arena.take<S>(m * n);
    const S* right = panel_memory(s, const_cast<void*>(packed), in_chunk) + kFlag;
    for (Index i = 0; i < m * n; ++i) sums[i] = S{0};
    if (right[-kFlag] != S{0}) {
      sum_carefully<T>(r, tensors, group, channels, pixels, m, sums);
      store(r, tensors, sums, m, group * p.source_channels + channels.begin, n, pixels);
      return;
    }
    for (Index k0 = 0; k0 < depth; k0 += Gemm::kDepth) {
      const Index k = min_of(Gemm::kDepth, depth - k0);
      for (Index i = 0; i < k; ++i) {
        const Index tap = (k0 + i) % taps;
        im2col_column<T>(r, tensors.result, group * p.result_channels + (k0 + i) / taps,
                         tap / p.x.kernel, tap % p.x.kernel, pixels.begin, pixels.end,
                         staging + i * m);
        fill(staging + i * m + pixels.size(), m - pixels.size(), S{0});
      }
      Gemm::pack_a(left, staging, m, m, k);
      Gemm::multiply(sums, m, left, right + k0 * n, m, k, n);
    }
    store(r, tensors, sums, m, group * p.source_channels + channels.begin, n, pixels);
  }

 private:
  static constexpr Index kPixels = 192, kChannels = 256;
  static constexpr Index kFlag = 16;  // a panel begins with 0, or NaN if a weight is not finite

  static S* panel_memory(const Schedule& s, void* packed, Index panel) {
    return reinterpret_cast<S*>(static_cast<char*>(packed) +
                                panel * (s.packed_bytes / s.pack_tasks));
  }

  static void store(const Request& r, const Tensors& t, const S* sums, Index ld, Index first,
                    Index channels, const Span& pixels) {
    const Epilogue& e = t.epilogue;
    for_each_run(r.problem, pixels.begin, pixels.end, [&](const PixelRun& run) {
      T* out = static_cast<T*>(t.output) + run.n * r.source.n + first * r.source.c +
               run.y * r.source.y + run.x * r.source.x;
      for (Index c = 0; c < channels; ++c) {
        const S bias = e.bias == nullptr ? S{0} : static_cast<const S*>(e.bias)[first + c];
        const S* from = sums + c * ld + run.place;
        for (Index x = 0; x < run.count; ++x) {
          out[c * r.source.c + x * r.source.x] = round_to<T>(activate(from[x] + bias, e));
        }
      }
    });
  }
};

}  // namespace
}  // namespace convtranspose
