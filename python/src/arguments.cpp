// SPDX-License-Identifier: MIT
#include "arguments.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace convtranspose::python {
namespace {

std::string message(const Asker& asker, const std::string& expected, const std::string& got) {
  return asker.operation + ": " + asker.argument + ": expected " + expected + ", got " + got;
}

/// Digits where Python is willing to write them.
std::string integer_text(const py::object& number) {
  const auto bits = py::cast<std::size_t>(number.attr("bit_length")());
  return bits <= 1024 ? text_of(number) : "one of " + std::to_string(bits) + " bits";
}

}  // namespace

void refuse_type(const Asker& asker, const std::string& expected, const std::string& got) {
  throw py::type_error(message(asker, expected, got));
}

void refuse_value(const Asker& asker, const std::string& expected, const std::string& got) {
  throw py::value_error(message(asker, expected, got));
}

std::string text_of(const py::handle& object) {
  const py::str string(object);
  const auto bytes = py::reinterpret_steal<py::bytes>(
      PyUnicode_AsEncodedString(string.ptr(), "utf-8", "backslashreplace"));
  if (!bytes) throw py::error_already_set();
  return bytes;
}

std::string type_name(const py::handle& object) {
  const char* name = Py_TYPE(object.ptr())->tp_name;
  const char* dot = std::strrchr(name, '.');
  return dot == nullptr ? name : dot + 1;
}

Index integer_argument(const py::handle& object, const Asker& asker) {
  const py::object number = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!number) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw py::error_already_set();
    PyErr_Clear();
    refuse_type(asker, "an integer", type_name(object));
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) refuse_value(asker, "an integer of 64 bits", integer_text(number));
  return value;
}

Shape shape_argument(const py::handle& object, const Asker& asker) {
  if (!py::isinstance<py::sequence>(object)) {
    refuse_type(asker, "a sequence of 4 integers", type_name(object));
  }
  const std::size_t length = py::len(object);
  if (length != 4) {
    refuse_value(asker, "4 integers", std::to_string(length) + " in " + text_of(object));
  }
  const auto items = py::reinterpret_borrow<py::sequence>(object);
  Shape shape{};
  for (std::size_t i = 0; i < 4; ++i) shape[i] = integer_argument(py::object(items[i]), asker);
  return shape;
}

int threads_argument(const py::handle& object, const std::string& operation) {
  if (object.is_none()) return 0;
  const Asker asker{operation, "threads"};
  const Index count = integer_argument(object, asker);
  if (count < 1) refuse_value(asker, "at least 1", std::to_string(count));
  return static_cast<int>(std::min<Index>(count, 1 << 20));
}

bool bool_argument(const py::handle& object, const Asker& asker) {
  if (object.ptr() == Py_True || object.ptr() == Py_False) return object.ptr() == Py_True;
  const std::string_view type = Py_TYPE(object.ptr())->tp_name;
  if (type != "numpy.bool" && type != "numpy.bool_") {  // numpy 2, numpy 1
    refuse_type(asker, "True or False", type_name(object));
  }
  return py::bool_(py::reinterpret_borrow<py::object>(object));
}

std::string string_argument(const py::handle& object, const Asker& asker) {
  if (!py::isinstance<py::str>(object)) refuse_type(asker, "a string", type_name(object));
  Py_ssize_t size = 0;
  const char* utf8 = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (utf8 == nullptr) {
    PyErr_Clear();
    refuse_value(asker, "a string that UTF-8 can hold", text_of(py::repr(object)));
  }
  const std::string string(utf8, static_cast<std::size_t>(size));
  // Messages end there on their way through exceptions.
  if (string.find('\0') != std::string::npos) {
    refuse_value(asker, "a string without a null character", text_of(py::repr(object)));
  }
  return string;
}

std::string operation_name(const py::handle& name, const char* function) {
  return name.is_none() ? function : string_argument(name, {function, "name"});
}

std::optional<FastMath> fast_math_argument(const py::handle& object, const Asker& asker) {
  if (object.is_none()) return std::nullopt;
  if (object.ptr() == Py_False) return FastMath::Off;
  if (object.ptr() == Py_True) return FastMath::On;
  const std::string expected = "False, True, 'aggressive' or None";
  if (!py::isinstance<py::str>(object)) refuse_type(asker, expected, text_of(py::repr(object)));
  if (text_of(object) != "aggressive") refuse_value(asker, expected, text_of(py::repr(object)));
  return FastMath::Aggressive;
}

Algorithm algorithm_argument(const py::handle& object, const std::string& operation) {
  py::detail::make_caster<Algorithm> caster;
  if (!caster.load(object, false)) {
    refuse_type({operation, "algorithm"}, "a member of Algorithm", text_of(py::repr(object)));
  }
  return py::detail::cast_op<Algorithm>(caster);
}

Convolution2DOpDescriptor descriptor_argument(const py::handle& object, const Asker& asker) {
  py::detail::make_caster<Convolution2DOpDescriptor> caster;
  if (!caster.load(object, false)) {
    refuse_type(asker, "a Convolution2DOpDescriptor", type_name(object));
  }
  return py::detail::cast_op<const Convolution2DOpDescriptor&>(caster);
}

}  // namespace convtranspose::python
