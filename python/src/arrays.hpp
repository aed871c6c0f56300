// SPDX-License-Identifier: MIT
// The whole boundary to numpy. Arrays are looked at where they lie: nothing here copies or casts.
#pragma once

#include <pybind11/numpy.h>

#include <optional>
#include <string>

#include "arguments.hpp"

namespace convtranspose::python {

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

/// The element type that a dtype stands for, if we have it.
std::optional<Element> element_of(const py::dtype& dtype);

/// The first step of looking at an argument, which may run code of the caller's: the array that an
/// object is, a numpy array or a tensor of another library on the CPU with __dlpack__.
py::array as_array(const py::object& object, const Asker& asker);

/// The same for what must be a numpy array, or is None and stays an empty handle.
py::array as_optional_array(const py::object& object, const Asker& asker);

/// The second step, which runs nothing of the caller's: dtype, rank and where the elements lie.
Array look_at(py::array array, const Asker& asker);

/// Looks at `out`: writable, of this shape and of the dtype of the inputs, clear of both.
Array look_at_output(py::array array, const std::string& operation, const Shape& shape,
                     const Array& first, const Array& second);

/// A new array like `like` in all but its shape.
Array allocate(const Shape& shape, const Array& like);

/// TypeError unless both have one dtype.
void check_same_dtype(const std::string& operation, const char* name_a, const Array& a,
                      const char* name_b, const Array& b);

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
