// SPDX-License-Identifier: MIT
// The six operations as free functions. T is float, double, Float16 or BFloat16; the first three
// arguments share it. Sums are kept in float (double for double) and rounded once to T.
//
// Shapes are in the descriptor's data layout (weights: in its weights layout). Below, for NCHW and
// OIHW, with s = stride, p, q = leading and trailing padding, E = (kernel - 1) * dilation + 1:
//   source   (N, O, h, w)           O and I are the weights' axes
//   weights  (O, I, kh, kw)         O = source channels, I * groups = result channels
//   result   (N, I * groups, H, W)  (h - 1) s + E <= H + p + q <= (h - 1) s + E + s - 1
//
// All of them throw std::invalid_argument before anything is written when an argument is wrong, and
// std::bad_alloc when there is no memory for the workspace. The output must not overlap an input.
#pragma once

#include <optional>
#include <string_view>

#include "convtranspose/algorithm.hpp"
#include "convtranspose/export.hpp"
#include "convtranspose/fast_math.hpp"
#include "convtranspose/half.hpp"
#include "convtranspose/tensor_view.hpp"
#include "convtranspose/threads.hpp"

namespace convtranspose {

/// How an operation is carried out; every field has a default.
struct CallOptions {
  std::string_view name;                  ///< MPSGraph's operation name: leads error messages
  bool strict = true;                     ///< false: crop or zero-fill a result of another size
  Algorithm algorithm = Algorithm::Auto;  ///< anything else is used or refused
  Executor* executor = nullptr;           ///< nullptr: the calling thread
  int threads = 0;                        ///< at most so many of the executor's; 0: all
  bool check_only = false;                ///< refuse what is wrong and stop; views need no memory
  std::optional<FastMath> fast_math{};    ///< without a value: get_fast_math()
};

namespace detail {
template <class T>
struct identity {
  using type = T;
};
/// A read-only view whose T is deduced from the output alone.
template <class T>
using ConstView = TensorView<const typename identity<T>::type>;
}  // namespace detail

/// Transposed convolution: the result of source and weights.
template <class T>
CONVTRANSPOSE_EXPORT void convolution_transpose_2d(detail::ConstView<T> source,
                                                   detail::ConstView<T> weights,
                                                   TensorView<T> result,
                                                   const Convolution2DOpDescriptor& descriptor,
                                                   const CallOptions& options = {});

/// Its gradient with respect to the source; incoming_gradient has the shape of the result.
template <class T>
CONVTRANSPOSE_EXPORT void convolution_transpose_2d_data_gradient(
    detail::ConstView<T> incoming_gradient, detail::ConstView<T> weights,
    TensorView<T> source_gradient, const Convolution2DOpDescriptor& forward_convolution_descriptor,
    const CallOptions& options = {});

/// Its gradient with respect to the weights.
template <class T>
CONVTRANSPOSE_EXPORT void convolution_transpose_2d_weights_gradient(
    detail::ConstView<T> incoming_gradient, detail::ConstView<T> source,
    TensorView<T> weights_gradient, const Convolution2DOpDescriptor& forward_convolution_descriptor,
    const CallOptions& options = {});

/// Convolution. Its source plays the part of `result` in the head of this file, its result that of
/// `source`; so it is the same arithmetic as convolution_transpose_2d_data_gradient.
template <class T>
CONVTRANSPOSE_EXPORT void convolution_2d(detail::ConstView<T> source, detail::ConstView<T> weights,
                                         TensorView<T> result,
                                         const Convolution2DOpDescriptor& descriptor,
                                         const CallOptions& options = {});

/// Its gradient with respect to the source: the same arithmetic as convolution_transpose_2d.
template <class T>
CONVTRANSPOSE_EXPORT void convolution_2d_data_gradient(
    detail::ConstView<T> incoming_gradient, detail::ConstView<T> weights,
    TensorView<T> source_gradient, const Convolution2DOpDescriptor& forward_convolution_descriptor,
    const CallOptions& options = {});

/// Its gradient with respect to the weights.
template <class T>
CONVTRANSPOSE_EXPORT void convolution_2d_weights_gradient(
    detail::ConstView<T> incoming_gradient, detail::ConstView<T> source,
    TensorView<T> weights_gradient, const Convolution2DOpDescriptor& forward_convolution_descriptor,
    const CallOptions& options = {});

/// Smallest and largest result shape of a transposed convolution.
struct OutputShapeRange {
  Shape smallest;
  Shape largest;
};

/// The result shapes that convolution_transpose_2d accepts, in the descriptor's data layout.
/// Throws std::invalid_argument as the operation does; also where no result has the relation.
CONVTRANSPOSE_EXPORT OutputShapeRange
output_shape_range(const Shape& source_shape, const Shape& weights_shape,
                   const Convolution2DOpDescriptor& descriptor, std::string_view name = {});

/// The result shape of convolution_2d. Throws std::invalid_argument as the operation does.
CONVTRANSPOSE_EXPORT Shape convolution_2d_output_shape(const Shape& source_shape,
                                                       const Shape& weights_shape,
                                                       const Convolution2DOpDescriptor& descriptor,
                                                       std::string_view name = {});

}  // namespace convtranspose
