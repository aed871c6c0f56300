// SPDX-License-Identifier: MIT
// The ways of computing an operation. Auto lets the library's table choose.
#pragma once

#include <string_view>

#include "convtranspose/export.hpp"

// One row an algorithm: enumerator, name, value. The values are part of the Python and C
// interfaces.
#define CONVTRANSPOSE_ALGORITHMS(ROW)                                                     \
  ROW(Auto, "auto", 0)                  /* the chooser's pick                          */ \
  ROW(Reference, "reference", 1)        /* textbook loops in double                    */ \
  ROW(Gemm, "gemm", 2)                  /* tile-fused Eigen GEMM with col2im / im2col  */ \
  ROW(Direct, "direct", 3)              /* implicit GEMM per output phase              */ \
  ROW(Depthwise, "depthwise", 4)        /* stencils for one channel a group            */ \
  ROW(FewOutput, "few_output", 5)       /* few output channels: lanes are pixels       */ \
  ROW(OuterProduct, "outer_product", 6) /* weights gradient: sums of outer products    */ \
  ROW(Winograd, "winograd", 7)          /* minimal filtering per phase; fast math      */

namespace convtranspose {

enum class Algorithm : int {
#define CONVTRANSPOSE_ROW(enumerator, name, value) enumerator = value,
  CONVTRANSPOSE_ALGORITHMS(CONVTRANSPOSE_ROW)
#undef CONVTRANSPOSE_ROW
};

/// The algorithm's name in lower case, "unknown" for a value outside the list.
CONVTRANSPOSE_EXPORT std::string_view to_string(Algorithm algorithm) noexcept;

}  // namespace convtranspose
