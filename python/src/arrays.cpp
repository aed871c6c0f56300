// SPDX-License-Identifier: MIT
#include "arrays.hpp"

#include <algorithm>
#include <optional>

namespace convtranspose::python {
namespace {

[[noreturn]] void refuse(const Asker& asker, const std::string& expected, const std::string& got,
                         bool type_error) {
  const std::string text =
      asker.operation + ": " + asker.argument + ": expected " + expected + ", got " + got;
  if (type_error) throw py::type_error(text);
  throw py::value_error(text);
}

std::string text(const py::handle& object) { return py::cast<std::string>(py::str(object)); }

std::string type_name(const py::handle& object) {
  return text(py::type::handle_of(object).attr("__name__"));
}

std::string shape_text(const py::array& array) { return text(array.attr("shape")); }

std::optional<Element> element_of(const py::dtype& dtype) {
  const char order = dtype.byteorder();
  if (order != '=' && order != '|') return std::nullopt;  // numpy writes native order so
  switch (dtype.num()) {
    case py::detail::npy_api::NPY_FLOAT_:
      return Element::Float32;
    case py::detail::npy_api::NPY_DOUBLE_:
      return Element::Float64;
    case 23:  // NPY_HALF
      return Element::Float16;
    default:
      break;
  }
  // ml_dtypes registers its type at run time, so the number is not known beforehand.
  if (dtype.num() > 255 && dtype.itemsize() == 2 && text(dtype) == "bfloat16") {
    return Element::BFloat16;
  }
  return std::nullopt;
}

/// A masked array, which is an array to everybody who does not look.
bool is_masked(const py::object& array) {
  const bool plain = py::type::handle_of(array).ptr() ==
                     reinterpret_cast<PyObject*>(py::detail::npy_api::get().PyArray_Type_);
  return !plain && py::hasattr(array, "mask");
}

py::array as_array(const py::object& object, const Asker& asker) {
  static const char* const kExpected = "a numpy array or a CPU tensor with __dlpack__";
  if (py::isinstance<py::array>(object)) {
    if (is_masked(object)) {
      refuse(asker, "an array without a mask", type_name(object), true);
    }
    return py::reinterpret_borrow<py::array>(object);
  }
  if (!py::hasattr(object, "__dlpack__")) refuse(asker, kExpected, type_name(object), true);
  try {
    return py::module_::import("numpy").attr("from_dlpack")(object).cast<py::array>();
  } catch (py::error_already_set& error) {
    refuse(asker, kExpected,
           type_name(object) + " that numpy.from_dlpack refuses (" + text(error.value()) + ")",
           true);
  }
}

Array describe(py::array array, const Asker& asker) {
  const std::optional<Element> element = element_of(array.dtype());
  if (!element) {
    refuse(asker, "dtype float32, float64, float16 or bfloat16 in native byte order",
           text(array.dtype()), true);
  }
  if (array.ndim() != 4) {
    refuse(asker, "an array of rank 4",
           "rank " + std::to_string(array.ndim()) + ", shape " + shape_text(array), false);
  }
  const py::ssize_t size = array.itemsize();
  Array a{std::move(array), *element, nullptr, {}, {}};
  a.data = const_cast<void*>(a.array.data());
  bool whole = reinterpret_cast<std::uintptr_t>(a.data) % static_cast<std::size_t>(size) == 0;
  for (int i = 0; i < 4; ++i) {
    const auto k = static_cast<std::size_t>(i);
    a.shape[k] = a.array.shape(i);
    a.strides[k] = a.array.strides(i) / size;
    whole = whole && (a.array.strides(i) % size == 0 || a.array.shape(i) < 2);
  }
  if (!whole) {
    refuse(asker,
           "an address and strides that are multiples of the itemsize, " + std::to_string(size),
           "strides " + text(a.array.attr("strides")), false);
  }
  return a;
}

struct Extent {
  const char *begin, *end;
};

/// First and one-past-last byte of what a view reaches.
Extent extent(const Array& a) {
  const py::ssize_t size = a.array.itemsize();
  const char* begin = static_cast<const char*>(a.data);
  const char* end = begin + size;
  for (std::size_t i = 0; i < 4; ++i) {
    if (a.shape[i] == 0) return {begin, begin};
    const Index step = (a.shape[i] - 1) * a.strides[i] * size;
    (step < 0 ? begin : end) += step;
  }
  return {begin, end};
}

bool share_memory(const Array& a, const Array& b) {
  const Extent x = extent(a), y = extent(b);
  if (x.begin >= y.end || y.begin >= x.end) return false;
  try {
    // Exact, so that channel slices of one buffer pass; bounded, for the question can be hard.
    return py::module_::import("numpy")
        .attr("shares_memory")(a.array, b.array, py::arg("max_work") = 1000000)
        .cast<bool>();
  } catch (py::error_already_set&) {
    return true;
  }
}

}  // namespace

Array input(const py::object& object, const Asker& asker) {
  return describe(as_array(object, asker), asker);
}

Array output(const py::object& object, const std::string& operation, const Shape& shape,
             const Array& first, const Array& second) {
  const Asker asker{operation, "out"};
  if (!py::isinstance<py::array>(object) || is_masked(object)) {
    refuse(asker, "a numpy array", type_name(object), true);
  }
  py::array array = py::reinterpret_borrow<py::array>(object);
  if (!array.dtype().is(first.array.dtype()) && !array.dtype().equal(first.array.dtype())) {
    refuse(asker, "dtype " + text(first.array.dtype()), text(array.dtype()), true);
  }
  bool fits = array.ndim() == 4;
  for (int i = 0; fits && i < 4; ++i) {
    fits = array.shape(i) == shape[static_cast<std::size_t>(i)];
  }
  if (!fits) {
    refuse(asker, "shape " + text(py::make_tuple(shape[0], shape[1], shape[2], shape[3])),
           shape_text(array), false);
  }
  if (!array.writeable()) refuse(asker, "a writeable array", "a read-only one", false);
  Array a = describe(std::move(array), asker);
  if (share_memory(a, first) || share_memory(a, second)) {
    refuse(asker, "memory of its own", "an array that overlaps an input", false);
  }
  return a;
}

Array allocate(const Shape& shape, const Array& like) {
  // pybind11's constructor goes through vectors, which is half the time of a tiny call.
  const auto& api = py::detail::npy_api::get();
  Py_intptr_t dims[4];
  std::copy(shape.begin(), shape.end(), dims);
  py::dtype dtype = like.array.dtype();
  auto array = py::reinterpret_steal<py::array>(api.PyArray_NewFromDescr_(
      api.PyArray_Type_, dtype.release().ptr(), 4, dims, nullptr, nullptr, 0, nullptr));
  if (!array) throw py::error_already_set();
  void* data = array.mutable_data();
  return {std::move(array), like.element, data, shape, dense_strides(shape)};
}

void check_same_dtype(const std::string& operation, const char* name_a, const Array& a,
                      const char* name_b, const Array& b) {
  if (a.element == b.element) return;
  refuse({operation, name_b}, "the dtype of " + std::string(name_a) + ", " + text(a.array.dtype()),
         text(b.array.dtype()), true);
}

Index integer_argument(const py::handle& object, const std::string& operation,
                       const char* argument) {
  const Asker asker{operation, argument};
  const py::object number = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!number) {
    PyErr_Clear();
    refuse(asker, "an integer", type_name(object), true);
  }
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) refuse(asker, "an integer of 64 bits", text(number), false);
  return value;
}

int threads_argument(const py::handle& object, const std::string& operation) {
  if (object.is_none()) return 0;
  const Index count = integer_argument(object, operation, "threads");
  if (count < 1) refuse({operation, "threads"}, "at least 1", std::to_string(count), false);
  return static_cast<int>(std::min<Index>(count, 1 << 20));
}

Shape shape_argument(const py::handle& object, const std::string& operation, const char* argument) {
  const Asker asker{operation, argument};
  if (!py::isinstance<py::sequence>(object) && !py::isinstance<py::array>(object)) {
    refuse(asker, "a sequence of 4 integers", type_name(object), true);
  }
  const std::size_t length = py::len(object);
  if (length != 4) {
    refuse(asker, "4 integers", std::to_string(length) + " in " + text(object), false);
  }
  Shape shape{};
  std::size_t i = 0;
  for (const py::handle item : py::reinterpret_borrow<py::object>(object)) {
    shape[i++] = integer_argument(item, operation, argument);
  }
  return shape;
}

}  // namespace convtranspose::python
