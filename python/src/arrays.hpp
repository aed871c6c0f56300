// SPDX-License-Identifier: MIT
// The whole boundary to numpy. Arrays are looked at where they lie: nothing here copies or casts.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>

#include "convtranspose/convtranspose.hpp"

namespace convtranspose::python {

namespace py = pybind11;

enum class Element { Float32, Float64, Float16, BFloat16 };

/// An array that passed every check, and where it lies.
struct Array {
  py::array array;
  Element element;
  void* data;
  Shape shape;
  Shape strides;  // in elements

  template <class T>
  TensorView<T> view() const {
    return {static_cast<T*>(data), shape, strides};
  }
};

/// Who asks, for the messages: the operation's name and the argument's.
struct Asker {
  std::string operation;
  const char* argument;
};

/// An input: a numpy array, or anything on the CPU with __dlpack__.
Array input(const py::object& object, const Asker& asker);

/// `out`: a writable numpy array of this shape and element type, clear of the inputs.
Array output(const py::object& object, const std::string& operation, const Shape& shape,
             const Array& first, const Array& second);

/// A new array like `like` in all but its shape.
Array allocate(const Shape& shape, const Array& like);

/// TypeError unless both have one dtype.
void check_same_dtype(const std::string& operation, const char* name_a, const Array& a,
                      const char* name_b, const Array& b);

/// A limit on threads: at least 1, or None, which is 0.
int threads_argument(const py::handle& object, const std::string& operation);

/// Four integers.
Shape shape_argument(const py::handle& object, const std::string& operation, const char* argument);

/// One integer of 64 bits.
Index integer_argument(const py::handle& object, const std::string& operation,
                       const char* argument);

/// Calls body with a zero of the element type.
template <class Body>
void visit(Element element, const Body& body) {
  switch (element) {
    case Element::Float32:
      return body(float{});
    case Element::Float64:
      return body(double{});
    case Element::Float16:
      return body(Float16{});
    case Element::BFloat16:
      return body(BFloat16{});
  }
}

}  // namespace convtranspose::python
