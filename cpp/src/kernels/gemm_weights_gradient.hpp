// SPDX-License-Identifier: MIT
// The gradient with respect to the weights as im2col + GEMM over pixels:
//   weights[o][(i, ky, kx)] = sum over pixel of source[o][pixel] * im2col[pixel][(i, ky, kx)]
// The sum over pixels is cut into blocks of 256 whose sums are added one by one, which also keeps
// the digits of long sums. Where a layer has few weights, parts of the pixels are summed by jobs of
// their own and added up at the end in a fixed order.
#pragma once

#include "gemm_careful.hpp"
#include "gemm_panels.hpp"

namespace convtranspose {
namespace {

struct WeightsGradientTile {
  Index channels, o_blocks;  // source channels of one job
  Index columns, c_blocks;   // (i, ky, kx) of one job
  Index parts, part_pixels;  // of the batch's pixels
};

template <class T>
class GemmWeightsGradient {
  using S = Sum<T>;
  using Gemm = EigenGemm<S>;

 public:
  static void prepare(const Request& r, Schedule& s) noexcept {
    const Problem& p = r.problem;
    WeightsGradientTile& t = tile_of<WeightsGradientTile>(s);
    const Index all_columns = p.result_channels * p.y.kernel * p.x.kernel;
    t.channels = min_of(kChannels, p.source_channels);
    t.o_blocks = ceil_div(p.source_channels, t.channels);
    t.columns = min_of(kColumns, all_columns);
    t.c_blocks = ceil_div(all_columns, t.columns);
    const Index blocks = p.groups * t.o_blocks * t.c_blocks;
    const Index pixels = p.batch * p.y.source * p.x.source;
    t.parts = clamp_to(kJobs / blocks, 1, ceil_div(pixels, 4 * Gemm::kDepth));
    t.part_pixels = round_up(ceil_div(pixels, t.parts), Gemm::kDepth);
    t.parts = ceil_div(pixels, t.part_pixels);
    s.jobs = blocks * t.parts;
    if (t.parts > 1) {
      s.shared_bytes = s.jobs * arena_bytes<S>(t.channels * t.columns);
      s.finish_tasks = blocks;
    }
    s.workspace_bytes = 2 * arena_bytes<S>(Gemm::kDepth * t.channels) +
                        2 * arena_bytes<S>(Gemm::kDepth * t.columns) +
                        arena_bytes<S>(t.channels * t.columns);
  }

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, const void*,
                  void* shared, Index, Index job, void* workspace) noexcept {
    const Problem& p = r.problem;
    const WeightsGradientTile& t = tile_of<WeightsGradientTile>(s);
    const Block b(r, t, job / t.parts);
    const Span part = piece(job % t.parts, t.part_pixels, p.batch * p.y.source * p.x.source);
    const Index m = b.channels.size(), n = b.columns.size(), taps = p.y.kernel * p.x.kernel;
    Arena arena(workspace);
    S* source = arena.take<S>(Gemm::kDepth * t.channels);
    S* left = arena.take<S>(Gemm::kDepth * t.channels);
    S* columns = arena.take<S>(Gemm::kDepth * t.columns);
    S* right = arena.take<S>(Gemm::kDepth * t.columns);
    S* sums = t.parts > 1 ? partial(t, shared, job) : arena.take<S>(t.channels * t.columns);
    for (Index i = 0; i < m * n; ++i) sums[i] = S{0};
    for (Index pixel = part.begin; pixel < part.end; pixel += Gemm::kDepth) {
      const Index k = min_of(Gemm::kDepth, part.end - pixel);
      for (Index i = 0; i < m; ++i) {
        source_column<T>(r, tensors.source, b.group * p.source_channels + b.channels.begin + i,
                         pixel, pixel + k, m, source + i);
      }
      S check = 0;
      for (Index i = 0; i < m * k; ++i) check += source[i] * S{0};
      if (check != S{0}) {  // zeros of im2col must not meet what is not finite
        add_carefully<T>(r, tensors, b.group, b.channels, b.columns, {pixel, pixel + k}, sums);
        continue;
      }
      Gemm::pack_a(left, source, m, m, k);
      for (Index j = 0; j < n; ++j) {
        const Index column = b.columns.begin + j, tap = column % taps;
        im2col_column<T>(r, tensors.result, b.group * p.result_channels + column / taps,
                         tap / p.x.kernel, tap % p.x.kernel, pixel, pixel + k, columns + j * k);
      }
      Gemm::pack_b(right, columns, k, k, n);
      Gemm::multiply(sums, m, left, right, m, k, n);
    }
    if (t.parts == 1) store(r, tensors, b, sums);
  }

  static void finish(const Request& r, const Schedule& s, const Tensors& tensors,
                     const void* shared, Index task) noexcept {
    const WeightsGradientTile& t = tile_of<WeightsGradientTile>(s);
    const Block b(r, t, task);
    S* sums = partial(t, const_cast<void*>(shared), task * t.parts);
    for (Index part = 1; part < t.parts; ++part) {
      const S* more = partial(t, const_cast<void*>(shared), task * t.parts + part);
      for (Index i = 0; i < b.channels.size() * b.columns.size(); ++i) sums[i] += more[i];
    }
    store(r, tensors, b, sums);
  }

 private:
  static constexpr Index kChannels = 128, kColumns = 256, kJobs = 16;

  static S* partial(const WeightsGradientTile& t, void* shared, Index job) {
    return reinterpret_cast<S*>(static_cast<char*>(shared) +
                                job * arena_bytes<S>(t.channels * t.columns));
  }

  struct Block {
    Block(const Request& r, const WeightsGradientTile& t, Index block)
        : group(block / (t.o_blocks * t.c_blocks)),
          channels(piece(block / t.c_blocks % t.o_blocks, t.channels, r.problem.source_channels)),
          columns(piece(block % t.c_blocks, t.columns,
                        r.problem.result_channels * r.problem.y.kernel * r.problem.x.kernel)) {}
    Index group;
    Span channels, columns;
  };

  static void store(const Request& r, const Tensors& t, const Block& b, const S* sums) {
    const Problem& p = r.problem;
    const Index taps = p.y.kernel * p.x.kernel, m = b.channels.size();
    T* out =
        static_cast<T*>(t.output) + (b.group * p.source_channels + b.channels.begin) * r.weights.o;
    for (Index j = 0; j < b.columns.size(); ++j) {
      const Index column = b.columns.begin + j, tap = column % taps;
      T* to = out + column / taps * r.weights.i + tap / p.x.kernel * r.weights.y +
              tap % p.x.kernel * r.weights.x;
      for (Index o = 0; o < m; ++o) to[o * r.weights.o] = round_to<T>(sums[j * m + o]);
    }
  }
};

}  // namespace
}  // namespace convtranspose
