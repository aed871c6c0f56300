// SPDX-License-Identifier: MIT
// Winograd's minimal filtering per phase: fewer multiplications than the definition, for fast math.
#include "winograd.hpp"

#include "winograd_weights_gradient.hpp"

namespace convtranspose::CONVTRANSPOSE_ISA {
namespace {

template <class T>
constexpr Kernel kKernel{
    Winograd<T>::refusal, Winograd<T>::prepare, Winograd<T>::pack, Winograd<T>::run, nullptr, true};

template <class T>
constexpr Kernel kWeightsKernel{WinogradWeightsGradient<T>::refusal,
                                WinogradWeightsGradient<T>::prepare, nullptr,
                                WinogradWeightsGradient<T>::run, nullptr};

}  // namespace

// float32 alone: the other three types made the wheel 0.5 MB larger.
extern const KernelTable winograd_table;
const KernelTable winograd_table{{{kKernel<float>}, {kKernel<float>}, {kWeightsKernel<float>}}};

}  // namespace convtranspose::CONVTRANSPOSE_ISA
