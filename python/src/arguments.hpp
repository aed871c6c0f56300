// SPDX-License-Identifier: MIT
// Arguments that are no arrays: numbers, names, choices. They come before arrays are looked at,
// because an object's __index__ is code of the caller's and may do anything to an array.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string>

#include "convtranspose/convtranspose.hpp"

namespace convtranspose::python {

namespace py = pybind11;

/// Who asks, for the messages: the operation's name and the argument's.
struct Asker {
  std::string operation;
  const char* argument;
};

[[noreturn]] void refuse_type(const Asker& asker, const std::string& expected,
                              const std::string& got);
[[noreturn]] void refuse_value(const Asker& asker, const std::string& expected,
                               const std::string& got);

/// str(object), with escapes for what UTF-8 cannot hold.
std::string text_of(const py::handle& object);
std::string type_name(const py::handle& object);

/// One integer of 64 bits.
Index integer_argument(const py::handle& object, const Asker& asker);

/// Four integers.
Shape shape_argument(const py::handle& object, const Asker& asker);

/// A limit on threads: at least 1, or None, which is 0.
int threads_argument(const py::handle& object, const std::string& operation);

bool bool_argument(const py::handle& object, const Asker& asker);

std::string string_argument(const py::handle& object, const Asker& asker);

/// MPSGraph's name of the operation; the function's where it is None.
std::string operation_name(const py::handle& name, const char* function);

Algorithm algorithm_argument(const py::handle& object, const std::string& operation);

/// A bool, "aggressive", or None, which is no value.
std::optional<FastMath> fast_math_argument(const py::handle& object, const Asker& asker);

/// A copy, since the caller's code could change the original later on.
Convolution2DOpDescriptor descriptor_argument(const py::handle& object, const Asker& asker);

}  // namespace convtranspose::python
