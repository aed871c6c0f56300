// SPDX-License-Identifier: MIT
// XLA FFI handlers: what JAX calls from compiled code, without Python and without copies. XLA's
// headers are all they need: no symbol of jaxlib is linked, and the handlers reach JAX as capsules.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

#include "convtranspose/convtranspose.hpp"
#include "xla/ffi/api/ffi.h"

namespace convtranspose::python {
namespace {

namespace py = pybind11;
namespace ffi = xla::ffi;

using Numbers = ffi::Span<const std::int64_t>;

/// The descriptor's fields in the order of MPSGraph's factory, as jax/primitives.py packs them.
Convolution2DOpDescriptor descriptor_of(Numbers fields) {
  if (fields.size() != 12) throw std::invalid_argument("descriptor: expected 12 integers");
  Convolution2DOpDescriptor d;
  Index* const integers[] = {&d.stride_in_x,        &d.stride_in_y, &d.dilation_rate_in_x,
                             &d.dilation_rate_in_y, &d.groups,      &d.padding_left,
                             &d.padding_right,      &d.padding_top, &d.padding_bottom};
  for (std::size_t i = 0; i < 9; ++i) *integers[i] = fields[i];
  d.padding_style = static_cast<PaddingStyle>(fields[9]);
  d.data_layout = static_cast<TensorNamedDataLayout>(fields[10]);
  d.weights_layout = static_cast<TensorNamedDataLayout>(fields[11]);
  return d;
}

template <class T>
TensorView<T> view(const ffi::AnyBuffer& buffer) {
  const auto dimensions = buffer.dimensions();
  if (dimensions.size() != 4) throw std::invalid_argument("expected buffers of rank 4");
  Shape shape{};
  std::copy(dimensions.begin(), dimensions.end(), shape.begin());
  return {static_cast<T*>(buffer.untyped_data()), shape};
}

template <class T, class Compute>
void run(const ffi::AnyBuffer& first, const ffi::AnyBuffer& second, ffi::AnyBuffer& result,
         const Convolution2DOpDescriptor& descriptor, const CallOptions& options,
         const Compute& compute) {
  compute(view<const T>(first), view<const T>(second), view<T>(result), descriptor, options);
}

/// Runs `compute` on the buffers' element type; no exception may pass into XLA.
template <class Compute>
ffi::Error handle(const ffi::AnyBuffer& first, const ffi::AnyBuffer& second,
                  ffi::Result<ffi::AnyBuffer> result, Numbers fields, bool strict,
                  const Compute& compute) {
  try {
    CallOptions options;
    options.strict = strict;
    options.executor = &default_executor();
    const Convolution2DOpDescriptor d = descriptor_of(fields);
    const ffi::DataType type = first.element_type();
    if (second.element_type() != type || result->element_type() != type) {
      return ffi::Error::InvalidArgument("convtranspose: expected buffers of one dtype");
    }
    switch (type) {
      case ffi::DataType::F32:
        run<float>(first, second, *result, d, options, compute);
        break;
      case ffi::DataType::F64:
        run<double>(first, second, *result, d, options, compute);
        break;
      case ffi::DataType::F16:
        run<Float16>(first, second, *result, d, options, compute);
        break;
      case ffi::DataType::BF16:
        run<BFloat16>(first, second, *result, d, options, compute);
        break;
      default:
        return ffi::Error::InvalidArgument(
            "convtranspose: expected float32, float64, float16 or bfloat16");
    }
    return ffi::Error::Success();
  } catch (const std::invalid_argument& error) {
    return ffi::Error::InvalidArgument(error.what());
  } catch (const std::bad_alloc&) {
    return ffi::Error(ffi::ErrorCode::kResourceExhausted, "convtranspose: out of memory");
  } catch (const std::exception& error) {
    return ffi::Error::Internal(error.what());
  }
}

#define CONVTRANSPOSE_HANDLER(operation)                                                          \
  ffi::Error run_##operation(ffi::AnyBuffer first, ffi::AnyBuffer second,                         \
                             ffi::Result<ffi::AnyBuffer> result, Numbers fields, bool strict) {   \
    return handle(first, second, result, fields, strict,                                          \
                  [](const auto& a, const auto& b, const auto& r, const auto& d, const auto& o) { \
                    operation(a, b, r, d, o);                                                     \
                  });                                                                             \
  }                                                                                               \
  XLA_FFI_DEFINE_HANDLER(handler_##operation, run_##operation,                                    \
                         ffi::Ffi::Bind()                                                         \
                             .Arg<ffi::AnyBuffer>()                                               \
                             .Arg<ffi::AnyBuffer>()                                               \
                             .Ret<ffi::AnyBuffer>()                                               \
                             .Attr<Numbers>("descriptor")                                         \
                             .Attr<bool>("strict"));

CONVTRANSPOSE_HANDLER(convolution_transpose_2d)
CONVTRANSPOSE_HANDLER(convolution_transpose_2d_data_gradient)
CONVTRANSPOSE_HANDLER(convolution_transpose_2d_weights_gradient)

py::capsule capsule(XLA_FFI_Handler* handler) {
  return py::capsule(reinterpret_cast<void*>(handler), "xla._CUSTOM_CALL_TARGET");
}

}  // namespace

void bind_jax_ffi(py::module_& module) {
  module.attr("jax_ffi_api_version") = py::make_tuple(XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR);
  py::dict handlers;
#define CONVTRANSPOSE_CAPSULE(operation) handlers[#operation] = capsule(handler_##operation);
  CONVTRANSPOSE_CAPSULE(convolution_transpose_2d)
  CONVTRANSPOSE_CAPSULE(convolution_transpose_2d_data_gradient)
  CONVTRANSPOSE_CAPSULE(convolution_transpose_2d_weights_gradient)
  module.attr("jax_ffi_handlers") = handlers;
}

}  // namespace convtranspose::python
