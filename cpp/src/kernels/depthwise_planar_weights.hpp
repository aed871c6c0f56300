// SPDX-License-Identifier: MIT
// Weights gradient with pixels in the vectors' lanes: source rows and the result's runs (columns of
// one residue of the stride) are staged, and every tap sums the products of the two, shifted. Sums
// are kept in registers over one staged piece (at most some hundred terms a lane), then added to
// those of the job, then those of all jobs in a fixed order: so long sums keep their digits.
//
// A staged zero meets data that may be infinite. The NaN that this makes stays in the sum, so a sum
// that is not a number is computed again, the careful way.
#pragma once

#include "depthwise_careful.hpp"
#include "depthwise_tap_block.hpp"
#include "depthwise_transpose.hpp"

namespace convtranspose {
namespace {

/// Numbers of Schedule::tile.
struct PlanarWeightsTile {
  Index lanes_are_channels;  // 0
  Index groups, group_blocks;
  Index height, bands, width, tiles;  // source pixels of a piece
  Index rows;                         // most staged rows of a result channel
  Index source_run, run, pitch;
  Index pieces, per_part, parts;  // of one block of groups
  Index per_job;                  // units, which are (block, part)
};

template <class T>
class PlanarWeights {
  using S = Sum<T>;
  using V = Vec<S>;

 public:
  static void prepare(const Request& r, Schedule& s) noexcept {
    const Problem& p = r.problem;
    PlanarWeightsTile& t = tile_of<PlanarWeightsTile>(s);
    t.lanes_are_channels = 0;
    const bool together = r.source.c == 1 || r.result.c == 1;
    t.groups = together ? min_of(p.groups, ceil_div(kLineChannels, p.result_channels)) : 1;
    t.group_blocks = ceil_div(p.groups, t.groups);
    const Index slots = Columns::slots(p.x, false), span = Columns::most_span(p.x) * p.x.stride;
    const Index planes = t.groups * (p.source_channels + p.result_channels * slots);
    const Index budget = kBudget / static_cast<Index>(sizeof(S));
    const Index some = max_of(16 * V::kSize, budget / (planes * 4));
    t.width = min_of(p.x.source, round_up(some, V::kSize));
    t.tiles = ceil_div(p.x.source, t.width);
    t.width = min_of(p.x.source, round_up(ceil_div(p.x.source, t.tiles), V::kSize));
    t.tiles = ceil_div(p.x.source, t.width);
    t.source_run = round_up(t.width, V::kSize);
    t.run = t.source_run + round_up(span, V::kSize);
    t.pitch = t.run * slots;
    const Index reach = (p.y.kernel - 1) * p.y.dilation;
    const Index row = t.groups * (p.source_channels * t.source_run +
                                  p.result_channels * t.pitch * min_of(p.y.stride, p.y.kernel));
    t.height =
        clamp_to((budget - reach * t.groups * p.result_channels * t.pitch) / row, 1, p.y.source);
    t.bands = ceil_div(p.y.source, t.height);
    t.height = ceil_div(p.y.source, t.bands);
    t.bands = ceil_div(p.y.source, t.height);
    t.rows = min_of(p.y.result, (t.height - 1) * p.y.stride + reach + 1);
    t.pieces = p.batch * t.bands * t.tiles;
    const Index terms = t.groups * p.source_channels * p.result_channels * p.y.kernel * p.x.kernel *
                        t.height * round_up(t.width, V::kSize);
    const Index enough = ceil_div(kJobTerms, terms);  // pieces
    t.parts = clamp_to(ceil_div(kJobs, t.group_blocks), 1, ceil_div(t.pieces, enough));
    t.per_part = ceil_div(t.pieces, t.parts);
    t.parts = ceil_div(t.pieces, t.per_part);
    const Index units = t.group_blocks * t.parts;
    t.per_job = clamp_to(enough / t.per_part, 1, ceil_div(units, kJobs));
    s.jobs = ceil_div(units, t.per_job);
    s.shared_bytes = units * arena_bytes<S>(block_size(p, t));
    s.finish_tasks = t.group_blocks;
    s.workspace_bytes = Columns::arena_bytes_of(p.x, false) +
                        arena_bytes<S>(t.groups * p.source_channels * t.height * t.source_run) +
                        arena_bytes<S>(t.groups * p.result_channels * t.rows * t.pitch) +
                        arena_bytes<S>(block_size(p, t) * V::kSize);
  }

  static void run(const Request& r, const Schedule& s, const Tensors& tensors, void* shared,
                  Index job, void* workspace) noexcept {
    const PlanarWeightsTile& t = tile_of<PlanarWeightsTile>(s);
    PlanarWeights work(r, t, tensors, workspace);
    const Span units = piece(job, t.per_job, t.group_blocks * t.parts);
    for (Index unit = units.begin; unit < units.end; ++unit)
      work.go(unit, partial(r, t, shared, unit));
  }

