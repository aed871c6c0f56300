// SPDX-License-Identifier: MIT
// Single calls of the C interface.
#include "c_api.hpp"

namespace convtranspose::c_api {

template <class T>
void call(std::int32_t operation, const TensorView<T> (&v)[3],
          const Convolution2DOpDescriptor& descriptor, const CallOptions& options) {
  switch (operation) {
    case CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D:
      return convolution_transpose_2d<T>(v[0], v[1], v[2], descriptor, options);
    case CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D_DATA_GRADIENT:
      return convolution_transpose_2d_data_gradient<T>(v[0], v[1], v[2], descriptor, options);
    case CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D_WEIGHTS_GRADIENT:
      return convolution_transpose_2d_weights_gradient<T>(v[0], v[1], v[2], descriptor, options);
    case CONVTRANSPOSE_CONVOLUTION_2D:
      return convolution_2d<T>(v[0], v[1], v[2], descriptor, options);
    case CONVTRANSPOSE_CONVOLUTION_2D_DATA_GRADIENT:
      return convolution_2d_data_gradient<T>(v[0], v[1], v[2], descriptor, options);
    default:
      return convolution_2d_weights_gradient<T>(v[0], v[1], v[2], descriptor, options);
  }
}

template void call<float>(std::int32_t, const TensorView<float> (&)[3],
                          const Convolution2DOpDescriptor&, const CallOptions&);
template void call<double>(std::int32_t, const TensorView<double> (&)[3],
                           const Convolution2DOpDescriptor&, const CallOptions&);
template void call<Float16>(std::int32_t, const TensorView<Float16> (&)[3],
                            const Convolution2DOpDescriptor&, const CallOptions&);
template void call<BFloat16>(std::int32_t, const TensorView<BFloat16> (&)[3],
                             const Convolution2DOpDescriptor&, const CallOptions&);

}  // namespace convtranspose::c_api

using namespace convtranspose;

convtranspose_status convtranspose_call(int32_t operation, const convtranspose_tensor* first,
                                        const convtranspose_tensor* second,
                                        const convtranspose_tensor* output,
                                        const convtranspose_descriptor* descriptor,
                                        const convtranspose_call_options* options) {
  return c_api::guarded([&] {
    c_api::Signature signature = c_api::signature_of(operation);
    const convtranspose_call_options given = c_api::sized(options, signature.name, "options");
    if (given.name != nullptr) signature.name = given.name;
    c_api::BorrowedExecutor executor(given.executor, signature.name);
    CallOptions call_options;
    call_options.name = signature.name;
    call_options.strict = given.not_strict == 0;
    call_options.algorithm = c_api::algorithm_of(given.algorithm, signature.name);
    call_options.fast_math = c_api::fast_math_of(given.fast_math, signature.name);
    call_options.executor = executor.get();
    call_options.threads = given.threads;
    call_options.check_only = given.check_only != 0;
    const c_api::Operands operands{first, second, output};
    for (int i = 0; i < 3; ++i) {
      c_api::check_tensor(signature, i, operands[i], first == nullptr ? 0 : first->dtype,
                          call_options.check_only ? c_api::Data::Ignored : c_api::Data::Needed);
    }
    c_api::with_dtype(first->dtype, [&](auto zero) {
      using T = decltype(zero);
      const TensorView<T> views[3]{c_api::view<T>(*first), c_api::view<T>(*second),
                                   c_api::view<T>(*output)};
      c_api::call<T>(operation, views, c_api::descriptor_of(descriptor, signature.name),
                     call_options);
    });
  });
}
