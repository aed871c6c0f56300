// SPDX-License-Identifier: MIT
// A convolution with every layout and padding style resolved: plain numbers that cross into the
// per-instruction-set units, so no types with code of their own.
#pragma once

#include "convtranspose/descriptor.hpp"

namespace convtranspose {

/// The names are the transposed convolution's: source position s and kernel tap t meet at result
/// position s * stride + t * dilation - pad. A convolution reads the same relation from the result
/// side, so its own source is `result` here.
struct Axis {
  Index source, result, kernel, stride, dilation, pad;
};

struct Problem {
  Index batch, groups;
  Index source_channels, result_channels;  // of one group
  Axis y, x;
};

/// Flops of the textbook loops, the same for every operation: 2 a multiply-add, border taps
/// included.
inline double flops_of(const Problem& p) noexcept {
  return 2.0 * static_cast<double>(p.batch) * static_cast<double>(p.groups) *
         static_cast<double>(p.source_channels) * static_cast<double>(p.result_channels) *
         static_cast<double>(p.y.source) * static_cast<double>(p.x.source) *
         static_cast<double>(p.y.kernel) * static_cast<double>(p.x.kernel);
}

enum class Operation : int { Forward, DataGradient, WeightsGradient };
constexpr int kOperationCount = 3;

enum class DType : int { Float32, Float64, Float16, BFloat16 };
constexpr int kDTypeCount = 4;

/// Strides in elements, by meaning rather than by position.
struct DataStrides {
  Index n, c, y, x;
};
struct WeightsStrides {
  Index o, i, y, x;
};

}  // namespace convtranspose
