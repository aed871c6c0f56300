// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "convtranspose/activation.hpp"

namespace convtranspose {

/// Throws std::invalid_argument for parameters that make no function of the activation.
void check_activation(std::string_view operation, const Activation& activation);

}  // namespace convtranspose
