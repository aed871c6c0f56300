// SPDX-License-Identifier: MIT
// The weights gradient of everything that is not depthwise.
#include "outer_product.hpp"

namespace convtranspose::CONVTRANSPOSE_ISA {
namespace {

template <class T>
constexpr Kernel kWeightsGradient{OuterProduct<T>::refusal, OuterProduct<T>::prepare, nullptr,
                                  OuterProduct<T>::run, OuterProduct<T>::finish};

}  // namespace

extern const KernelTable outer_product_table;
const KernelTable outer_product_table{{
    {},
    {},
    {kWeightsGradient<float>, kWeightsGradient<double>, kWeightsGradient<Float16>,
     kWeightsGradient<BFloat16>},
}};

}  // namespace convtranspose::CONVTRANSPOSE_ISA
