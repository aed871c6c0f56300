// SPDX-License-Identifier: MIT
// Storage types of 16 bits. Arithmetic is done in float; results are rounded once, to nearest even.
#pragma once

#include <cstdint>

namespace convtranspose {

/// IEEE 754 binary16, the bits alone.
struct Float16 {
  std::uint16_t bits;
};

/// The upper half of an IEEE 754 binary32, the bits alone.
struct BFloat16 {
  std::uint16_t bits;
};

}  // namespace convtranspose
