// SPDX-License-Identifier: MIT
// Whether Winograd's minimal filtering is faster than the definition.
#pragma once

#include "kernels/kernel_set.hpp"

namespace convtranspose {

/// By the multiplications it saves, how tiles fill the results, how often the transformed weights
/// are read, and what the transforms cost.
bool winograd_pays(const Request& request) noexcept;

}  // namespace convtranspose
