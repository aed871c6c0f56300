// SPDX-License-Identifier: MIT
// Which instruction set the kernels use: the best the CPU has, unless told otherwise.
#pragma once

#include <string_view>
#include <vector>

#include "convtranspose/export.hpp"

namespace convtranspose {

/// Names of the instruction sets that this build holds and this CPU runs, slowest first.
CONVTRANSPOSE_EXPORT std::vector<std::string_view> available_isas();

/// The one in use: the best available, or what CONVTRANSPOSE_ISA or set_isa() named.
/// Throws std::invalid_argument if CONVTRANSPOSE_ISA names one that is unknown or unsupported.
CONVTRANSPOSE_EXPORT std::string_view active_isa();

/// Makes later calls and plans use `name`; existing plans keep theirs.
/// Throws std::invalid_argument, listing the available ones, if it is unknown or unsupported.
CONVTRANSPOSE_EXPORT void set_isa(std::string_view name);

/// Float operations a second that the active instruction set's fused multiply-adds reach in the
/// calling thread: the best of ten bursts of about 3 ms. What speeds can be measured against.
CONVTRANSPOSE_EXPORT double measure_fma_peak();

}  // namespace convtranspose
