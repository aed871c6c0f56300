// SPDX-License-Identifier: MIT
// A tensor of rank 4 in somebody else's memory.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "convtranspose/descriptor.hpp"

namespace convtranspose {

/// Extents or strides of a tensor of rank 4, in the order its layout names.
using Shape = std::array<Index, 4>;

/// Strides, in elements, of a tensor without gaps whose last axis is the fastest.
constexpr Shape dense_strides(const Shape& shape) noexcept {
  // Unsigned, so that extents too large for any memory wrap here and are refused by the operation.
  const auto times = [](Index a, Index b) {
    return static_cast<Index>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  };
  const Index plane = times(shape[2], shape[3]);
  return {times(shape[1], plane), plane, shape[3], 1};
}

/// Pointer, extents and strides (in elements, of either sign). Owns nothing; T may be const.
template <class T>
struct TensorView {
  T* data = nullptr;
  Shape shape{};
  Shape strides{};

  constexpr TensorView() = default;
  /// A tensor without gaps.
  constexpr TensorView(T* data_, const Shape& shape_) noexcept
      : data(data_), shape(shape_), strides(dense_strides(shape_)) {}
  constexpr TensorView(T* data_, const Shape& shape_, const Shape& strides_) noexcept
      : data(data_), shape(shape_), strides(strides_) {}
  /// A writable view is a read-only view.
  template <class U, class = std::enable_if_t<std::is_same_v<const U, T>>>
  constexpr TensorView(const TensorView<U>& other) noexcept
      : data(other.data), shape(other.shape), strides(other.strides) {}
};

}  // namespace convtranspose
