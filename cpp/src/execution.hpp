// SPDX-License-Identifier: MIT
// From a resolved problem to kernels: choose, schedule, pack, run.
#pragma once

#include <string_view>

#include "chooser.hpp"
#include "convtranspose/threads.hpp"
#include "isa.hpp"

namespace convtranspose {

/// A request with its kernel and schedule; immutable once prepared.
struct Execution {
  const IsaEntry* isa = nullptr;
  Choice choice{};
  const Kernel* kernel = nullptr;
  Request request{};
  Schedule schedule{};
};

/// How many workers a call uses, and what it needs besides the result.
struct Resources {
  int workers;
  Index bytes;
};

/// Chooses the algorithm and cuts the work up. `wanted` other than Auto is used or refused with
/// std::invalid_argument.
Execution prepare(std::string_view operation, const Request& request, Algorithm wanted,
                  const IsaEntry& isa);

/// Packs all the weights into memory of packed_bytes(execution), for calls to come.
Index packed_bytes(const Execution& execution) noexcept;
void pack(const Execution& execution, const void* weights, void* packed, Executor& executor,
          int workers);

/// Workers, and bytes for workspace, partial results and (unless packed already) weights.
Resources resources(const Execution& execution, const Executor& executor, int threads,
                    bool packed_already) noexcept;

/// Computes. `memory` has resources().bytes, aligned to 64; `packed` is from pack() or nullptr.
void execute(const Execution& execution, const Tensors& tensors, const void* packed,
             Executor& executor, int workers, void* memory) noexcept;

}  // namespace convtranspose
