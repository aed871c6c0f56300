// SPDX-License-Identifier: MIT
// The one function of this instruction set that the rest of the library calls.
#include "isa_unit.hpp"
#include "vec.hpp"

namespace convtranspose::CONVTRANSPOSE_ISA {

#define CONVTRANSPOSE_TOPIC(algorithm, table) extern const KernelTable table;
#include "topics.inc"
#undef CONVTRANSPOSE_TOPIC

namespace {

const KernelTable* find(Algorithm algorithm) noexcept {
  switch (algorithm) {
#define CONVTRANSPOSE_TOPIC(algorithm, table) \
  case Algorithm::algorithm:                  \
    return &table;
#include "topics.inc"
#undef CONVTRANSPOSE_TOPIC
    default:
      return nullptr;
  }
}

/// Ten independent chains of fused multiply-adds: enough for two units of latency 4 or 5.
double fma_burst(Index repeats) noexcept {
  using V = Vec<float>;
  constexpr int kChains = 10;
  V::Type sums[kChains];
  for (int i = 0; i < kChains; ++i) sums[i] = V::set(static_cast<float>(i));
  const V::Type a = V::set(0.999F), b = V::set(0.001F);
  for (Index r = 0; r < repeats; ++r) {
    for (int i = 0; i < kChains; ++i) sums[i] = V::fma(sums[i], a, b);
  }
  float total = 0;
  for (int i = 0; i < kChains; ++i) total += V::reduce(sums[i]);
  // Flops that the loop stands for, made to depend on its result so that it cannot be left out.
  const double flops = 2.0 * kChains * V::kSize * static_cast<double>(repeats);
  return total == 12345.678F ? 0 : flops;
}

constexpr KernelSet kSet{static_cast<Index>(sizeof(Vec<float>::Type)), find, fma_burst};

}  // namespace

const KernelSet* kernel_set() noexcept { return &kSet; }

}  // namespace convtranspose::CONVTRANSPOSE_ISA
