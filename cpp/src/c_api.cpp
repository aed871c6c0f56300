// SPDX-License-Identifier: MIT
// The C interface but for calls and plans: messages, arguments, facts.
#include "c_api.hpp"

#include <cstdint>
#include <cstdio>

#include "convtranspose/isa.hpp"
#include "convtranspose/version.hpp"

namespace convtranspose::c_api {
namespace {

thread_local char message[1024] = "";

constexpr Signature kSignatures[] = {
    {"convolution_transpose_2d", {"source", "weights", "output_shape"}, 1},
    {"convolution_transpose_2d_data_gradient", {"incoming_gradient", "weights", "output_shape"}, 1},
    {"convolution_transpose_2d_weights_gradient",
     {"incoming_gradient", "source", "output_shape"},
     2},
    {"convolution_2d", {"source", "weights", "result"}, 1},
    {"convolution_2d_data_gradient", {"incoming_gradient", "weights", "output_shape"}, 1},
    {"convolution_2d_weights_gradient", {"incoming_gradient", "source", "output_shape"}, 2},
};

std::size_t element_size(std::int32_t dtype) {
  return with_dtype(dtype, [](auto zero) { return sizeof zero; });
}

std::int32_t pool_concurrency(void*) { return default_executor().concurrency(); }

void pool_parallel_for(void*, std::int64_t count, std::int32_t workers, convtranspose_task task,
                       void* context) {
  default_executor().parallel_for(count, workers, task, context);
}

}  // namespace

void set_message(const char* text) noexcept { std::snprintf(message, sizeof message, "%s", text); }

const Signature& signature_of(std::int32_t operation) {
  if (operation < 0 || operation >= static_cast<std::int32_t>(std::size(kSignatures))) {
    fail("convtranspose", "operation", "0 to 5", std::to_string(operation));
  }
  return kSignatures[operation];
}

Convolution2DOpDescriptor descriptor_of(const convtranspose_descriptor* given,
                                        const char* function) {
  if (given == nullptr) fail(function, "descriptor", "a descriptor", "NULL");
  const convtranspose_descriptor d = sized(given, function, "descriptor");
  return {d.stride_in_x,
          d.stride_in_y,
          d.dilation_rate_in_x,
          d.dilation_rate_in_y,
          d.groups,
          d.padding_left,
          d.padding_right,
          d.padding_top,
          d.padding_bottom,
          static_cast<PaddingStyle>(d.padding_style),
          static_cast<TensorNamedDataLayout>(d.data_layout),
          static_cast<TensorNamedDataLayout>(d.weights_layout)};
}

Algorithm algorithm_of(std::int32_t number, const char* function) {
  const auto algorithm = static_cast<Algorithm>(number);
  if (to_string(algorithm) == "unknown") {
    fail(function, "algorithm", "a number of convtranspose/algorithm.hpp", std::to_string(number));
  }
  return algorithm;
}

std::optional<FastMath> fast_math_of(std::int32_t number, const char* function) {
  if (number < CONVTRANSPOSE_FAST_MATH_UNSET || number > CONVTRANSPOSE_FAST_MATH_AGGRESSIVE) {
    fail(function, "fast_math", "0 to 3", std::to_string(number));
  }
  if (number == CONVTRANSPOSE_FAST_MATH_UNSET) return std::nullopt;
  return static_cast<FastMath>(number - CONVTRANSPOSE_FAST_MATH_OFF);
}

void check_tensor(const Signature& signature, int operand, const convtranspose_tensor* tensor,
                  std::int32_t dtype, Data data) {
  const char* argument = signature.operands[operand];
  if (tensor == nullptr) fail(signature.name, argument, "a tensor", "NULL");
  if (tensor->dtype < CONVTRANSPOSE_FLOAT32 || tensor->dtype > CONVTRANSPOSE_BFLOAT16) {
    fail(signature.name, argument, "a dtype from 0 to 3", std::to_string(tensor->dtype));
  }
  if (tensor->dtype != dtype) {
    fail(signature.name, argument,
         std::string("the dtype of ") + signature.operands[0] + ", " + std::to_string(dtype),
         std::to_string(tensor->dtype));
  }
  if (data == Data::Ignored) return;
  const bool empty =
      std::any_of(tensor->shape, tensor->shape + 4, [](std::int64_t n) { return n == 0; });
  if (tensor->data == nullptr && !empty) fail(signature.name, argument, "data", "NULL");
  const std::uintptr_t offset =
      reinterpret_cast<std::uintptr_t>(tensor->data) % element_size(dtype);
  if (offset != 0) {
    fail(signature.name, argument,
         "data at a multiple of " + std::to_string(element_size(dtype)) + " bytes",
         std::to_string(offset) + " beyond one");
  }
}

BorrowedExecutor::BorrowedExecutor(const convtranspose_executor* given, const char* function)
    : used_(given != nullptr), functions_(sized(given, function, "executor")) {
  if (used_ && (functions_.concurrency == nullptr || functions_.parallel_for == nullptr)) {
    fail(function, "executor", "two functions", "NULL");
  }
}

}  // namespace convtranspose::c_api

