// SPDX-License-Identifier: MIT
// The one place that turns shapes, layouts and padding styles into a Problem, and that raises every
// argument error about them. Rules: MPSGraph's, as the headers of MPSGraphConvolutionOps and
// MPSGraphConvolutionTransposeOps print them.
#pragma once

#include <string_view>

#include "axis_sizes.hpp"
#include "errors.hpp"
#include "layouts.hpp"

namespace convtranspose {

/// The three tensors every operation is about, in the descriptor's layouts.
struct Tensors3 {
  NamedShape source;
  NamedShape weights;
  NamedShape result;
};

/// Checks the descriptor's own fields.
void check_descriptor(std::string_view operation, const Convolution2DOpDescriptor& descriptor);

/// Checks everything; strict adds the relation between source and result sizes.
Problem resolve(std::string_view operation, const Tensors3& tensors,
                const Convolution2DOpDescriptor& descriptor, bool strict);

/// Smallest and largest result shape of this source under the relation.
struct ShapeRange {
  Shape smallest, largest;
};
ShapeRange result_range(std::string_view operation, const NamedShape& source,
                        const NamedShape& weights, const Convolution2DOpDescriptor& descriptor);

/// The source side's shape that a convolution of this result side has.
Shape source_shape(std::string_view operation, const NamedShape& weights, const NamedShape& result,
                   const Convolution2DOpDescriptor& descriptor);

}  // namespace convtranspose
