// SPDX-License-Identifier: MIT
// The parameters of a 2-D convolution, named and numbered as MPSGraph does.
#pragma once

#include <cstdint>

namespace convtranspose {

using Index = std::int64_t;

/// How the padding around the forward convolution's source is found; the values are MPSGraph's.
enum class PaddingStyle : std::int32_t {
  Explicit = 0,        ///< the four padding fields
  TfValid = 1,         ///< no padding
  TfSame = 2,          ///< source = ceil(result / stride); an odd zero goes to the end
  ExplicitOffset = 3,  ///< has no meaning for a convolution: refused
  OnnxSameLower = 4,   ///< as TfSame; an odd zero goes to the start
};

/// Order of a tensor's axes; the values are MPSGraph's.
enum class TensorNamedDataLayout : std::int32_t {
  NCHW = 0,
  NHWC = 1,
  OIHW = 2,
  HWIO = 3,
  CHW = 4,
  HWC = 5,
  HW = 6,
  NCDHW = 7,
  NDHWC = 8,
  OIDHW = 9,
  DHWIO = 10,
};

/// Mirrors MPSGraphConvolution2DOpDescriptor. It always describes the *forward* convolution, also
/// for the transposed one: X is the width axis, Y the height axis, padding lies around the forward
/// source (the transposed convolution's result), and the weights' O axis counts the transposed
/// convolution's source channels.
///
/// Strides, dilation rates and groups are at least 1, paddings at least 0; operations and plans
/// throw std::invalid_argument otherwise.
struct Convolution2DOpDescriptor {
  Index stride_in_x = 1;
  Index stride_in_y = 1;
  Index dilation_rate_in_x = 1;
  Index dilation_rate_in_y = 1;
  Index groups = 1;
  Index padding_left = 0;
  Index padding_right = 0;
  Index padding_top = 0;
  Index padding_bottom = 0;
  PaddingStyle padding_style = PaddingStyle::Explicit;
  TensorNamedDataLayout data_layout = TensorNamedDataLayout::NCHW;     ///< NCHW or NHWC
  TensorNamedDataLayout weights_layout = TensorNamedDataLayout::OIHW;  ///< OIHW or HWIO

  /// Sets the four paddings and PaddingStyle::Explicit.
  void set_explicit_padding(Index left, Index right, Index top, Index bottom) noexcept {
    padding_left = left;
    padding_right = right;
    padding_top = top;
    padding_bottom = bottom;
    padding_style = PaddingStyle::Explicit;
  }

  friend bool operator==(const Convolution2DOpDescriptor& a,
                         const Convolution2DOpDescriptor& b) noexcept {
    return a.stride_in_x == b.stride_in_x && a.stride_in_y == b.stride_in_y &&
           a.dilation_rate_in_x == b.dilation_rate_in_x &&
           a.dilation_rate_in_y == b.dilation_rate_in_y && a.groups == b.groups &&
           a.padding_left == b.padding_left && a.padding_right == b.padding_right &&
           a.padding_top == b.padding_top && a.padding_bottom == b.padding_bottom &&
           a.padding_style == b.padding_style && a.data_layout == b.data_layout &&
           a.weights_layout == b.weights_layout;
  }
  friend bool operator!=(const Convolution2DOpDescriptor& a,
                         const Convolution2DOpDescriptor& b) noexcept {
    return !(a == b);
  }
};

}  // namespace convtranspose
