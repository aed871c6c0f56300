// SPDX-License-Identifier: MIT
#include "memory.hpp"

#include <algorithm>
#include <new>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace testing {
namespace {

constexpr std::size_t kMargin = 256;

#if defined(__unix__) || defined(__APPLE__)
std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

unsigned char* map(std::size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  const std::size_t inside = bytes - 2 * page();
  auto* first = static_cast<unsigned char*>(p) + page();
  if (inside != 0 && mprotect(first, inside, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  return static_cast<unsigned char*>(p);
}
void unmap(unsigned char* p, std::size_t bytes) { munmap(p, bytes); }
#else
std::size_t page() { return 4096; }
unsigned char* map(std::size_t) { throw std::bad_alloc(); }
void unmap(unsigned char*, std::size_t) {}
#endif

}  // namespace

Memory::Memory(std::size_t bytes, Where where, std::size_t alignment)
    : size_(bytes), where_(where) {
  if (where == Where::Heap) {
    whole_size_ = bytes + 2 * kMargin;
    whole_ = static_cast<unsigned char*>(::operator new(whole_size_, std::align_val_t{64}));
    data_ = whole_ + kMargin / 2 + alignment;
    std::fill(whole_, whole_ + whole_size_, kFill);
    return;
  }
  const std::size_t pages = (bytes + page() - 1) / page() * page();
  whole_size_ = pages + 2 * page();
  whole_ = map(whole_size_);
  data_ = whole_ + page() + (where == Where::BeforePage ? pages - bytes : 0);
  std::fill(data_, data_ + bytes, kFill);
}

Memory::~Memory() {
  if (where_ == Where::Heap) {
    ::operator delete(whole_, std::align_val_t{64});
  } else {
    unmap(whole_, whole_size_);
  }
}

bool Memory::surroundings_intact() const {
  if (where_ != Where::Heap) return true;
  const auto untouched = [](unsigned char byte) { return byte == kFill; };
  return std::all_of(whole_, data_, untouched) &&
         std::all_of(data_ + size_, whole_ + whole_size_, untouched);
}

}  // namespace testing
