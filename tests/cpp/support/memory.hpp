// SPDX-License-Identifier: MIT
// Memory whose surroundings are watched: canaries around it on the heap, or pages without access.
#pragma once

#include <cstddef>

namespace testing {

enum class Where {
  Heap,        // between canaries, aligned for one element and nothing more
  BeforePage,  // its last byte is the last before a page without access
  AfterPage,   // its first byte is the first after a page without access
};

#if defined(__unix__) || defined(__APPLE__)
constexpr bool kHaveGuardPages = true;
#else
constexpr bool kHaveGuardPages = false;
#endif

/// Every byte starts as 0xFF: a NaN in every floating-point type.
class Memory {
 public:
  static constexpr unsigned char kFill = 0xFF;

  Memory(std::size_t bytes, Where where, std::size_t alignment);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  unsigned char* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// No byte outside was written; true for guarded memory, where that would have been a crash.
  bool surroundings_intact() const;

 private:
  unsigned char* whole_;
  std::size_t whole_size_, size_;
  unsigned char* data_;
  Where where_;
};

}  // namespace testing
