// SPDX-License-Identifier: MIT
// Memory of one call, aligned to cache lines. Throws std::bad_alloc.
#pragma once

#include <memory>
#include <new>

#include "convtranspose/descriptor.hpp"

namespace convtranspose {

class Workspace {
 public:
  Workspace() = default;
  explicit Workspace(Index bytes)
      : data_(bytes == 0 ? nullptr : ::operator new(static_cast<std::size_t>(bytes), kAlignment)) {}

  void* data() const noexcept { return data_.get(); }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(void* p) const noexcept { ::operator delete(p, kAlignment); }
  };
  std::unique_ptr<void, Free> data_;
};

}  // namespace convtranspose
