// SPDX-License-Identifier: MIT
// What must hold of memory that is written.
#pragma once

#include <string_view>

#include "convtranspose/tensor_view.hpp"

namespace convtranspose {

/// No two elements of an output may share memory. Nested strides are enough and cheap to check; the
/// exotic views that are free of overlap without being nested are refused too.
void check_output(std::string_view operation, const Shape& shape, const Shape& strides);

bool is_empty(const Shape& shape) noexcept;

}  // namespace convtranspose
