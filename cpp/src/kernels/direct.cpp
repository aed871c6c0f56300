// SPDX-License-Identifier: MIT
// Implicit GEMM per output phase: the algorithm of most layers.
#include "direct.hpp"

namespace convtranspose::CONVTRANSPOSE_ISA {
namespace {

template <class T>
constexpr Kernel kKernel{
    Direct<T>::refusal, Direct<T>::prepare, Direct<T>::pack, Direct<T>::run, nullptr, true};

}  // namespace

extern const KernelTable direct_table;
const KernelTable direct_table{{
    {kKernel<float>, kKernel<double>, kKernel<Float16>, kKernel<BFloat16>},
    {kKernel<float>, kKernel<double>, kKernel<Float16>, kKernel<BFloat16>},
    {},
}};

}  // namespace convtranspose::CONVTRANSPOSE_ISA
