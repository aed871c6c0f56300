// SPDX-License-Identifier: MIT
// The kernels of the active instruction set.
#pragma once

#include "convtranspose/isa.hpp"
#include "kernels/kernel_set.hpp"

namespace convtranspose {

/// One instruction set of this build.
struct IsaEntry {
  const char* name;
  bool supported;
  const KernelSet* (*kernels)() noexcept;
};

/// Throws std::invalid_argument if CONVTRANSPOSE_ISA is wrong.
const IsaEntry& active_isa_entry();

}  // namespace convtranspose
