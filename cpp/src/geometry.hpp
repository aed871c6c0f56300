// SPDX-License-Identifier: MIT
// The one place that turns shapes, layouts and padding styles into a Problem, and that raises every
// argument error about them. Rules: MPSGraph's, as the headers of MPSGraphConvolutionOps and
// MPSGraphConvolutionTransposeOps print them.
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

/// The three tensors every operation is about, in the descriptor's layouts.
struct Tensors3 {
  NamedShape source;
  NamedShape weights;
  NamedShape result;
};

/// Throws std::invalid_argument with "<operation>: <argument>: expected ..., got ...".
[[noreturn]] void fail(std::string_view operation, std::string_view argument,
                       const std::string& expected, const std::string& got);

std::string to_string(const Shape& shape);

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

/// Element strides by meaning.
DataStrides data_strides(const Shape& strides, TensorNamedDataLayout layout) noexcept;
WeightsStrides weights_strides(const Shape& strides, TensorNamedDataLayout layout) noexcept;

}  // namespace convtranspose
