// SPDX-License-Identifier: MIT
// What the C functions share: exceptions become statuses, sized structs are read whatever their
// age, and plain numbers become the C++ interface's types.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "convtranspose/convtranspose.h"
#include "convtranspose/operations.hpp"
#include "errors.hpp"

namespace convtranspose::c_api {

/// Remembers why this thread's call failed.
void set_message(const char* text) noexcept;

/// Runs the body of a C function.
template <class Body>
convtranspose_status guarded(const Body& body) noexcept {
  try {
    body();
    return CONVTRANSPOSE_OK;
  } catch (const std::bad_alloc&) {
    set_message("out of memory");
    return CONVTRANSPOSE_OUT_OF_MEMORY;
  } catch (const std::invalid_argument& e) {
    set_message(e.what());
    return CONVTRANSPOSE_INVALID_ARGUMENT;
  } catch (const std::exception& e) {
    set_message(e.what());
  } catch (...) {
    set_message("an unknown exception");
  }
  return CONVTRANSPOSE_INTERNAL_ERROR;
}

/// A struct of the caller's, who may know fewer fields than we do, or more as long as they are 0.
template <class Struct>
Struct sized(const Struct* given, const char* function, const char* argument) {
  Struct known{};
  if (given == nullptr) return known;
  std::size_t size;
  std::memcpy(&size, given, sizeof size);
  if (size < sizeof size) {
    fail(function, argument, "struct_size to be the struct's size", std::to_string(size));
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof known && std::any_of(bytes + sizeof known, bytes + size,
                                         [](unsigned char byte) { return byte != 0; })) {
    fail(function, argument, "nothing in fields that this version does not know",
         "a struct of " + std::to_string(size) + " bytes instead of " +
             std::to_string(sizeof known));
  }
  std::memcpy(&known, given, std::min(size, sizeof known));
  return known;
}

Convolution2DOpDescriptor descriptor_of(const convtranspose_descriptor* given,
                                        const char* function);

Algorithm algorithm_of(std::int32_t number, const char* function);
std::optional<FastMath> fast_math_of(std::int32_t number, const char* function);

/// An operation's name, its operands' as errors call them, and which of them is the weights.
struct Signature {
  const char* name;
  const char* operands[3];
  int weights;
};
const Signature& signature_of(std::int32_t operation);

/// The three operands of one call.
using Operands = const convtranspose_tensor* const[3];

enum class Data { Needed, Ignored };

/// Refuses a missing struct, an unknown dtype or another one than that of the first operand, and
/// data that is missing or misaligned.
void check_tensor(const Signature& signature, int operand, const convtranspose_tensor* tensor,
                  std::int32_t dtype, Data data);

inline Shape shape_of(const std::int64_t numbers[4]) {
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

template <class T>
TensorView<T> view(const convtranspose_tensor& t) {
  return {static_cast<T*>(t.data), shape_of(t.shape), shape_of(t.strides)};
}

/// A caller's executor as one of ours; the calling thread if there is none.
class BorrowedExecutor final : public Executor {
 public:
  BorrowedExecutor(const convtranspose_executor* given, const char* function);

  Executor* get() noexcept { return used_ ? this : nullptr; }
  int concurrency() const noexcept override { return functions_.concurrency(functions_.user); }
  void parallel_for(Index count, int workers, Task task, void* context) noexcept override {
    static_assert(std::is_same_v<Task, convtranspose_task>);
    functions_.parallel_for(functions_.user, count, workers, task, context);
  }

 private:
  bool used_;
  convtranspose_executor functions_;
};

/// Calls body(T{}) with the dtype's type.
template <class Body>
decltype(auto) with_dtype(std::int32_t dtype, const Body& body) {
  switch (dtype) {
    case CONVTRANSPOSE_FLOAT64:
      return body(double{});
    case CONVTRANSPOSE_FLOAT16:
      return body(Float16{});
    case CONVTRANSPOSE_BFLOAT16:
      return body(BFloat16{});
    default:
      return body(float{});
  }
}

/// The operation on views, the output last; data may be missing where options.check_only is set.
template <class T>
void call(std::int32_t operation, const TensorView<T> (&views)[3],
          const Convolution2DOpDescriptor& descriptor, const CallOptions& options);

}  // namespace convtranspose::c_api
