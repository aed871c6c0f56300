// SPDX-License-Identifier: MIT
// Tensors of C++23's std::mdspan, or of its reference implementation for earlier standards: their
// members are the same, so this header needs neither.
#pragma once

#include <type_traits>

#include "convtranspose/tensor_view.hpp"

namespace convtranspose {

/// The tensor that an mdspan of rank 4 shows; its layout must be one that has strides, such as
/// layout_right, layout_left and layout_stride.
template <class Span>
constexpr TensorView<typename Span::element_type> tensor_view(const Span& span) noexcept {
  static_assert(Span::rank() == 4, "tensor_view: expected an mdspan of rank 4");
  static_assert(Span::is_always_strided(), "tensor_view: expected a layout with strides");
  static_assert(std::is_same_v<typename Span::data_handle_type, typename Span::element_type*>,
                "tensor_view: expected an accessor whose data_handle is a pointer to the elements");
  TensorView<typename Span::element_type> view;
  view.data = span.data_handle();
  for (std::size_t i = 0; i < 4; ++i) {
    view.shape[i] = static_cast<Index>(span.extent(i));
    view.strides[i] = static_cast<Index>(span.stride(i));
  }
  return view;
}

}  // namespace convtranspose
