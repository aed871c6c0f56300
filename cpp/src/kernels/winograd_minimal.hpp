// SPDX-License-Identifier: MIT
// Minimal filtering F(M, R) of Winograd, Toom and Cook: M results of a filter of R taps from
// E = M + R - 1 inputs, with E multiplications instead of M R:
//   results = A^T ((G filter) * (B^T inputs))
// The matrices are those of polynomials evaluated at E - 1 points and at infinity. With the points
// 0, 1 and -1 they hold nothing but 0, 1, -1 and 1/2: whole numbers stay exact.
#pragma once

#include "vec.hpp"

namespace convtranspose {
namespace {

constexpr Index kMostElements = 6;

constexpr double kPoints[kMostElements - 1] = {0, 1, -1, 0.5, -2};

/// B^T: row e < E - 1 is the product of (x - p) over all points p but the e-th, the last row that
/// over all points; rows have the sign that makes their filter's factor positive.
template <int E>
struct ToomCook {
  double inputs[E][E] = {};
  double factors[E] = {};

  constexpr ToomCook() {
    for (int e = 0; e < E; ++e) {
      double product[E + 1] = {1};
      double value = 1;
      int degree = 0;
      for (int j = 0; j < E - 1; ++j) {
        if (j == e) continue;
        for (int d = degree; d >= 0; --d) {
          product[d + 1] += product[d];
          product[d] *= -kPoints[j];
        }
        ++degree;
        if (e < E - 1) value *= kPoints[e] - kPoints[j];
      }
      const double sign = value < 0 ? -1 : 1;
      for (int d = 0; d < E; ++d) inputs[e][d] = sign * product[d];
      factors[e] = 1 / (sign * value);
    }
  }
};

constexpr double power(double base, int exponent) {
  double result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

/// B^T, E x E. Plain: of F(M, 1) and F(1, R), the identity.
template <int E, bool kPlain>
struct InputMatrix {
  static constexpr int kRows = E, kColumns = E;
  static constexpr ToomCook<E> kToomCook{};
  static constexpr double at(int row, int column) {
    return kPlain ? (row == column ? 1 : 0) : kToomCook.inputs[row][column];
  }
};

/// G, E x R.
template <int M, int R>
struct FilterMatrix {
  static constexpr int kRows = M + R - 1, kColumns = R;
  static constexpr ToomCook<kRows> kToomCook{};
  static constexpr double at(int row, int column) {
    if (R == 1) return 1;
    if (M == 1) return row == column ? 1 : 0;
    if (row == kRows - 1) return column == R - 1 ? 1 : 0;
    return power(kPoints[row], column) * kToomCook.factors[row];
  }
};

/// A^T, M x E.
template <int M, int R>
struct OutputMatrix {
  static constexpr int kRows = M, kColumns = M + R - 1;
  static constexpr double at(int row, int column) {
    if (R == 1) return row == column ? 1 : 0;
    if (M == 1) return 1;
    if (column == kColumns - 1) return row == M - 1 ? 1 : 0;
    return power(kPoints[column], row);
  }
};

/// The column a row's sum starts with: one that need not be negated.
template <class Matrix>
constexpr int first_column(int row) {
  for (int column = 0; column < Matrix::kColumns; ++column) {
    if (Matrix::at(row, column) > 0) return column;
  }
  return 0;
}

/// Sum number kRow of the matrix times the vectors.
template <class S, class Matrix, int kRow>
EIGEN_STRONG_INLINE typename Vec<S>::Type combine(const typename Vec<S>::Type* in) {
  using V = Vec<S>;
  constexpr int kFirst = first_column<Matrix>(kRow);
  constexpr double kStart = Matrix::at(kRow, kFirst);
  typename V::Type sum = in[kFirst];
  if constexpr (kStart != 1) sum = V::multiply(V::set(S(kStart)), sum);
  repeat<Matrix::kColumns>([&](auto column) CONVTRANSPOSE_INLINE_LAMBDA {
    constexpr double kFactor = Matrix::at(kRow, decltype(column)::value);
    if constexpr (decltype(column)::value == kFirst || kFactor == 0) {
    } else if constexpr (kFactor == 1) {
      sum = V::add(sum, in[column]);
    } else if constexpr (kFactor == -1) {
      sum = V::subtract(sum, in[column]);
    } else {
      sum = V::fma(V::set(S(kFactor)), in[column], sum);
    }
  });
  return sum;
}

/// out = matrix * in
template <class S, class Matrix>
EIGEN_STRONG_INLINE void multiply(const typename Vec<S>::Type* in, typename Vec<S>::Type* out) {
  repeat<Matrix::kRows>([&](auto row) CONVTRANSPOSE_INLINE_LAMBDA {
    out[row] = combine<S, Matrix, decltype(row)::value>(in);
  });
}

}  // namespace
}  // namespace convtranspose
