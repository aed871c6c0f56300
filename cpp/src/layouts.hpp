// SPDX-License-Identifier: MIT
// What the axes of a tensor mean in each layout.
#pragma once

#include <string>

#include "convtranspose/tensor_view.hpp"
#include "problem.hpp"

namespace convtranspose {

struct Extents {
  Index n, c, y, x;  // weights: o, i, y, x
};

Extents data_extents(const Shape& shape, TensorNamedDataLayout layout) noexcept;
Extents weights_extents(const Shape& shape, TensorNamedDataLayout layout) noexcept;
Shape data_shape(const Extents& extents, TensorNamedDataLayout layout) noexcept;

/// Element strides by meaning.
DataStrides data_strides(const Shape& strides, TensorNamedDataLayout layout) noexcept;
WeightsStrides weights_strides(const Shape& strides, TensorNamedDataLayout layout) noexcept;

/// Its name, or its number where it is none of the four.
std::string layout_text(TensorNamedDataLayout layout);

}  // namespace convtranspose
