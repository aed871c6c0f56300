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
