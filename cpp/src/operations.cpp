// SPDX-License-Identifier: MIT
#include "convtranspose/operations.hpp"

#include "call_log.hpp"
#include "cpu.hpp"
#include "dtype.hpp"
#include "execution.hpp"
#include "geometry.hpp"
#include "output_check.hpp"
#include "workspace.hpp"

namespace convtranspose {
namespace {

/// The operands of one call by what they mean to the transposed convolution.
template <class T>
struct Operands {
  const char* function;
  Operation operation;
  const char *source_name, *weights_name, *result_name;
  TensorView<const T> source, weights, result;
  T* output;
};

template <class T>
void call(const Operands<T>& o, const Convolution2DOpDescriptor& d, const CallOptions& options) {
  const std::string_view name = options.name.empty() ? std::string_view(o.function) : options.name;
  const Tensors3 shapes{{o.source_name, o.source.shape},
                        {o.weights_name, o.weights.shape},
                        {o.result_name, o.result.shape}};
  const Problem problem = resolve(name, shapes, d, options.strict);
  const TensorView<const T>& written = o.operation == Operation::Forward        ? o.result
                                       : o.operation == Operation::DataGradient ? o.source
                                                                                : o.weights;
  if (is_empty(written.shape)) return;
  check_output(name, written.shape, written.strides);
  const Request request{o.operation,
                        kDTypeOf<T>,
                        problem,
                        data_strides(o.source.strides, d.data_layout),
                        data_strides(o.result.strides, d.data_layout),
                        weights_strides(o.weights.strides, d.weights_layout),
                        cache_sizes(),
                        options.fast_math ? *options.fast_math : get_fast_math(),
                        false};
  const Execution execution = prepare(name, request, options.algorithm, active_isa_entry());
  if (options.check_only) return;
  Executor& executor = options.executor == nullptr ? serial_executor() : *options.executor;
  const Resources needs = resources(execution, executor, options.threads, false);
  const Workspace workspace(needs.bytes);
  const CallLog log(name, execution, needs.workers);
  execute(execution, {o.source.data, o.weights.data, o.result.data, o.output, {}}, nullptr,
          executor, needs.workers, workspace.data());
}

template <class T>
TensorView<const T> read_only(const TensorView<T>& view) {
  return view;
}

}  // namespace

template <class T>
void convolution_transpose_2d(detail::ConstView<T> source, detail::ConstView<T> weights,
                              TensorView<T> result, const Convolution2DOpDescriptor& descriptor,
                              const CallOptions& options) {
  call<T>({"convolution_transpose_2d", Operation::Forward, "source", "weights", "output_shape",
           source, weights, read_only(result), result.data},
          descriptor, options);
}

template <class T>
void convolution_transpose_2d_data_gradient(
    detail::ConstView<T> incoming_gradient, detail::ConstView<T> weights,
    TensorView<T> source_gradient, const Convolution2DOpDescriptor& forward_convolution_descriptor,
    const CallOptions& options) {
  call<T>({"convolution_transpose_2d_data_gradient", Operation::DataGradient, "output_shape",
           "weights", "incoming_gradient", read_only(source_gradient), weights, incoming_gradient,
           source_gradient.data},
          forward_convolution_descriptor, options);
}

template <class T>
void convolution_transpose_2d_weights_gradient(
    detail::ConstView<T> incoming_gradient, detail::ConstView<T> source,
    TensorView<T> weights_gradient, const Convolution2DOpDescriptor& forward_convolution_descriptor,
    const CallOptions& options) {
  call<T>({"convolution_transpose_2d_weights_gradient", Operation::WeightsGradient, "source",
           "output_shape", "incoming_gradient", source, read_only(weights_gradient),
           incoming_gradient, weights_gradient.data},
          forward_convolution_descriptor, options);
}

template <class T>
void convolution_2d(detail::ConstView<T> source, detail::ConstView<T> weights, TensorView<T> result,
                    const Convolution2DOpDescriptor& descriptor, const CallOptions& options) {
  call<T>({"convolution_2d", Operation::DataGradient, "result", "weights", "source",
           read_only(result), weights, source, result.data},
          descriptor, options);
}

template <class T>
void convolution_2d_data_gradient(detail::ConstView<T> incoming_gradient,
                                  detail::ConstView<T> weights, TensorView<T> source_gradient,
                                  const Convolution2DOpDescriptor& forward_convolution_descriptor,
                                  const CallOptions& options) {
  call<T>({"convolution_2d_data_gradient", Operation::Forward, "incoming_gradient", "weights",
           "output_shape", incoming_gradient, weights, read_only(source_gradient),
           source_gradient.data},
          forward_convolution_descriptor, options);
}

template <class T>
void convolution_2d_weights_gradient(
    detail::ConstView<T> incoming_gradient, detail::ConstView<T> source,
    TensorView<T> weights_gradient, const Convolution2DOpDescriptor& forward_convolution_descriptor,
    const CallOptions& options) {
  call<T>({"convolution_2d_weights_gradient", Operation::WeightsGradient, "incoming_gradient",
           "output_shape", "source", incoming_gradient, read_only(weights_gradient), source,
           weights_gradient.data},
          forward_convolution_descriptor, options);
}

#define CONVTRANSPOSE_INSTANTIATE_ONE(operation, T)                                                \
  template CONVTRANSPOSE_EXPORT void operation<T>(detail::ConstView<T>, detail::ConstView<T>,      \
                                                  TensorView<T>, const Convolution2DOpDescriptor&, \
                                                  const CallOptions&);
#define CONVTRANSPOSE_INSTANTIATE(T)                                          \
  CONVTRANSPOSE_INSTANTIATE_ONE(convolution_transpose_2d, T)                  \
  CONVTRANSPOSE_INSTANTIATE_ONE(convolution_transpose_2d_data_gradient, T)    \
  CONVTRANSPOSE_INSTANTIATE_ONE(convolution_transpose_2d_weights_gradient, T) \
  CONVTRANSPOSE_INSTANTIATE_ONE(convolution_2d, T)                            \
  CONVTRANSPOSE_INSTANTIATE_ONE(convolution_2d_data_gradient, T)              \
  CONVTRANSPOSE_INSTANTIATE_ONE(convolution_2d_weights_gradient, T)

CONVTRANSPOSE_INSTANTIATE(float)
CONVTRANSPOSE_INSTANTIATE(double)
CONVTRANSPOSE_INSTANTIATE(Float16)
CONVTRANSPOSE_INSTANTIATE(BFloat16)

OutputShapeRange output_shape_range(const Shape& source, const Shape& weights,
                                    const Convolution2DOpDescriptor& descriptor,
                                    std::string_view name) {
  const ShapeRange range =
      result_range(name.empty() ? std::string_view("output_shape_range") : name,
                   {"source_shape", source}, {"weights_shape", weights}, descriptor);
  return {range.smallest, range.largest};
}

Shape convolution_2d_output_shape(const Shape& source, const Shape& weights,
                                  const Convolution2DOpDescriptor& descriptor,
                                  std::string_view name) {
  return source_shape(name.empty() ? std::string_view("convolution_2d") : name,
                      {"weights", weights}, {"source", source}, descriptor);
}

std::string_view to_string(Algorithm algorithm) noexcept {
  switch (algorithm) {
#define CONVTRANSPOSE_ROW(enumerator, name, value) \
  case Algorithm::enumerator:                      \
    return name;
    CONVTRANSPOSE_ALGORITHMS(CONVTRANSPOSE_ROW)
#undef CONVTRANSPOSE_ROW
  }
  return "unknown";
}

}  // namespace convtranspose
