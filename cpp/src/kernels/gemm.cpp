// SPDX-License-Identifier: MIT
// The baseline algorithm: does every problem, with any strides, in tiles that stay in cache.
#include "gemm_data_gradient.hpp"
#include "gemm_forward.hpp"
#include "gemm_weights_gradient.hpp"

namespace convtranspose::CONVTRANSPOSE_ISA {
namespace {

const char* refusal(const Request& r) noexcept {
  const Problem& p = r.problem;
  return p.source_channels == 0 || p.result_channels == 0 || p.batch == 0 || p.y.result == 0 ||
                 p.x.result == 0
             ? "a sum or result of no elements"
             : nullptr;
}

template <class T>
constexpr Kernel kForward{refusal, GemmForward<T>::prepare, GemmForward<T>::pack,
                          GemmForward<T>::run, nullptr};
template <class T>
constexpr Kernel kDataGradient{refusal, GemmDataGradient<T>::prepare, GemmDataGradient<T>::pack,
                               GemmDataGradient<T>::run, nullptr};
template <class T>
constexpr Kernel kWeightsGradient{refusal, GemmWeightsGradient<T>::prepare, nullptr,
                                  GemmWeightsGradient<T>::run, GemmWeightsGradient<T>::finish};

}  // namespace

extern const KernelTable gemm_table;
const KernelTable gemm_table{{
    {kForward<float>, kForward<double>, kForward<Float16>, kForward<BFloat16>},
    {kDataGradient<float>, kDataGradient<double>, kDataGradient<Float16>, kDataGradient<BFloat16>},
    {kWeightsGradient<float>, kWeightsGradient<double>, kWeightsGradient<Float16>,
     kWeightsGradient<BFloat16>},
}};

}  // namespace convtranspose::CONVTRANSPOSE_ISA
