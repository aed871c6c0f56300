// SPDX-License-Identifier: MIT
// The inner loops of stencils whose lanes are pixels: one row of one output channel from staged
// rows of inputs.
#pragma once

#include "depthwise_columns.hpp"
#include "depthwise_lanes.hpp"
#include "depthwise_registers.hpp"

namespace convtranspose {
namespace {

/// A staged row of inputs and the row of weights that it meets, from the first of each.
struct RowTap {
  Index data, weights;
};

/// Some output rows of one channel: their inputs, and where they go.
template <class S>
struct StencilRows {
  const S* data;
  const S* weights;
  const RowTap* taps;  // those of output row i are first[i], ..., first[i + 1] - 1
  const Index* first;
  Index height;
  const Column* columns;
  Index column_count;
  S bias;
  S* to;
  Index to_step;  // from row to row
  Index count;    // outputs of a row
  bool around;    // stores go around the caches where they are aligned
};

/// A part of the sums of one output row.
template <class S>
struct RowSums {
  const S* data;
  const S* weights;
  const RowTap *taps, *taps_end;
  const Column *columns, *columns_end;
  S first;   // what sums start from
  bool add;  // to what earlier parts left
};

/// The sums of R residues, Q vectors of each.
template <class S, int R, int Q>
struct ResidueSums {
  Vectors<S, Q> head;
  ResidueSums<S, R - 1, Q> tail;

  EIGEN_ALWAYS_INLINE void set(S value) {
    head.set(value);
    tail.set(value);
  }
  EIGEN_ALWAYS_INLINE void add_all(const S* weights, const Vectors<S, Q>& in) {
    head.fma(Vec<S>::set(*weights), in);
    tail.add_all(weights + 1, in);
  }
  EIGEN_ALWAYS_INLINE void add(Index mask, const S* weights, const Vectors<S, Q>& in) {
    if (mask & 1) head.fma(Vec<S>::set(*weights), in);
    tail.add(mask >> 1, weights + 1, in);
  }
};
template <class S, int Q>
struct ResidueSums<S, 0, Q> {
  EIGEN_ALWAYS_INLINE void set(S) {}
  EIGEN_ALWAYS_INLINE void add_all(const S*, const Vectors<S, Q>&) {}
  EIGEN_ALWAYS_INLINE void add(Index, const S*, const Vectors<S, Q>&) {}
};

/// How one vector is stored.
template <class S>
struct VectorStore {
  bool add, around;

  EIGEN_ALWAYS_INLINE void operator()(S* to, typename Vec<S>::Type v) const {
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
EIGEN_ALWAYS_INLINE void store_columns(const VectorStore<S>& put, S* to, const Vectors<S, Q>& a) {
  put(to, a.head);
  if constexpr (Q > 1) store_columns(put, to + Vec<S>::kSize, a.tail);
}
template <class S, int Q>
EIGEN_ALWAYS_INLINE void store_columns(const VectorStore<S>& put, S* to, Vectors<S, Q> a,
                                       Vectors<S, Q> b) {
  interleave<S>(a.head, b.head);
  put(to, a.head);
  put(to + Vec<S>::kSize, b.head);
  if constexpr (Q > 1) store_columns(put, to + 2 * Vec<S>::kSize, a.tail, b.tail);
}
template <class S, int Q>
EIGEN_ALWAYS_INLINE void store_columns(const VectorStore<S>& put, S* to, Vectors<S, Q> a,
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

  static EIGEN_ALWAYS_INLINE void run(const RowSums<S>& s, Index q, S* to, bool around) {
    constexpr Index all = (Index{1} << R) - 1;
    ResidueSums<S, R, Q> sums;
    sums.set(s.first);
    for (const RowTap* tap = s.taps; tap != s.taps_end; ++tap) {
      const S* data = s.data + tap->data + q;
      const S* weights = s.weights + tap->weights;
      for (const Column* column = s.columns; column != s.columns_end; ++column, weights += R) {
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

/// All outputs of a row.
template <class S, int R>
EIGEN_ALWAYS_INLINE void stencil_row(const RowSums<S>& s, S* to, Index count, bool around) {
  using Wide = StencilBlock<S, R, 8 / R>;
  using Half = StencilBlock<S, R, max_of(1, 4 / R)>;
  using Quarter = StencilBlock<S, R, max_of(1, 2 / R)>;
  using Narrow = StencilBlock<S, R, 1>;
  Index x = 0;
  if (around && reinterpret_cast<std::uintptr_t>(to) % sizeof(typename Vec<S>::Type) == 0) {
    for (; x + Wide::kOutputs <= count; x += Wide::kOutputs) Wide::run(s, x / R, to + x, true);
  } else {
    for (; x + Wide::kOutputs <= count; x += Wide::kOutputs) Wide::run(s, x / R, to + x, false);
  }
  if (R < 4 && x + Half::kOutputs <= count) {
    Half::run(s, x / R, to + x, false);
    x += Half::kOutputs;
  }
  if (R < 2 && x + Quarter::kOutputs <= count) {
    Quarter::run(s, x / R, to + x, false);
    x += Quarter::kOutputs;
  }
  for (; x + Narrow::kOutputs <= count; x += Narrow::kOutputs) {
    Narrow::run(s, x / R, to + x, false);
  }
  if (x < count) Narrow::run_part(s, x / R, to + x, count - x);
}

/// Sums of at most so many terms; then a new sum is begun and added, so that long ones keep their
/// digits.
constexpr Index kStencilTerms = 256;

template <class S, int R>
void long_stencil_row(const StencilRows<S>& r, const RowTap* taps, Index tap_count, S* to) {
  const Index column_step = min_of(r.column_count, kStencilTerms);
  const Index tap_step = max_of(1, kStencilTerms / r.column_count);
  RowSums<S> part{r.data, r.weights, nullptr, nullptr, nullptr, nullptr, r.bias, false};
  for (Index t = 0; t < tap_count; t += tap_step) {
    part.taps = taps + t;
    part.taps_end = taps + min_of(t + tap_step, tap_count);
    for (Index c = 0; c < r.column_count; c += column_step) {
      part.columns = r.columns + c;
      part.columns_end = r.columns + min_of(c + column_step, r.column_count);
      part.weights = r.weights + c * R;
      stencil_row<S, R>(part, to, r.count, false);
      part.add = true;
      part.first = S{0};
    }
  }
}

template <class S, int R>
void stencil_rows(const StencilRows<S>& r) {
  S* to = r.to;
  for (Index y = 0; y < r.height; ++y, to += r.to_step) {
    const RowTap* taps = r.taps + r.first[y];
    const Index tap_count = r.first[y + 1] - r.first[y];
    if (tap_count * r.column_count > kStencilTerms) {
      long_stencil_row<S, R>(r, taps, tap_count, to);
      continue;
    }
    const RowSums<S> all{r.data,           r.weights, taps,
                         taps + tap_count, r.columns, r.columns + r.column_count,
                         r.bias,           false};
    stencil_row<S, R>(all, to, r.count, r.around);
  }
}

}  // namespace
}  // namespace convtranspose
