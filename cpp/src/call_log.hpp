// SPDX-License-Identifier: MIT
// CONVTRANSPOSE_VERBOSE=1: one line a call on stderr, whose problem string pastes into the bench.
#pragma once

#include <chrono>
#include <string_view>

#include "execution.hpp"

namespace convtranspose {

/// Times its own lifetime; does nothing unless the variable is set.
class CallLog {
 public:
  CallLog(std::string_view name, const Execution& execution, int workers) noexcept;
  ~CallLog();
  CallLog(const CallLog&) = delete;
  CallLog& operator=(const CallLog&) = delete;

 private:
  std::string_view name_;
  const Execution& execution_;
  int workers_;
  std::chrono::steady_clock::time_point start_{};
};

}  // namespace convtranspose