  static void finish(const Request& r, const Schedule& s, const Tensors& tensors,
                     const void* shared, Index task) noexcept {
    const Problem& p = r.problem;
    const PlanarWeightsTile& t = tile_of<PlanarWeightsTile>(s);
    const S* sums = partial(r, t, const_cast<void*>(shared), task * t.parts);
    const Index step = arena_bytes<S>(block_size(p, t)) / static_cast<Index>(sizeof(S));
    const Span groups = piece(task, t.groups, p.groups);
    for (Index o = groups.begin * p.source_channels; o < groups.end * p.source_channels; ++o) {
      for (Index i = 0; i < p.result_channels; ++i) {
        T* out = static_cast<T*>(tensors.output) + o * r.weights.o + i * r.weights.i;
        for (Index ky = 0; ky < p.y.kernel; ++ky) {
          for (Index kx = 0; kx < p.x.kernel; ++kx, ++sums) {
            S sum{0};
            for (Index part = 0; part < t.parts; ++part) sum += sums[part * step];
            out[ky * r.weights.y + kx * r.weights.x] =
                sum == sum ? round_to<T>(sum) : careful_weight<T>(r, tensors, o, i, ky, kx);
          }
        }
      }
    }
  }

 private:
  static constexpr Index kLineChannels = 16, kJobTerms = 400000, kJobs = 16;
  static constexpr Index kBudget = 48 << 10;

  /// Weights of one block of groups.
  static Index block_size(const Problem& p, const PlanarWeightsTile& t) {
    return t.groups * p.source_channels * p.result_channels * p.y.kernel * p.x.kernel;
  }
  static S* partial(const Request& r, const PlanarWeightsTile& t, void* shared, Index unit) {
    return reinterpret_cast<S*>(static_cast<char*>(shared) +
                                unit * arena_bytes<S>(block_size(r.problem, t)));
  }

  PlanarWeights(const Request& r, const PlanarWeightsTile& t, const Tensors& tensors,
                void* workspace)
      : r_(r),
        p_(r.problem),
        t_(t),
        tensors_(tensors),
        arena_(workspace),
        columns_(r.problem.x, false, arena_) {
    columns_.set_run(t.run);
    source_ = arena_.take<S>(t.groups * p_.source_channels * t.height * t.source_run);
    result_ = arena_.take<S>(t.groups * p_.result_channels * t.rows * t.pitch);
    sums_ = arena_.take<S>(block_size(p_, t) * V::kSize);
    if (t.tiles > 1) return;
    // Zeros are in the same places of all rows if one tile is all columns.
    fill(source_, t.groups * p_.source_channels * t.height * t.source_run, S{0});
    fill(result_, t.groups * p_.result_channels * t.rows * t.pitch, S{0});
  }

  void go(Index unit, S* partial) {
    const Index block = unit / t_.parts;
    groups_ = piece(block, t_.groups, p_.groups);
    const Index pairs = groups_.size() * p_.source_channels * p_.result_channels;
    const Index width = columns_.total(), taps = p_.y.kernel * width;
    for (Index i = 0; i < pairs * taps * V::kSize; ++i) sums_[i] = S{0};
    const Span pieces = piece(unit % t_.parts, t_.per_part, t_.pieces);
    for (Index i = pieces.begin; i < pieces.end; ++i) {
      n_ = i / t_.tiles / t_.bands;
      y_ = piece(i / t_.tiles % t_.bands, t_.height, p_.y.source);
      x_ = piece(i % t_.tiles, t_.width, p_.x.source);
      stage();
      for (Index pair = 0; pair < pairs; ++pair) add_pair(pair, sums_ + pair * taps * V::kSize);
    }
    for (Index row = 0; row < pairs * p_.y.kernel; ++row) {
      for (Index kx = 0; kx < p_.x.kernel; ++kx) {
        const Index place = columns_.place(kx);
        *partial++ =
            place < 0 ? S{0} : V::reduce(V::load(sums_ + (row * width + place) * V::kSize));
      }
    }
  }

