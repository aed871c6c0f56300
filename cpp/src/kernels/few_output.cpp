// SPDX-License-Identifier: MIT
// Few output channels: lanes are positions, rows are the outputs of a position.
#include "few_output.hpp"

namespace convtranspose::CONVTRANSPOSE_ISA {
namespace {

template <class T>
constexpr Kernel kKernel{FewOutput<T>::refusal, FewOutput<T>::prepare, FewOutput<T>::pack,
                         FewOutput<T>::run, nullptr};

}  // namespace

extern const KernelTable few_output_table;
const KernelTable few_output_table{{
    {kKernel<float>, kKernel<double>, kKernel<Float16>, kKernel<BFloat16>},
    {kKernel<float>, kKernel<double>, kKernel<Float16>, kKernel<BFloat16>},
    {},
}};

}  // namespace convtranspose::CONVTRANSPOSE_ISA
