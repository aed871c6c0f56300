// SPDX-License-Identifier: MIT
// The number of a storage type.
#pragma once

#include "convtranspose/half.hpp"
#include "problem.hpp"

namespace convtranspose {

template <class T>
inline constexpr DType kDTypeOf = DType::Float32;
template <>
inline constexpr DType kDTypeOf<double> = DType::Float64;
template <>
inline constexpr DType kDTypeOf<Float16> = DType::Float16;
template <>
inline constexpr DType kDTypeOf<BFloat16> = DType::BFloat16;

}  // namespace convtranspose
