// SPDX-License-Identifier: MIT
// Nested transforms, one axis at a time: the minimal algorithm of y on whole rows, that of x on
// columns; so every pair of one-dimensional algorithms is there, and inputs that neighbouring tiles
// share are transformed in y once. All lanes are channels.
#pragma once

#include "tiling.hpp"
#include "winograd_minimal.hpp"

namespace convtranspose {
namespace {

/// Results of a tile's side, and taps of a phase's.
constexpr Index kMostSide = 4;
constexpr Index kMostTaps = 3;

constexpr Index elements_of(Index results, Index taps) { return results + taps - 1; }

/// B^T or G over rows: `to` row e, column x from columns x of all `from` rows.
template <class S>
struct InputRows {
  const S* from[kMostElements];
  Index from_step[kMostElements];  // of columns; 0 for a row of zeros
  S* to;
  Index to_row, to_step;
  Index columns, vectors;
};

template <class S, class Matrix>
EIGEN_DONT_INLINE void input_rows(const InputRows<S>& t) {
  using V = Vec<S>;
  constexpr int kIn = Matrix::kColumns;
  const S* from[kIn];
  for (int i = 0; i < kIn; ++i) from[i] = t.from[i];
  S* to = t.to;
  for (Index x = 0; x < t.columns; ++x) {
    for (Index v = 0; v < t.vectors; ++v) {
      typename V::Type in[kIn], out[Matrix::kRows];
      repeat<kIn>([&](auto i)
                      CONVTRANSPOSE_INLINE_LAMBDA { in[i] = V::load(from[i] + v * V::kSize); });
      multiply<S, Matrix>(in, out);
      repeat<Matrix::kRows>([&](auto e) CONVTRANSPOSE_INLINE_LAMBDA {
        V::store(to + e * t.to_row + v * V::kSize, out[e]);
      });
    }
    for (int i = 0; i < kIn; ++i) from[i] += t.from_step[i];
    to += t.to_step;
  }
}

/// B^T or G over columns, for `rows` rows: `to` element e from columns 0, step, 2 step, ...
template <class S>
struct InputColumns {
  const S* from;
  Index from_row, from_step;
  S* to;
  Index to_row, to_element, to_vector;
  Index rows, vectors;
};

template <class S, class Matrix>
EIGEN_DONT_INLINE void input_columns(const InputColumns<S>& t) {
  using V = Vec<S>;
  for (Index row = 0; row < t.rows; ++row) {
    const S* from = t.from + row * t.from_row;
    S* to = t.to + row * t.to_row;
    for (Index v = 0; v < t.vectors; ++v) {
      typename V::Type in[Matrix::kColumns], out[Matrix::kRows];
      repeat<Matrix::kColumns>(
          [&](auto i) CONVTRANSPOSE_INLINE_LAMBDA { in[i] = V::load(from + i * t.from_step); });
      multiply<S, Matrix>(in, out);
      repeat<Matrix::kRows>(
          [&](auto e) CONVTRANSPOSE_INLINE_LAMBDA { V::store(to + e * t.to_element, out[e]); });
      from += V::kSize;
      to += t.to_vector;
    }
  }
}

/// A^T or G over one axis of `rows` x `vectors` small problems with regular steps.
template <class S>
struct Regular {
  const S* from;
  Index from_row, from_step;
  S* to;
  Index to_row, to_step;
  Index rows, vectors;
};

template <class S, class Matrix>
EIGEN_DONT_INLINE void regular(const Regular<S>& t) {
  using V = Vec<S>;
  for (Index row = 0; row < t.rows; ++row) {
    const S* from = t.from + row * t.from_row;
    S* to = t.to + row * t.to_row;
    for (Index v = 0; v < t.vectors; ++v) {
      typename V::Type in[Matrix::kColumns], out[Matrix::kRows];
      repeat<Matrix::kColumns>(
          [&](auto i) CONVTRANSPOSE_INLINE_LAMBDA { in[i] = V::load(from + i * t.from_step); });
      multiply<S, Matrix>(in, out);
      repeat<Matrix::kRows>(
          [&](auto i) CONVTRANSPOSE_INLINE_LAMBDA { V::store(to + i * t.to_step, out[i]); });
      from += V::kSize;
      to += V::kSize;
    }
  }
}

/// A^T over rows, to rows anywhere, with the bias added or added to what is there.
template <class S>
struct OutputRows {
  const S* from;
  Index from_row, from_step;
  S* to[kMostSide];
  Span valid;  // of the rows: others are not stored
  Index to_step;
  const S* bias;
  Index columns, vectors;
  bool add;  // to what is there; then without the bias
};

template <class S, class Matrix>
EIGEN_DONT_INLINE void output_rows(const OutputRows<S>& t) {
  using V = Vec<S>;
  for (Index x = 0; x < t.columns; ++x) {
    for (Index v = 0; v < t.vectors; ++v) {
      const S* from = t.from + x * t.from_step + v * V::kSize;
      typename V::Type in[Matrix::kColumns], out[Matrix::kRows];
      repeat<Matrix::kColumns>(
          [&](auto i) CONVTRANSPOSE_INLINE_LAMBDA { in[i] = V::load(from + i * t.from_row); });
      multiply<S, Matrix>(in, out);
      const Index at = x * t.to_step + v * V::kSize;
      const typename V::Type bias = V::load(t.bias + v * V::kSize);
      repeat<Matrix::kRows>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
        if (i < t.valid.begin || i >= t.valid.end) return;
        S* to = t.to[i] + at;
        V::store(to, V::add(t.add ? V::load(to) : bias, out[i]));
      });
    }
  }
}

