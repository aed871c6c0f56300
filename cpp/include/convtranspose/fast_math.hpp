// SPDX-License-Identifier: MIT
// How far an operation may leave the textbook order of arithmetic to be faster: the counterpart of
// MPSGraph's reducedPrecisionFastMath. Winograd's minimal filtering of float32 tensors is all there
// is to it so far.
#pragma once

#include "convtranspose/export.hpp"

namespace convtranspose {

/// What a level may change: the rounding of sums, and that a NaN or an infinity spreads over the
/// tile of results it is computed with (a few pixels a side, over all channels of a group). What
/// none changes: shapes; results for any number of threads, in any run and beside whatever values
/// in a batch (its size may decide the algorithm); and, but for Aggressive, sums of whole numbers
/// small enough to be exact.
enum class FastMath : int {
  Off = 0,         ///< every product of the definition, and no others
  On = 1,          ///< algorithms whose errors are those of an ordinary sum, about
  Aggressive = 2,  ///< also larger Winograd tiles, whose errors are some ten times as large
};

/// What calls and plans use that are not told: what set_fast_math() said, else
/// CONVTRANSPOSE_FAST_MATH (0, 1 or aggressive), else Off.
/// Throws std::invalid_argument if CONVTRANSPOSE_FAST_MATH is something else.
CONVTRANSPOSE_EXPORT FastMath get_fast_math();

/// Sets it for later calls and plans of this process; existing plans keep theirs.
CONVTRANSPOSE_EXPORT void set_fast_math(FastMath level) noexcept;

}  // namespace convtranspose
