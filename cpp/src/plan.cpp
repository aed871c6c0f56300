// SPDX-License-Identifier: MIT
#include "convtranspose/plan.hpp"

#include <string>

#include "activation_check.hpp"
#include "call_log.hpp"
#include "cpu.hpp"
#include "dtype.hpp"
#include "execution.hpp"
#include "geometry.hpp"
#include "number.hpp"
#include "output_check.hpp"
#include "workspace.hpp"

namespace convtranspose {
namespace detail {

struct PlanState {
  std::string name;
  Execution execution;
  Convolution2DOpDescriptor descriptor;
  NamedShape source, weights, result;
  Shape output_shape;
  Activation activation;
  Algorithm wanted;
  FastMath fast_math;
  Workspace packed;
  Workspace bias;          // of the sums' type; empty without one
  Workspace weights_copy;  // dense; kept where tensors of other strides might need another packing
};

}  // namespace detail

namespace {

using detail::PlanState;

template <class T>
Request request_of(const PlanState& s, Operation operation, const Problem& problem,
                   const Shape& source_strides, const Shape& weights_strides_,
                   const Shape& result_strides) {
  return {operation,
          kDTypeOf<T>,
          problem,
          data_strides(source_strides, s.descriptor.data_layout),
          data_strides(result_strides, s.descriptor.data_layout),
          weights_strides(weights_strides_, s.descriptor.weights_layout),
          cache_sizes(),
          s.fast_math,
          true};
}

bool same_schedule(const Execution& a, const Execution& b) {
  const Schedule &x = a.schedule, &y = b.schedule;
  bool same = a.kernel == b.kernel && x.chunks == y.chunks && x.packed_bytes == y.packed_bytes &&
              x.pack_tasks == y.pack_tasks && x.jobs == y.jobs &&
              x.workspace_bytes == y.workspace_bytes && x.shared_bytes == y.shared_bytes &&
              x.finish_tasks == y.finish_tasks;
  for (std::size_t i = 0; i < std::size(x.tile); ++i) same = same && x.tile[i] == y.tile[i];
  return same;
}

/// Copies any view to a dense tensor.
template <class T>
void copy_dense(const TensorView<const T>& from, T* to) {
  const Shape& n = from.shape;
  for (Index a = 0; a < n[0]; ++a) {
    for (Index b = 0; b < n[1]; ++b) {
      for (Index c = 0; c < n[2]; ++c) {
        const T* at = from.data + a * from.strides[0] + b * from.strides[1] + c * from.strides[2];
        for (Index d = 0; d < n[3]; ++d) *to++ = at[d * from.strides[3]];
      }
    }
  }
}

Index elements(const Shape& s) { return s[0] * s[1] * s[2] * s[3]; }

struct Names {
  const char* function;
  const char *source, *weights, *result;
};

/// `weights` has no data in a plan of the weights gradient.
template <class T>
std::shared_ptr<const PlanState> make(Operation operation, const Names& names,
                                      const Shape& source_shape, const TensorView<const T>& weights,
                                      const Shape& result_shape,
                                      const Convolution2DOpDescriptor& descriptor, const T* bias,
                                      const PlanOptions& options) {
  auto s = std::make_shared<PlanState>();
  s->name = options.name.empty() ? names.function : std::string(options.name);
  s->descriptor = descriptor;
  s->source = {names.source, source_shape};
  s->weights = {names.weights, weights.shape};
  s->result = {names.result, result_shape};
  s->fast_math = options.fast_math ? *options.fast_math : get_fast_math();
  s->activation = options.activation;
  s->wanted = options.algorithm;
  check_activation(s->name, options.activation);
  const Problem problem =
      resolve(s->name, {s->source, s->weights, s->result}, descriptor, options.strict);
  s->output_shape = operation == Operation::Forward        ? result_shape
                    : operation == Operation::DataGradient ? source_shape
                                                           : weights.shape;
  const Shape source_strides = dense_strides(source_shape);
  const Shape result_strides = dense_strides(result_shape);
  const Request request =
      request_of<T>(*s, operation, problem, source_strides, weights.strides, result_strides);
  if (is_empty(s->output_shape)) return s;
  s->execution = prepare(s->name, request, options.algorithm, active_isa_entry());
  if (bias != nullptr) {
    const Index channels =
        problem.groups *
        (operation == Operation::Forward ? problem.result_channels : problem.source_channels);
    s->bias = Workspace(channels * static_cast<Index>(sizeof(Sum<T>)));
    Sum<T>* to = static_cast<Sum<T>*>(s->bias.data());
    for (Index i = 0; i < channels; ++i) to[i] = widen(bias[i]);
  }
  if (operation == Operation::WeightsGradient) return s;
  s->packed = Workspace(packed_bytes(s->execution));
  Executor& executor = options.executor == nullptr ? serial_executor() : *options.executor;
  pack(s->execution, weights.data, s->packed.data(), executor, executor.concurrency());
  if (!s->execution.kernel->packed_suffices && !is_empty(weights.shape)) {
    s->weights_copy = Workspace(elements(weights.shape) * static_cast<Index>(sizeof(T)));
    copy_dense(weights, static_cast<T*>(s->weights_copy.data()));
    // From now on the weights are the copy, dense in the same layout.
    s->execution.request.weights =
        weights_strides(dense_strides(weights.shape), descriptor.weights_layout);
  }
  return s;
}

void check_shape(const PlanState& s, const NamedShape& planned, const Shape& shape) {
  if (planned.shape != shape) {
    fail(s.name, planned.argument, "the plan's shape " + to_string(planned.shape),
         to_string(shape));
  }
}

Epilogue epilogue_of(const PlanState& s) {
  return {s.bias.data(), s.activation.kind, s.activation.alpha, s.activation.beta};
}

/// The strides that are free in a call; a plan of the weights gradient has all three free.
template <class T>
void run(const PlanState& s, const TensorView<const T>& source, const TensorView<const T>& weights,
         const TensorView<const T>& result, T* output, const TensorView<const T>& written,
         const RunOptions& options) {
  if (is_empty(s.output_shape)) return;
  Executor& executor = options.executor == nullptr ? serial_executor() : *options.executor;
  const Execution* execution = &s.execution;
  Execution other;
  const void* packed = s.packed.data();
  const void* weights_data = s.weights_copy.data();
  const bool gradient = s.execution.request.operation == Operation::WeightsGradient;
  const bool dense = source.strides == dense_strides(source.shape) &&
                     result.strides == dense_strides(result.shape) &&
                     (!gradient || weights.strides == dense_strides(weights.shape));
  if (!dense) {
    check_output(s.name, written.shape, written.strides);
    const Convolution2DOpDescriptor& d = s.descriptor;
    Request request = s.execution.request;
    request.source = data_strides(source.strides, d.data_layout);
    request.result = data_strides(result.strides, d.data_layout);
    if (gradient) request.weights = weights_strides(weights.strides, d.weights_layout);
    const Kernel* kernel = s.execution.kernel;
    const bool fits = kernel->refusal(request) == nullptr;
    other =
        prepare(s.name, request, fits ? s.execution.choice.algorithm : s.wanted, *s.execution.isa);
    if (!same_schedule(other, s.execution)) packed = nullptr;
    execution = &other;
  }
  if (gradient) weights_data = weights.data;
  const bool ready = packed != nullptr || execution->schedule.pack_tasks == 0;
  const Resources needs = resources(*execution, executor, options.threads, ready);
  const bool enough = options.workspace != nullptr && options.workspace_bytes >= needs.bytes;
  const Workspace own(enough ? 0 : needs.bytes);
  const CallLog log(s.name, *execution, needs.workers);
  execute(*execution, {source.data, weights_data, result.data, output, epilogue_of(s)}, packed,
          executor, needs.workers, enough ? options.workspace : own.data());
}

constexpr Names kForward{"convolution_transpose_2d", "source", "weights", "output_shape"};
constexpr Names kDataGradient{"convolution_transpose_2d_data_gradient", "output_shape", "weights",
                              "incoming_gradient"};
constexpr Names kWeightsGradient{"convolution_transpose_2d_weights_gradient", "source",
                                 "output_shape", "incoming_gradient"};

template <class T>
TensorView<const T> read_only(const TensorView<T>& view) {
  return view;
}

}  // namespace

namespace detail {

PlanBase::PlanBase(std::shared_ptr<const PlanState> state) noexcept : state_(std::move(state)) {}
PlanBase::~PlanBase() = default;
PlanBase::PlanBase(const PlanBase&) noexcept = default;
PlanBase& PlanBase::operator=(const PlanBase&) noexcept = default;

Algorithm PlanBase::algorithm() const noexcept { return state_->execution.choice.algorithm; }
std::string_view PlanBase::reason() const noexcept { return state_->execution.choice.reason; }
std::string_view PlanBase::isa() const noexcept {
  return state_->execution.isa == nullptr ? std::string_view() : state_->execution.isa->name;
}
const Shape& PlanBase::output_shape() const noexcept { return state_->output_shape; }

double PlanBase::flops() const noexcept { return flops_of(state_->execution.request.problem); }

Index PlanBase::packed_bytes() const noexcept {
  return state_->execution.kernel == nullptr ? 0 : convtranspose::packed_bytes(state_->execution);
}

Index PlanBase::workspace_bytes(const Executor* executor, int threads) const noexcept {
  if (state_->execution.kernel == nullptr) return 0;
  const Executor& e = executor == nullptr ? serial_executor() : *executor;
  return resources(state_->execution, e, threads, true).bytes;
}

}  // namespace detail

template <class T>
ConvolutionTranspose2DPlan<T>::ConvolutionTranspose2DPlan(
    const Shape& source_shape, TensorView<const T> weights, const Shape& output_shape,
    const Convolution2DOpDescriptor& descriptor, const T* bias, const PlanOptions& options)
    : PlanBase(make<T>(Operation::Forward, kForward, source_shape, weights, output_shape,
                       descriptor, bias, options)) {}

template <class T>
void ConvolutionTranspose2DPlan<T>::operator()(TensorView<const T> source, TensorView<T> result,
                                               const RunOptions& options) const {
  check_shape(*state_, state_->source, source.shape);
  check_shape(*state_, state_->result, result.shape);
  run<T>(*state_, source, {}, read_only(result), result.data, read_only(result), options);
}

template <class T>
ConvolutionTranspose2DDataGradientPlan<T>::ConvolutionTranspose2DDataGradientPlan(
    const Shape& incoming_gradient_shape, TensorView<const T> weights, const Shape& output_shape,
    const Convolution2DOpDescriptor& forward_convolution_descriptor, const T* bias,
    const PlanOptions& options)
    : PlanBase(make<T>(Operation::DataGradient, kDataGradient, output_shape, weights,
                       incoming_gradient_shape, forward_convolution_descriptor, bias, options)) {}

template <class T>
void ConvolutionTranspose2DDataGradientPlan<T>::operator()(TensorView<const T> incoming_gradient,
                                                           TensorView<T> source_gradient,
                                                           const RunOptions& options) const {
  check_shape(*state_, state_->result, incoming_gradient.shape);
  check_shape(*state_, state_->source, source_gradient.shape);
  run<T>(*state_, read_only(source_gradient), {}, incoming_gradient, source_gradient.data,
         read_only(source_gradient), options);
}

template <class T>
ConvolutionTranspose2DWeightsGradientPlan<T>::ConvolutionTranspose2DWeightsGradientPlan(
    const Shape& incoming_gradient_shape, const Shape& source_shape, const Shape& output_shape,
    const Convolution2DOpDescriptor& forward_convolution_descriptor, const PlanOptions& options)
    : PlanBase(make<T>(Operation::WeightsGradient, kWeightsGradient, source_shape,
                       TensorView<const T>(nullptr, output_shape), incoming_gradient_shape,
                       forward_convolution_descriptor, nullptr, options)) {}

template <class T>
void ConvolutionTranspose2DWeightsGradientPlan<T>::operator()(TensorView<const T> incoming_gradient,
                                                              TensorView<const T> source,
                                                              TensorView<T> weights_gradient,
                                                              const RunOptions& options) const {
  check_shape(*state_, state_->result, incoming_gradient.shape);
  check_shape(*state_, state_->source, source.shape);
  check_shape(*state_, state_->weights, weights_gradient.shape);
  run<T>(*state_, source, read_only(weights_gradient), incoming_gradient, weights_gradient.data,
         read_only(weights_gradient), options);
}

#define CONVTRANSPOSE_INSTANTIATE(T)                                             \
  template class CONVTRANSPOSE_EXPORT ConvolutionTranspose2DPlan<T>;             \
  template class CONVTRANSPOSE_EXPORT ConvolutionTranspose2DDataGradientPlan<T>; \
  template class CONVTRANSPOSE_EXPORT ConvolutionTranspose2DWeightsGradientPlan<T>;

CONVTRANSPOSE_INSTANTIATE(float)
CONVTRANSPOSE_INSTANTIATE(double)
CONVTRANSPOSE_INSTANTIATE(Float16)
CONVTRANSPOSE_INSTANTIATE(BFloat16)

}  // namespace convtranspose
