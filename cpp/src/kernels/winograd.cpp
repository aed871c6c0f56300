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

extern const KernelTable winograd_table;
const KernelTable winograd_table{{
    {kKernel<float>, kKernel<double>, kKernel<Float16>, kKernel<BFloat16>},
    {kKernel<float>, kKernel<double>, kKernel<Float16>, kKernel<BFloat16>},
    {kWeightsKernel<float>, kWeightsKernel<double>, kWeightsKernel<Float16>,
     kWeightsKernel<BFloat16>},
}};

}  // namespace convtranspose::CONVTRANSPOSE_ISA