  void stage() {
    const Index count = round_up(x_.size(), V::kSize);
    const Places sources_wanted{x_.begin, count, t_.tiles > 1};
    const Index first_o = groups_.begin * p_.source_channels;
    const T* source = static_cast<const T*>(tensors_.source) + n_ * r_.source.n;
    const Index sources = groups_.size() * p_.source_channels;
    for (Index y = y_.begin; y < y_.end; ++y) {
      const T* from = source + first_o * r_.source.c + y * r_.source.y;
      if (r_.source.c == 1) {
        stage_channels(ChannelsRow<T>{from, r_.source.x, p_.x.source, sources}, sources_wanted, 1,
                       0, source_row(0, y), t_.height * t_.source_run);
        continue;
      }
      for (Index o = 0; o < sources; ++o) {
        stage_run(TensorRow<T>{from + o * r_.source.c, r_.source.x, p_.x.source}, sources_wanted, 1,
                  0, source_row(o, y));
      }
    }
    const Axis& a = p_.y;
    result_y_ = {
        clamp_to(y_.begin * a.stride - a.pad, 0, a.result),
        clamp_to((y_.end - 1) * a.stride - a.pad + (a.kernel - 1) * a.dilation + 1, 0, a.result)};
    const T* result = static_cast<const T*>(tensors_.result) + n_ * r_.result.n +
                      groups_.begin * p_.result_channels * r_.result.c;
    const Index results = groups_.size() * p_.result_channels;
    const Places wanted{x_.begin + columns_.low(), count + columns_.span(), t_.tiles > 1};
    for (Index y = result_y_.begin; r_.result.c == 1 && y < result_y_.end; ++y) {
      const ChannelsRow<T> row{result + y * r_.result.y, r_.result.x, p_.x.result, results};
      for (Index i = 0; i < columns_.slots(); ++i) {
        stage_channels(row, wanted, p_.x.stride, columns_.slot_residue(i),
                       result_row(0, y) + i * t_.run, t_.rows * t_.pitch);
      }
    }
    if (r_.result.c == 1) return;
    for (Index c = 0; c < results; ++c) {
      for (Index y = result_y_.begin; y < result_y_.end; ++y) {
        const TensorRow<T> row{result + c * r_.result.c + y * r_.result.y, r_.result.x,
                               p_.x.result};
        S* to = result_row(c, y);
        if (columns_.all_residues()) {
          stage_residues(row, wanted, p_.x.stride, to, t_.run);
          continue;
        }
        for (Index i = 0; i < columns_.slots(); ++i) {
          stage_run(row, wanted, p_.x.stride, columns_.slot_residue(i), to + i * t_.run);
        }
      }
    }
  }
  S* source_row(Index o, Index y) const {
    return source_ + (o * t_.height + y - y_.begin) * t_.source_run;
  }
  S* result_row(Index c, Index y) const {
    return result_ + (c * t_.rows + y - result_y_.begin) * t_.pitch;
  }

  /// Source rows of the piece whose result row through kernel row ky is inside.
  Span rows_of(Index ky) const {
    const Axis& a = p_.y;
    const Index shift = ky * a.dilation - a.pad;
    const Index first = clamp_to(-floor_div(shift, a.stride), y_.begin, y_.end);
    return {first, clamp_to(floor_div(a.result - 1 - shift, a.stride) + 1, first, y_.end)};
  }

  void add_pair(Index pair, S* sums) {
    const Index o = pair / p_.result_channels;
    const Index c = o / p_.source_channels * p_.result_channels + pair % p_.result_channels;
    const Index step = columns_.total() * V::kSize;
    for (Index ky = 0; ky < p_.y.kernel; ++ky, sums += step) {
      const Span rows = rows_of(ky);
      if (ky + 1 == p_.y.kernel) {
        add_rows<1>(o, c, ky, rows, sums);
        return;
      }
      // Two kernel rows together where both meet the result, for enough sums to hide the latency.
      const Span next = rows_of(ky + 1);
      const Index first = max_of(rows.begin, next.begin);
      const Span both{first, max_of(first, min_of(rows.end, next.end))};
      add_rows<2>(o, c, ky, both, sums);
      for (int i = 0; i < 2; ++i) {
        const Span all = i == 0 ? rows : next;
        add_rows<1>(o, c, ky + i, {all.begin, min_of(all.end, both.begin)}, sums + i * step);
        add_rows<1>(o, c, ky + i, {max_of(all.begin, both.end), all.end}, sums + i * step);
      }
      ++ky;
      sums += step;
    }
  }

  template <int P>
  void add_rows(Index o, Index c, Index ky, Span rows, S* sums) {
    if (rows.end <= rows.begin) return;
    const S* results[P];
    for (int p = 0; p < P; ++p) {
      results[p] = result_row(c, rows.begin * p_.y.stride + (ky + p) * p_.y.dilation - p_.y.pad);
    }
    Index k = 0;
    for (; k + 4 <= columns_.total(); k += 4) add_taps<P, 4>(o, rows, results, k, sums);
    const Index left = columns_.total() - k;
    if (left == 3) add_taps<P, 3>(o, rows, results, k, sums);
    if (left == 2) add_taps<P, 2>(o, rows, results, k, sums);
    if (left == 1) add_taps<P, 1>(o, rows, results, k, sums);
  }

  template <int P, int K>
  void add_taps(Index o, Span rows, const S* const* results, Index k, S* sums) {
    S* at[P];
    for (int p = 0; p < P; ++p) at[p] = sums + (p * columns_.total() + k) * V::kSize;
    TapBlock<S, P, K>::run(source_row(o, rows.begin), t_.source_run, results,
                           p_.y.stride * t_.pitch, columns_.columns() + k, rows.size(), x_.size(),
                           at);
  }

  const Request& r_;
  const Problem& p_;
  const PlanarWeightsTile& t_;
  const Tensors& tensors_;
  Arena arena_;
  Columns columns_;
  S *source_, *result_, *sums_;
  Span groups_{}, y_{}, x_{}, result_y_{};
  Index n_ = 0;
};

}  // namespace
}  // namespace convtranspose