using namespace convtranspose;
using c_api::guarded;

const char* convtranspose_message(void) { return c_api::message; }

convtranspose_tensor convtranspose_dense(void* data, int32_t dtype, int64_t n0, int64_t n1,
                                         int64_t n2, int64_t n3) {
  const Shape strides = dense_strides({n0, n1, n2, n3});
  return {data, {n0, n1, n2, n3}, {strides[0], strides[1], strides[2], strides[3]}, dtype, 0};
}

const convtranspose_executor* convtranspose_default_executor(void) {
  static const convtranspose_executor executor{sizeof(convtranspose_executor), nullptr,
                                               c_api::pool_concurrency, c_api::pool_parallel_for};
  return &executor;
}

int32_t convtranspose_get_num_threads(void) { return get_num_threads(); }

convtranspose_status convtranspose_set_num_threads(int32_t count) {
  return guarded([&] { set_num_threads(count); });
}

convtranspose_status convtranspose_output_shape_range(const int64_t source_shape[4],
                                                      const int64_t weights_shape[4],
                                                      const convtranspose_descriptor* descriptor,
                                                      int64_t smallest[4], int64_t largest[4]) {
  return guarded([&] {
    const OutputShapeRange range =
        output_shape_range(c_api::shape_of(source_shape), c_api::shape_of(weights_shape),
                           c_api::descriptor_of(descriptor, "output_shape_range"));
    std::copy(range.smallest.begin(), range.smallest.end(), smallest);
    std::copy(range.largest.begin(), range.largest.end(), largest);
  });
}

convtranspose_status convtranspose_convolution_2d_output_shape(
    const int64_t source_shape[4], const int64_t weights_shape[4],
    const convtranspose_descriptor* descriptor, int64_t shape[4]) {
  return guarded([&] {
    const Shape result =
        convolution_2d_output_shape(c_api::shape_of(source_shape), c_api::shape_of(weights_shape),
                                    c_api::descriptor_of(descriptor, "convolution_2d"));
    std::copy(result.begin(), result.end(), shape);
  });
}

const char* convtranspose_version(void) { return CONVTRANSPOSE_VERSION; }

// Names are literals, so what follows their last character is a zero.
const char* convtranspose_algorithm_name(int32_t algorithm) {
  return to_string(static_cast<Algorithm>(algorithm)).data();
}

const char* convtranspose_active_isa(void) {
  const char* name = nullptr;
  guarded([&] { name = active_isa().data(); });
  return name;
}

convtranspose_status convtranspose_set_isa(const char* name) {
  return guarded([&] {
    if (name == nullptr) fail("set_isa", "name", "a name", "NULL");
    set_isa(name);
  });
}
