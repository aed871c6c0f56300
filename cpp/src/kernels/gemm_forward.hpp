// SPDX-License-Identifier: MIT
// Transposed convolution as GEMM + col2im. For a tile of source pixels
//   columns[pixel][(i, ky, kx)] = sum over o of source[o][pixel] * weights[o][i][ky][kx]
// and every column is added to the result rows it belongs to. The rows live in a ring of sums until
// no later source row reaches them; then they are finished and stored once, so results may have any
// strides and type. The columns of a result row are kept apart by x mod stride, which makes every
// addition a run of neighbouring numbers.
#pragma once

#include "gemm_panels.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

/// Numbers of Schedule::tile.
struct ForwardTile {
  Index channels, per_group, per_chunk;  // panels
  Index images;                          // of one job; more than 1 only if whole images are tiny
  Index rows;                            // source rows of one GEMM
  Index columns;                         // columns of one GEMM
  Index x_results, x_tiles;              // result columns of one job; tiles start at multiples
                                         // of the stride
  Index run, row;                        // numbers of one residue, of one row of sums
  Index y_results, y_bands;              // result rows of one job
  Index ring;                            // rows of sums of one image
  Index pixels;                          // most source pixels of one GEMM
};

template <class T>
class GemmForward {
  using S = Sum<T>;
  using Gemm = EigenGemm<S>;

 public:
  static void prepare(const Request& r, Schedule& s) noexcept {
    const Problem& p = r.problem;
    const Index taps = p.y.kernel * p.x.kernel;
    ForwardTile& t = tile_of<ForwardTile>(s);
    // 192 pixels fill Eigen's 24-row (48-row) panels well and keep a tile inside L2.
    const Index reach_x = min_of((p.x.kernel - 1) * p.x.dilation, p.x.result);
    const Index reach_y = min_of((p.y.kernel - 1) * p.y.dilation, p.y.result);
    const Index halo = reach_x / p.x.stride;
    const Index width = min_of(p.x.source, max_of(kPixels, 2 * halo));
    const Index stride_x = min_of(p.x.stride, p.x.result);
    t.x_results = width == p.x.source ? min_of(p.x.result, (width - 1) * stride_x + reach_x + 1)
                                      : width * stride_x;
    t.run = ceil_div(t.x_results, p.x.stride);
    if (t.x_results < p.x.result) t.x_results = t.run * p.x.stride;
    t.x_tiles = ceil_div(p.x.result, t.x_results);
    t.rows = clamp_to(kPixels / width, 1, p.y.source);
    const Index stride_y = min_of(p.y.stride, p.y.result);
    t.ring = min_of(p.y.result, t.rows * stride_y + reach_y + 1);
    const bool whole = t.x_tiles == 1 && t.rows == p.y.source && t.ring == p.y.result;
    t.images = whole ? clamp_to(kPixels / (width * p.y.source), 1, p.batch) : 1;
    const Index runs = min_of(p.x.stride, t.x_results);
    t.row = runs * t.run;
    const Index sums = t.images * t.ring * t.row * static_cast<Index>(sizeof(S));
    // Sums of a panel within a quarter of L2, but columns enough for the GEMM to pay.
    const Index fit = max_of(r.caches.l2 / 4 / sums, ceil_div(32, taps));
    const Panels panels = Panels::make<S>(
        p.groups, p.result_channels, clamp_to(fit, 1, p.result_channels), p.source_channels, taps);
    t.channels = panels.channels;
    t.per_group = panels.per_group;
    t.per_chunk = panels.per_chunk;
    t.columns = min_of(kColumns, panels.channels * taps);
    // Bands of rows only where there would be too few jobs for the cores otherwise.
    const Index others = panels.total * ceil_div(p.batch, t.images) * t.x_tiles;
    const Index most = max_of(1, p.y.result / max_of(4 * (reach_y + 1), t.rows * stride_y));
    t.y_bands = whole ? 1 : clamp_to(ceil_div(kJobs, others), 1, most);
    t.y_results = ceil_div(p.y.result, t.y_bands);
    t.y_bands = ceil_div(p.y.result, t.y_results);
    panels.schedule(s, ceil_div(p.batch, t.images) * t.x_tiles * t.y_bands);
    t.pixels = Gemm::whole_panels(t.images * t.rows * min_of(p.x.source, width + halo + 2));
    s.workspace_bytes = arena_bytes<S>(t.channels * t.images * t.ring * t.row) +
                        arena_bytes<S>(t.pixels * min_of(Gemm::kDepth, p.source_channels)) +
                        arena_bytes<S>(t.pixels * p.source_channels) +
                        arena_bytes<S>(t.pixels * t.columns);
  }

