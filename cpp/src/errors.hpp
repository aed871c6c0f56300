// SPDX-License-Identifier: MIT
// The one form of the messages of refused arguments.
#pragma once

#include <string>
#include <string_view>

#include "convtranspose/tensor_view.hpp"

namespace convtranspose {

/// Throws std::invalid_argument with "<operation>: <argument>: expected ..., got ...".
[[noreturn]] void fail(std::string_view operation, std::string_view argument,
                       const std::string& expected, const std::string& got);

std::string to_string(const Shape& shape);

}  // namespace convtranspose
