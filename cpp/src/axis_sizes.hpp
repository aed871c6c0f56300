// SPDX-License-Identifier: MIT
// The sizes of one axis: which results a source may have, and the padding that each style makes.
#pragma once

#include <string>
#include <string_view>

#include "convtranspose/tensor_view.hpp"
#include "problem.hpp"

namespace convtranspose {

/// A shape and what the caller knows it as.
struct NamedShape {
  const char* argument;
  Shape shape;
};

/// What the error messages of one axis need.
struct AxisNames {
  const char* extent;    // height
  const char* letter;    // y
  const char* leading;   // padding_top
  const char* trailing;  // padding_bottom
};
inline constexpr AxisNames kY{"height", "y", "padding_top", "padding_bottom"};
inline constexpr AxisNames kX{"width", "x", "padding_left", "padding_right"};

/// One axis of the descriptor.
struct AxisParameters {
  Index stride, dilation, leading, trailing;
  PaddingStyle style;
};

AxisParameters parameters_y(const Convolution2DOpDescriptor& descriptor) noexcept;
AxisParameters parameters_x(const Convolution2DOpDescriptor& descriptor) noexcept;

struct SizeRange {
  Index smallest, largest;
};

/// Every step is checked for overflow.
class AxisSizes {
 public:
  AxisSizes(std::string_view operation, const AxisNames& names, const NamedShape& weights,
            Index kernel, const AxisParameters& parameters);

  Index effective() const noexcept { return effective_; }

  /// The result sizes whose forward convolution gives back `source`.
  SizeRange range(const NamedShape& source_shape, Index source) const;

  /// The size of a forward convolution of `result`, or -1 where the kernel does not fit.
  Index forward_size(Index result) const noexcept;

  /// The leading padding; that of the SAME styles depends on the result's size.
  Index leading(Index result) const noexcept;

  /// That no position overflows, whatever the relation.
  void check_positions(const NamedShape& source_shape, Index source, const NamedShape& result_shape,
                       Index result) const;

  /// That a forward convolution of `result` has the size `source`.
  void check_relation(const NamedShape& source_shape, Index source, const NamedShape& result_shape,
                      Index result) const;

 private:
  std::string_view operation_;
  const AxisNames& names_;
  AxisParameters p_;
  Index effective_ = 0, padding_ = 0;
};

/// The same relation between source, taps and result in smaller numbers, so that kernels need not
/// fear a stride of 2**62 that no second source position makes use of.
Axis simplified(Axis axis) noexcept;

}  // namespace convtranspose