/// Both at once for a square tile: what is between stays in registers.
template <class S>
struct OutputTile {
  const S* from;
  Index from_row, from_step;
  S* to[kMostSide];
  Index to_step;
  Span valid_rows, valid_columns;
  const S* bias;
  Index vectors;
  bool add;  // to what is there; then without the bias
};

template <class S, int M, int R, bool kWhole>
EIGEN_STRONG_INLINE void output_vectors(const OutputTile<S>& t) {
  using V = Vec<S>;
  using Matrix = OutputMatrix<M, R>;
  constexpr int kElements = M + R - 1;
  for (Index v = 0; v < t.vectors; ++v) {
    typename V::Type half[M][kElements];
    repeat<kElements>([&](auto e) CONVTRANSPOSE_INLINE_LAMBDA {
      typename V::Type in[kElements], out[M];
      repeat<kElements>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
        in[i] = V::load(t.from + e * t.from_row + i * t.from_step + v * V::kSize);
      });
      multiply<S, Matrix>(in, out);
      repeat<M>([&](auto x) CONVTRANSPOSE_INLINE_LAMBDA { half[x][e] = out[x]; });
    });
    const typename V::Type bias = V::load(t.bias + v * V::kSize);
    repeat<M>([&](auto x) CONVTRANSPOSE_INLINE_LAMBDA {
      typename V::Type out[M];
      multiply<S, Matrix>(half[x], out);
      if (!kWhole && (x < t.valid_columns.begin || x >= t.valid_columns.end)) return;
      repeat<M>([&](auto i) CONVTRANSPOSE_INLINE_LAMBDA {
        if (!kWhole && (i < t.valid_rows.begin || i >= t.valid_rows.end)) return;
        S* to = t.to[i] + x * t.to_step + v * V::kSize;
        V::store(to, V::add(t.add ? V::load(to) : bias, out[i]));
      });
    });
  }
}

template <class S, int M, int R>
EIGEN_DONT_INLINE void output_tile(const OutputTile<S>& t) {
  if (t.valid_rows.size() == M && t.valid_columns.size() == M) {
    output_vectors<S, M, R, true>(t);
  } else {
    output_vectors<S, M, R, false>(t);
  }
}

/// For the square tiles of FastMath::On; nullptr for others.
template <class S>
void (*square_output(Index results, Index taps))(const OutputTile<S>&) {
  if (taps == 2)
    return results == 2 ? output_tile<S, 2, 2> : results == 3 ? output_tile<S, 3, 2> : nullptr;
  return taps == 3 && results == 2 ? output_tile<S, 2, 3> : nullptr;
}

/// The transforms of one axis.
template <class S>
struct MinimalFilter {
  void (*input_rows)(const InputRows<S>&);
  void (*input_columns)(const InputColumns<S>&);
  void (*filter)(const Regular<S>&);
  void (*output_columns)(const Regular<S>&);
  void (*output_rows)(const OutputRows<S>&);
};

template <class S, int M, int R>
constexpr MinimalFilter<S> kMinimalFilter{
    input_rows<S, InputMatrix<M + R - 1, M == 1 || R == 1>>,
    input_columns<S, InputMatrix<M + R - 1, M == 1 || R == 1>>, regular<S, FilterMatrix<M, R>>,
    regular<S, OutputMatrix<M, R>>, output_rows<S, OutputMatrix<M, R>>};

/// By results - 1 and taps - 1.
template <class S>
constexpr MinimalFilter<S> kMinimalFilters[kMostSide][kMostTaps] = {
    {kMinimalFilter<S, 1, 1>, kMinimalFilter<S, 1, 2>, kMinimalFilter<S, 1, 3>},
    {kMinimalFilter<S, 2, 1>, kMinimalFilter<S, 2, 2>, kMinimalFilter<S, 2, 3>},
    {kMinimalFilter<S, 3, 1>, kMinimalFilter<S, 3, 2>, kMinimalFilter<S, 3, 3>},
    {kMinimalFilter<S, 4, 1>, kMinimalFilter<S, 4, 2>, kMinimalFilter<S, 4, 3>},
};

template <class S>
const MinimalFilter<S>& minimal_filter(Index results, Index taps) {
  return kMinimalFilters<S>[results - 1][taps - 1];
}

/// What a weights gradient needs of F(taps, results): there the taps are what is computed, and the
/// results' gradients are the filter. B^T is that of F(results, taps).
template <class S>
struct GradientFilter {
  void (*filter_rows)(const InputRows<S>&);
  void (*filter_columns)(const InputColumns<S>&);
  void (*output)(const Regular<S>&);
};

template <class S, int M, int R>
constexpr GradientFilter<S> kGradientFilter{input_rows<S, FilterMatrix<R, M>>,
                                            input_columns<S, FilterMatrix<R, M>>,
                                            regular<S, OutputMatrix<R, M>>};

/// By results - 1 and taps - 1.
template <class S>
constexpr GradientFilter<S> kGradientFilters[kMostSide][kMostTaps] = {
    {kGradientFilter<S, 1, 1>, kGradientFilter<S, 1, 2>, kGradientFilter<S, 1, 3>},
    {kGradientFilter<S, 2, 1>, kGradientFilter<S, 2, 2>, kGradientFilter<S, 2, 3>},
    {kGradientFilter<S, 3, 1>, kGradientFilter<S, 3, 2>, kGradientFilter<S, 3, 3>},
    {kGradientFilter<S, 4, 1>, kGradientFilter<S, 4, 2>, kGradientFilter<S, 4, 3>},
};

}  // namespace
}  // namespace convtranspose
