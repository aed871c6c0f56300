// SPDX-License-Identifier: MIT
// The definition of every operation as loops over one result element, summed in double: the oracle
// of the tests, selectable like any other algorithm.
#pragma once

#include "kernels/kernel_set.hpp"

namespace convtranspose {

const KernelTable& reference_table() noexcept;

}  // namespace convtranspose