  static void pack(const Request& r, const Schedule& s, const void* weights, void* packed,
                   Index chunk, Index task) noexcept {
    const Problem& p = r.problem;
    const ForwardTile& t = tile_of<ForwardTile>(s);
    const Index panel = chunk * t.per_chunk + task;
    if (panel >= p.groups * t.per_group) return;
    const Index taps = p.y.kernel * p.x.kernel;
    const Span channels = piece(panel % t.per_group, t.channels, p.result_channels);
    const T* base =
        static_cast<const T*>(weights) + panel / t.per_group * p.source_channels * r.weights.o;
    pack_right(panel_memory(s, packed, task, r), p.source_channels, channels.size() * taps,
               [&](S* to, Index k0, Index k, Index column) {
                 const Index tap = column % taps;
                 const T* from = base + (channels.begin + column / taps) * r.weights.i +
                                 tap / p.x.kernel * r.weights.y + tap % p.x.kernel * r.weights.x;
                 for (Index i = 0; i < k; ++i) to[i] = widen(from[(k0 + i) * r.weights.o]);
               });
  }

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, const void* packed,
                  void*, Index chunk, Index job, void* workspace) noexcept {
    const ForwardTile& t = tile_of<ForwardTile>(s);
    const Index jobs = s.jobs / t.per_chunk;
    const Index panel = chunk * t.per_chunk + job / jobs;
    if (panel >= r.problem.groups * t.per_group) return;
    GemmForward work(r, t, tensors, panel, job % jobs, workspace);
    work.go(panel_memory(s, const_cast<void*>(packed), job / jobs, r));
  }

 private:
  static constexpr Index kPixels = 192, kColumns = 512, kJobs = 16;

  static S* panel_memory(const Schedule& s, void* packed, Index panel, const Request&) {
    return reinterpret_cast<S*>(static_cast<char*>(packed) +
                                panel * (s.packed_bytes / s.pack_tasks));
  }

  GemmForward(const Request& r, const ForwardTile& t, const Tensors& tensors, Index panel,
              Index part, void* workspace)
      : r_(r), p_(r.problem), t_(t), tensors_(tensors) {
    group_ = panel / t.per_group;
    channels_ = piece(panel % t.per_group, t.channels, p_.result_channels);
    y_ = piece(part % t.y_bands, t.y_results, p_.y.result);
    part /= t.y_bands;
    x_ = piece(part % t.x_tiles, t.x_results, p_.x.result);
    images_ = piece(part / t.x_tiles, t.images, p_.batch);
    sources_x_ = sources_of(p_.x, x_.begin, x_.end);
    Arena arena(workspace);
    sums_ = arena.take<S>(t.channels * t.images * t.ring * t.row);
    staging_ = arena.take<S>(t.pixels * min_of(Gemm::kDepth, p_.source_channels));
    left_ = arena.take<S>(t.pixels * p_.source_channels);
    columns_ = arena.take<S>(t.pixels * t.columns);
  }

  void go(const S* right) {
    const Index taps = p_.y.kernel * p_.x.kernel;
    zero(0, t_.ring);
    const Span rows = sources_of(p_.y, y_.begin, y_.end);
    Index stored = y_.begin;
    for (Index row = rows.begin; row < rows.end && sources_x_.size() > 0; row += t_.rows) {
      const Index count = min_of(t_.rows, rows.end - row);
      const Index pixels = Gemm::whole_panels(images_.size() * count * sources_x_.size());
      pack_source(row, count, pixels);
      const Index all = channels_.size() * taps;
      for (Index j = 0; j < all; j += t_.columns) {
        const Index n = min_of(t_.columns, all - j);
        for (Index i = 0; i < pixels * n; ++i) columns_[i] = S{0};
        for (Index k0 = 0; k0 < p_.source_channels; k0 += Gemm::kDepth) {
          const Index k = min_of(Gemm::kDepth, p_.source_channels - k0);
          Gemm::multiply(columns_, pixels, left_ + k0 * pixels, right + k0 * all + k * j, pixels, k,
                         n);
        }
        for (Index column = 0; column < n; ++column) {
          add_column(columns_ + column * pixels, j + column, row, count);
        }
      }
      // Rows below the next source row's first tap are complete.
      const Index complete = row + count >= rows.end
                                 ? y_.end
                                 : clamp_to((row + count) * p_.y.stride - p_.y.pad, stored, y_.end);
      store(stored, complete);
      stored = complete;
    }
    store(stored, y_.end);
  }

  /// Stores result rows [begin, end), however many: all that have sums are among the first of them,
  /// and a row of sums is zero again once it is stored.
  void store(Index begin, Index end) {
    for (; begin < end; begin += t_.ring) store_rows(begin, min_of(begin + t_.ring, end));
  }

  /// The tile's source pixels as the GEMM's left-hand side.
  void pack_source(Index row, Index count, Index pixels) {
    for (Index k0 = 0; k0 < p_.source_channels; k0 += Gemm::kDepth) {
      const Index k = min_of(Gemm::kDepth, p_.source_channels - k0);
      const T* base = static_cast<const T*>(tensors_.source) +
                      (group_ * p_.source_channels + k0) * r_.source.c +
                      sources_x_.begin * r_.source.x;
      Index pixel = 0;
      for (Index n = images_.begin; n < images_.end; ++n) {
        for (Index y = row; y < row + count; ++y) {
          const T* line = base + n * r_.source.n + y * r_.source.y;
          copy_line(staging_ + pixel, pixels, line, k);
          pixel += sources_x_.size();
        }
      }
      for (Index i = 0; i < k; ++i) fill(staging_ + i * pixels + pixel, pixels - pixel, S{0});
      Gemm::pack_a(left_ + k0 * pixels, staging_, pixels, pixels, k);
    }
  }

  void copy_line(S* to, Index ld, const T* from, Index k) {
    const Index width = sources_x_.size();
    if (r_.source.c == 1) {  // NHWC: read along the channels
      for (Index x = 0; x < width; ++x) {
        for (Index i = 0; i < k; ++i) to[i * ld + x] = widen(from[x * r_.source.x + i]);
      }
    } else {
      for (Index i = 0; i < k; ++i) {
        for (Index x = 0; x < width; ++x) {
          to[i * ld + x] = widen(from[i * r_.source.c + x * r_.source.x]);
        }
      }
    }
  }

  S* sums_row(Index channel, Index image, Index y) {
    return sums_ + ((channel * t_.images + image) * t_.ring + y % t_.ring) * t_.row;
  }

  void add_column(const S* column, Index index, Index row, Index count) {
    const Index taps = p_.y.kernel * p_.x.kernel, tap = index % taps;
    const Index shift = tap % p_.x.kernel * p_.x.dilation - p_.x.pad - x_.begin;
    const Index residue = modulo(shift, p_.x.stride), step = floor_div(shift, p_.x.stride);
    // Source columns whose target, at place source + step of the residue's run, is inside.
    const Index room = floor_div(x_.size() - residue + p_.x.stride - 1, p_.x.stride);
    const Index first = max_of(sources_x_.begin, -step);
    const Index last = min_of(sources_x_.end, room - step);
    if (first >= last) return;
    for (Index image = 0; image < images_.size(); ++image) {
      for (Index i = 0; i < count; ++i) {
        const Index y = (row + i) * p_.y.stride + tap / p_.x.kernel * p_.y.dilation - p_.y.pad;
        if (y < y_.begin || y >= y_.end) continue;
        S* to = sums_row(index / taps, image, y) + residue * t_.run + first + step;
        const Index pixel = (image * count + i) * sources_x_.size() + first - sources_x_.begin;
        add_to(to, column + pixel, last - first);
      }
    }
  }

  void zero(Index begin, Index end) {
    for (Index line = 0; line < channels_.size() * t_.images; ++line) {
      for (Index y = begin; y < end; ++y) {
        S* row = sums_ + (line * t_.ring + y % t_.ring) * t_.row;
        for (Index x = 0; x < t_.row; ++x) row[x] = S{0};
      }
    }
  }

  /// Finishes result rows [begin, end) and frees their place in the ring.
  void store_rows(Index begin, Index end) {
    for (Index image = 0; image < images_.size(); ++image) {
      for (Index y = begin; y < end; ++y) {
        T* out = static_cast<T*>(tensors_.output) + (images_.begin + image) * r_.result.n +
                 (group_ * p_.result_channels + channels_.begin) * r_.result.c + y * r_.result.y +
                 x_.begin * r_.result.x;
        const Index plane = t_.images * t_.ring * t_.row;
        const S* sums = sums_row(0, image, y);
        if (r_.result.c == 1) {
          for (Index x = 0; x < x_.size(); ++x) {
            const S* at = sums + x % p_.x.stride * t_.run + x / p_.x.stride;
            for (Index c = 0; c < channels_.size(); ++c) {
              out[x * r_.result.x + c] = finish(at[c * plane], c);
            }
          }
        } else {
          for (Index c = 0; c < channels_.size(); ++c) {
            for (Index residue = 0; residue < min_of(p_.x.stride, x_.size()); ++residue) {
              const S* at = sums + c * plane + residue * t_.run;
              T* to = out + c * r_.result.c + residue * r_.result.x;
              const Index step = p_.x.stride * r_.result.x;
              const Index n = floor_div(x_.size() - residue + p_.x.stride - 1, p_.x.stride);
              for (Index q = 0; q < n; ++q) to[q * step] = finish(at[q], c);
            }
          }
        }
      }
    }
    zero(begin, end);
  }

  T finish(S sum, Index channel) {
    const Epilogue& e = tensors_.epilogue;
    if (e.bias != nullptr) {
      sum += static_cast<const S*>(e.bias)[group_ * p_.result_channels + channels_.begin + channel];
    }
    return round_to<T>(activate(sum, e));
  }

  const Request& r_;
  const Problem& p_;
  const ForwardTile& t_;
  const Tensors& tensors_;
  Index group_;
  Span channels_, y_{}, x_{}, images_{}, sources_x_{};
  S *sums_, *staging_, *left_, *columns_;
};

}  // namespace
}  // namespace convtranspose
