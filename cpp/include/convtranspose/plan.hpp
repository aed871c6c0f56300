// SPDX-License-Identifier: MIT
// Plans: everything that depends on shapes and weights alone is done once. A plan is immutable; any
// number of threads may call it at one time. Calls on dense tensors allocate nothing when they are
// given a workspace, and never throw then.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "convtranspose/activation.hpp"
#include "convtranspose/operations.hpp"

namespace convtranspose {

/// How a plan is made; every field has a default.
struct PlanOptions {
  std::string_view name;                  ///< MPSGraph's operation name: leads error messages
  bool strict = true;                     ///< false: crop or zero-fill a result of another size
  Algorithm algorithm = Algorithm::Auto;  ///< anything else is used or refused
  Activation activation{};                ///< not for weights gradients
  Executor* executor = nullptr;           ///< packs the weights; nullptr: the calling thread
  std::optional<FastMath> fast_math{};    ///< without a value: get_fast_math()
};

/// How a call of a plan is carried out; every field has a default.
struct RunOptions {
  Executor* executor = nullptr;  ///< nullptr: the calling thread
  int threads = 0;               ///< at most so many of the executor's; 0: all
  void* workspace = nullptr;     ///< aligned to 64 bytes; nullptr: allocated for the call
  Index workspace_bytes = 0;     ///< its size: at least workspace_bytes(executor, threads)
};

namespace detail {
struct PlanState;

/// What all plans have.
class CONVTRANSPOSE_EXPORT PlanBase {
 public:
  Algorithm algorithm() const noexcept;
  std::string_view reason() const noexcept;    ///< why the algorithm was chosen
  std::string_view isa() const noexcept;       ///< the instruction set
  const Shape& output_shape() const noexcept;  ///< of the call's result
  double flops() const noexcept;               ///< of the textbook loops: 2 a multiply-add
  Index packed_bytes() const noexcept;         ///< packed weights the plan holds
  /// Bytes of workspace that a call on dense tensors takes.
  Index workspace_bytes(const Executor* executor = nullptr, int threads = 0) const noexcept;

 protected:
  explicit PlanBase(std::shared_ptr<const PlanState> state) noexcept;
  ~PlanBase();
  PlanBase(const PlanBase&) noexcept;
  PlanBase& operator=(const PlanBase&) noexcept;
  std::shared_ptr<const PlanState> state_;
};
}  // namespace detail

/// Transposed convolution with weights, bias and activation built in.
template <class T>
class CONVTRANSPOSE_EXPORT ConvolutionTranspose2DPlan : public detail::PlanBase {
 public:
  using Element = T;

  /// `bias` has one number a result channel, or is nullptr; it is copied, as the weights are.
  /// Throws std::invalid_argument as the operation does.
  ConvolutionTranspose2DPlan(const Shape& source_shape, TensorView<const T> weights,
                             const Shape& output_shape, const Convolution2DOpDescriptor& descriptor,
                             const T* bias = nullptr, const PlanOptions& options = {});

  /// Shapes must be the plan's (else std::invalid_argument). Throws std::bad_alloc only where it
  /// has to allocate: without a workspace, or for tensors that are not dense.
  void operator()(TensorView<const T> source, TensorView<T> result,
                  const RunOptions& options = {}) const;
};

/// The gradient with respect to the source.
template <class T>
class CONVTRANSPOSE_EXPORT ConvolutionTranspose2DDataGradientPlan : public detail::PlanBase {
 public:
  using Element = T;

  /// `output_shape` is the shape of the transposed convolution's source.
  ConvolutionTranspose2DDataGradientPlan(
      const Shape& incoming_gradient_shape, TensorView<const T> weights, const Shape& output_shape,
      const Convolution2DOpDescriptor& forward_convolution_descriptor, const T* bias = nullptr,
      const PlanOptions& options = {});

  void operator()(TensorView<const T> incoming_gradient, TensorView<T> source_gradient,
                  const RunOptions& options = {}) const;
};

/// The gradient with respect to the weights.
template <class T>
class CONVTRANSPOSE_EXPORT ConvolutionTranspose2DWeightsGradientPlan : public detail::PlanBase {
 public:
  using Element = T;

  /// `output_shape` is the weights' shape.
  ConvolutionTranspose2DWeightsGradientPlan(
      const Shape& incoming_gradient_shape, const Shape& source_shape, const Shape& output_shape,
      const Convolution2DOpDescriptor& forward_convolution_descriptor,
      const PlanOptions& options = {});

  void operator()(TensorView<const T> incoming_gradient, TensorView<const T> source,
                  TensorView<T> weights_gradient, const RunOptions& options = {}) const;
};

}  // namespace convtranspose
