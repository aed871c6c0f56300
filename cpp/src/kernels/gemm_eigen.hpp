// SPDX-License-Identifier: MIT
// Eigen's own GEMM kernel on raw memory. Calling it below the level of matrix products leaves the
// blocking and all memory to us: no allocation in a call, and weights packed ahead of time (2 to 8
// % faster than a * b on tiles of this size, which packs both sides again for every tile).
#pragma once

#include "isa_unit.hpp"

namespace convtranspose {
namespace {

/// C (m x n) += A (m x k) * B (k x n), all column-major; A and B in Eigen's packed order.
template <class S>
struct EigenGemm {
  using Traits = Eigen::internal::gebp_traits<S, S>;
  using Input = Eigen::internal::const_blas_data_mapper<S, Index, Eigen::ColMajor>;
  using Output = Eigen::internal::blas_data_mapper<S, Index, Eigen::ColMajor>;

  /// Sums of at most so many products are kept in registers before they are added to C: long enough
  /// for speed, short enough for the digits of long sums.
  static constexpr Index kDepth = 256;
  /// B may be packed in pieces of so many columns, A in pieces of so many rows: multiples of
  /// Eigen's panels on every architecture (4 or 8 columns; 3 packets of at most 16 rows).
  static constexpr Index kColumnPiece = 16;

  /// Rows of A that fill whole panels. Eigen sums the rows of a last, smaller panel in another
  /// order, so a row's bits would depend on how many rows come after it.
  static constexpr Index whole_panels(Index rows) {
    return (rows + Traits::mr - 1) / Traits::mr * Traits::mr;
  }

  static void pack_a(S* packed, const S* a, Index ld, Index m, Index k) {
    Eigen::internal::gemm_pack_lhs<S, Index, Input, Traits::mr, Traits::LhsProgress,
                                   typename Traits::LhsPacket4Packing, Eigen::ColMajor>
        pack;
    pack(packed, Input(a, ld), k, m);
  }
  static void pack_b(S* packed, const S* b, Index ld, Index k, Index n) {
    Eigen::internal::gemm_pack_rhs<S, Index, Input, Traits::nr, Eigen::ColMajor> pack;
    pack(packed, Input(b, ld), k, n);
  }
  static void multiply(S* c, Index ldc, const S* a, const S* b, Index m, Index k, Index n) {
    Eigen::internal::gebp_kernel<S, S, Index, Output, Traits::mr, Traits::nr, false, false> kernel;
    kernel(Output(c, ldc), a, b, m, k, n, S{1});
  }
};

}  // namespace
}  // namespace convtranspose
