// SPDX-License-Identifier: MIT
// Whether Winograd's minimal filtering is faster than the definition.
#pragma once

#include "kernels/kernel_set.hpp"

namespace convtranspose {

/// By the multiplications it saves, how the tiles fill the result, and what the transforms cost;
/// never by the batch, so that its other items cannot change a result.
bool winograd_pays(const Request& request) noexcept;

}  // namespace convtranspose
