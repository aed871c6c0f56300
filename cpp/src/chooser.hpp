// SPDX-License-Identifier: MIT
// Which algorithm a problem gets, and why.
#pragma once

#include "convtranspose/algorithm.hpp"
#include "kernels/kernel_set.hpp"

namespace convtranspose {

struct Choice {
  Algorithm algorithm;
  const char* reason;
};

/// Every sum is one of no terms: nothing but a fill, whatever the algorithm.
bool has_no_terms(const Request& request);

/// Strides, dilations or paddings that tiles are not made for.
bool is_extreme(const Request& request);

/// The first row of the table whose condition holds and whose kernel can do the request.
Choice choose(const Request& request, const KernelSet& kernels) noexcept;

/// The kernel of an algorithm, or nullptr.
const Kernel* find_kernel(const KernelSet& kernels, Algorithm algorithm,
                          const Request& request) noexcept;

}  // namespace convtranspose
