// SPDX-License-Identifier: MIT
// The inner loops of stencils whose lanes are pixels: one row of one output channel from staged
// rows of inputs.
#pragma once

#include "depthwise_columns.hpp"
#include "depthwise_lanes.hpp"

namespace convtranspose {
namespace {

/// A staged row of inputs and the row of weights that it meets.
template <class S>
struct InputRow {
  const S* data;
  const S* weights;
};

/// A part of the sums of one row of outputs.
template <class S>
struct RowSums {
  const InputRow<S>* rows;
  Index row_count;
  const Column* columns;
  Index column_count;
  S first;    // what sums start from
  bool add;   // to what earlier parts left
  bool last;  // no part follows
};

/// R residues x Q vectors of outputs from place q on, in registers.
template <class S, int R, int Q>
class StencilBlock {
  using V = Vec<S>;
  using Packet = typename V::Type;

 public:
  static constexpr Index kPlaces = Q * V::kSize, kOutputs = R * kPlaces;

  static EIGEN_STRONG_INLINE void run(const RowSums<S>& s, Index q, S* to, bool around) {
    Packet sums[R][Q];
    for (int j = 0; j < R; ++j) {
      for (int i = 0; i < Q; ++i) sums[j][i] = V::set(s.first);
    }
    for (Index row = 0; row < s.row_count; ++row) {
      const S* data = s.rows[row].data + q;
      const S* weights = s.rows[row].weights;
      for (Index column = 0; column < s.column_count; ++column, weights += R) {
        const S* at = data + s.columns[column].offset;
        Packet in[Q];
        for (int i = 0; i < Q; ++i) in[i] = V::load(at + i * V::kSize);
        const Index mask = s.columns[column].mask;
        for (int j = 0; j < R; ++j) {
          if (R > 1 && (mask >> j & 1) == 0) continue;
          const Packet w = V::set(weights[j]);
          for (int i = 0; i < Q; ++i) sums[j][i] = V::fma(w, in[i], sums[j][i]);
        }
      }
    }
    for (int i = 0; i < Q; ++i) {
      Packet out[R];
      for (int j = 0; j < R; ++j) out[j] = sums[j][i];
      if constexpr (R == 2) interleave<S>(out[0], out[1]);
      if constexpr (R == 4) {
        interleave<S>(out[0], out[2]);
        interleave<S>(out[1], out[3]);
        interleave<S>(out[0], out[1]);
        interleave<S>(out[2], out[3]);
      }
      for (int j = 0; j < R; ++j) {
        S* place = to + (i * R + j) * V::kSize;
        if (s.add) out[j] = V::add(out[j], V::load(place));
        if (around) {
          stream<S>(place, out[j]);
        } else {
          V::store(place, out[j]);
        }
      }
    }
  }

  /// The same where only `count` outputs have a place.
  static void run_part(const RowSums<S>& s, Index q, S* to, Index count) {
    S all[kOutputs];
    RowSums<S> fresh = s;
    fresh.add = false;
    run(fresh, q, all, false);
    for (Index i = 0; i < count; ++i) to[i] = s.add ? to[i] + all[i] : all[i];
  }
};

/// All `count` outputs of a row. `around`: stores go around the caches where they are aligned.
template <class S, int R>
void stencil_row(const RowSums<S>& s, S* to, Index count, bool around) {
  using Wide = StencilBlock<S, R, 8 / R>;
  using Narrow = StencilBlock<S, R, 1>;
  const bool streams = around && s.last && !s.add &&
                       reinterpret_cast<std::uintptr_t>(to) % sizeof(typename Vec<S>::Type) == 0;
  Index x = 0;
  if (streams) {
    for (; x + Wide::kOutputs <= count; x += Wide::kOutputs) Wide::run(s, x / R, to + x, true);
  } else {
    for (; x + Wide::kOutputs <= count; x += Wide::kOutputs) Wide::run(s, x / R, to + x, false);
  }
  for (; x + Narrow::kOutputs <= count; x += Narrow::kOutputs) {
    Narrow::run(s, x / R, to + x, false);
  }
  if (x < count) Narrow::run_part(s, x / R, to + x, count - x);
}

/// Sums of at most so many terms; then a new sum is begun and added, so that long ones keep their
/// digits.
constexpr Index kTerms = 256;

template <class S, int R>
void stencil_rows(RowSums<S> s, S* to, Index count, bool around) {
  const InputRow<S>* rows = s.rows;
  const Index row_count = s.row_count, columns = s.column_count;
  const Column* first_column = s.columns;
  if (row_count * columns <= kTerms) {
    s.last = true;
    stencil_row<S, R>(s, to, count, around);
    return;
  }
  const Index column_step = min_of(columns, kTerms), row_step = max_of(1, kTerms / columns);
  s.last = false;
  for (Index r = 0; r < row_count; r += row_step) {
    for (Index c = 0; c < columns; c += column_step) {
      InputRow<S> part[kTerms];
      s.row_count = min_of(row_step, row_count - r);
      for (Index i = 0; i < s.row_count; ++i) {
        part[i] = {rows[r + i].data, rows[r + i].weights + c * R};
      }
      s.rows = part;
      s.columns = first_column + c;
      s.column_count = min_of(column_step, columns - c);
      stencil_row<S, R>(s, to, count, around);
      s.add = true;
      s.first = S{0};
    }
  }
}

}  // namespace
}  // namespace convtranspose
