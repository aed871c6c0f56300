// SPDX-License-Identifier: MIT
// The inner loops of stencils whose lanes are pixels: one row of one output channel from staged
// rows of inputs.
#pragma once

#include "depthwise_columns.hpp"
#include "depthwise_lanes.hpp"
#include "depthwise_registers.hpp"

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

/// The sums of R residues, Q vectors of each.
template <class S, int R, int Q>
struct ResidueSums {
  Vectors<S, Q> head;
  ResidueSums<S, R - 1, Q> tail;

  EIGEN_STRONG_INLINE void set(S value) {
    head.set(value);
    tail.set(value);
  }
  EIGEN_STRONG_INLINE void add_all(const S* weights, const Vectors<S, Q>& in) {
    head.fma(Vec<S>::set(*weights), in);
    tail.add_all(weights + 1, in);
  }
  EIGEN_STRONG_INLINE void add(Index mask, const S* weights, const Vectors<S, Q>& in) {
    if (mask & 1) head.fma(Vec<S>::set(*weights), in);
    tail.add(mask >> 1, weights + 1, in);
  }
};
template <class S, int Q>
struct ResidueSums<S, 0, Q> {
  EIGEN_STRONG_INLINE void set(S) {}
  EIGEN_STRONG_INLINE void add_all(const S*, const Vectors<S, Q>&) {}
  EIGEN_STRONG_INLINE void add(Index, const S*, const Vectors<S, Q>&) {}
};

/// How one vector is stored.
template <class S>
struct VectorStore {
  bool add, around;

  EIGEN_STRONG_INLINE void operator()(S* to, typename Vec<S>::Type v) const {
    if (add) v = Vec<S>::add(v, Vec<S>::load(to));
    if (around) {
      stream<S>(to, v);
    } else {
      Vec<S>::store(to, v);
    }
  }
};

/// Columns of one residue each, two or four interleaved.
template <class S, int Q>
EIGEN_STRONG_INLINE void store_columns(const VectorStore<S>& put, S* to, const Vectors<S, Q>& a) {
  put(to, a.head);
  if constexpr (Q > 1) store_columns(put, to + Vec<S>::kSize, a.tail);
}
template <class S, int Q>
EIGEN_STRONG_INLINE void store_columns(const VectorStore<S>& put, S* to, Vectors<S, Q> a,
                                       Vectors<S, Q> b) {
  interleave<S>(a.head, b.head);
  put(to, a.head);
  put(to + Vec<S>::kSize, b.head);
  if constexpr (Q > 1) store_columns(put, to + 2 * Vec<S>::kSize, a.tail, b.tail);
}
template <class S, int Q>
EIGEN_STRONG_INLINE void store_columns(const VectorStore<S>& put, S* to, Vectors<S, Q> a,
                                       Vectors<S, Q> b, Vectors<S, Q> c, Vectors<S, Q> d) {
  constexpr Index n = Vec<S>::kSize;
  interleave<S>(a.head, c.head);
  interleave<S>(b.head, d.head);
  interleave<S>(a.head, b.head);
  interleave<S>(c.head, d.head);
  put(to, a.head);
  put(to + n, b.head);
  put(to + 2 * n, c.head);
  put(to + 3 * n, d.head);
  if constexpr (Q > 1) store_columns(put, to + 4 * n, a.tail, b.tail, c.tail, d.tail);
}

/// R residues x Q vectors of outputs from place q on, in registers.
template <class S, int R, int Q>
class StencilBlock {
 public:
  static constexpr Index kPlaces = Q * Vec<S>::kSize, kOutputs = R * kPlaces;

  static EIGEN_STRONG_INLINE void run(const RowSums<S>& s, Index q, S* to, bool around) {
    constexpr Index all = (Index{1} << R) - 1;
    ResidueSums<S, R, Q> sums;
    sums.set(s.first);
    const Column* const end = s.columns + s.column_count;
    for (Index row = 0; row < s.row_count; ++row) {
      const S* data = s.rows[row].data + q;
      const S* weights = s.rows[row].weights;
      for (const Column* column = s.columns; column != end; ++column, weights += R) {
        Vectors<S, Q> in;
        in.load(data + column->offset);
        if (R == 1 || column->mask == all) {
          sums.add_all(weights, in);
        } else {
          sums.add(column->mask, weights, in);
        }
      }
    }
    const VectorStore<S> put{s.add, around};
    if constexpr (R == 1) store_columns(put, to, sums.head);
    if constexpr (R == 2) store_columns(put, to, sums.head, sums.tail.head);
    if constexpr (R == 4) {
      store_columns(put, to, sums.head, sums.tail.head, sums.tail.tail.head,
                    sums.tail.tail.tail.head);
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
