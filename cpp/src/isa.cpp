// SPDX-License-Identifier: MIT
#include "isa.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "cpu.hpp"

namespace convtranspose {

// Declarations of the table getters, one per instruction-set unit.
#define CONVTRANSPOSE_ISA_ROW(isa, have, test) \
  namespace isa {                              \
  const KernelSet* kernel_set() noexcept;      \
  }
#include "isa_list.inc"
#undef CONVTRANSPOSE_ISA_ROW

namespace {

const std::vector<IsaEntry>& entries() {
  static const std::vector<IsaEntry> list = [] {
    const CpuFeatures& cpu = cpu_features();
    static_cast<void>(cpu);
    std::vector<IsaEntry> all;
#define CONVTRANSPOSE_ISA_ROW(isa, have, test) \
  if constexpr (have != 0) all.push_back({#isa, (test), have != 0 ? &isa::kernel_set : nullptr});
#include "isa_list.inc"
#undef CONVTRANSPOSE_ISA_ROW
    return all;
  }();
  return list;
}

const IsaEntry& find(std::string_view name, const char* who) {
  std::string names;
  for (const IsaEntry& e : entries()) {
    if (e.supported && name == e.name) return e;
    if (e.supported) names.append(names.empty() ? "" : ", ").append(e.name);
  }
  throw std::invalid_argument(std::string(who) + ": expected one of " + names + ", got '" +
                              std::string(name) + "'");
}

std::atomic<const IsaEntry*> chosen{nullptr};

const IsaEntry& first_choice() {
  const char* name = std::getenv("CONVTRANSPOSE_ISA");
  if (name != nullptr && *name != '\0') return find(name, "CONVTRANSPOSE_ISA");
  const IsaEntry* best = nullptr;
  for (const IsaEntry& e : entries()) {
    if (e.supported) best = &e;
  }
  if (best == nullptr) {
    throw std::invalid_argument(
        "active_isa: expected a CPU that runs an instruction set of this "
        "build, got one that runs none of them");
  }
  return *best;
}

}  // namespace

const IsaEntry& active_isa_entry() {
  const IsaEntry* entry = chosen.load(std::memory_order_acquire);
  if (entry == nullptr) {
    entry = &first_choice();
    const IsaEntry* expected = nullptr;  // set_isa() of another thread goes first
    if (!chosen.compare_exchange_strong(expected, entry)) entry = expected;
  }
  return *entry;
}

std::vector<std::string_view> available_isas() {
  std::vector<std::string_view> names;
  for (const IsaEntry& e : entries()) {
    if (e.supported) names.emplace_back(e.name);
  }
  return names;
}

std::string_view active_isa() { return active_isa_entry().name; }

void set_isa(std::string_view name) {
  chosen.store(&find(name, "set_isa: name"), std::memory_order_release);
}

double measure_fma_peak() {
  using Clock = std::chrono::steady_clock;
  const KernelSet& kernels = *active_isa_entry().kernels();
  double best = 0;
  for (int burst = 0; burst < 10; ++burst) {
    const auto start = Clock::now();
    const double flops = kernels.fma_burst(2000000);
    const std::chrono::duration<double> elapsed = Clock::now() - start;
    best = std::max(best, flops / elapsed.count());
  }
  return best;
}

}  // namespace convtranspose
