// SPDX-License-Identifier: MIT
#include "arrays.hpp"

#include <algorithm>
#include <optional>

namespace convtranspose::python {
namespace {

std::string shape_text(const py::array& array) { return text_of(array.attr("shape")); }

/// A masked array, which is an array to everybody who does not look.
bool is_masked(const py::object& array) {
  const bool plain = py::type::handle_of(array).ptr() ==
                     reinterpret_cast<PyObject*>(py::detail::npy_api::get().PyArray_Type_);
  return !plain && py::hasattr(array, "mask");
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

/// The same memory as a plain array: a subclass may have functions of its own for it.
py::array plain(const Array& a) {
  Shape bytes = a.strides;
  for (Index& stride : bytes) stride *= a.array.itemsize();
  return py::array(a.array.dtype(), a.shape, bytes, a.data, a.array);
}

bool share_memory(const Array& a, const Array& b) {
  const Extent x = extent(a), y = extent(b);
  if (x.begin >= y.end || y.begin >= x.end) return false;
  try {
    // Exact, so that channel slices of one buffer pass; bounded, for the question can be hard.
    return py::module_::import("numpy")
        .attr("shares_memory")(plain(a), plain(b), py::arg("max_work") = 1000000)
        .cast<bool>();
  } catch (py::error_already_set&) {
    return true;
  }
}

}  // namespace

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
  if (dtype.num() > 255 && dtype.itemsize() == 2 && text_of(dtype) == "bfloat16") {
    return Element::BFloat16;
  }
  return std::nullopt;
}

py::array as_array(const py::object& object, const Asker& asker) {
  static const char* const kExpected = "a numpy array or a CPU tensor with __dlpack__";
  if (py::isinstance<py::array>(object)) {
    if (is_masked(object)) refuse_type(asker, "an array without a mask", type_name(object));
    return py::reinterpret_borrow<py::array>(object);
  }
  if (!py::hasattr(object, "__dlpack__")) refuse_type(asker, kExpected, type_name(object));
  try {
    return py::module_::import("numpy").attr("from_dlpack")(object).cast<py::array>();
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;  // an interrupt is no refusal
    refuse_type(
        asker, kExpected,
        type_name(object) + " that numpy.from_dlpack refuses (" + text_of(error.value()) + ")");
  }
}

py::array as_optional_array(const py::object& object, const Asker& asker) {
  if (object.is_none()) return py::reinterpret_steal<py::array>(py::handle());
  if (!py::isinstance<py::array>(object) || is_masked(object)) {
    refuse_type(asker, "a numpy array or None", type_name(object));
  }
  return py::reinterpret_borrow<py::array>(object);
}

Array look_at(py::array array, const Asker& asker) {
  const std::optional<Element> element = element_of(array.dtype());
  if (!element) {
    refuse_type(asker, "dtype float32, float64, float16 or bfloat16 in native byte order",
                text_of(array.dtype()));
  }
  if (array.ndim() != 4) {
    refuse_value(asker, "an array of rank 4",
                 "rank " + std::to_string(array.ndim()) + ", shape " + shape_text(array));
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
    refuse_value(
        asker, "an address and strides that are multiples of the itemsize, " + std::to_string(size),
        "strides " + text_of(a.array.attr("strides")));
  }
  return a;
}

Array look_at_output(py::array array, const std::string& operation, const Shape& shape,
                     const Array& first, const Array& second) {
  const Asker asker{operation, "out"};
  if (!array.dtype().is(first.array.dtype()) && !array.dtype().equal(first.array.dtype())) {
    refuse_type(asker, "dtype " + text_of(first.array.dtype()), text_of(array.dtype()));
  }
  bool fits = array.ndim() == 4;
  for (int i = 0; fits && i < 4; ++i) {
    fits = array.shape(i) == shape[static_cast<std::size_t>(i)];
  }
  if (!fits) {
    refuse_value(asker, "shape " + text_of(py::make_tuple(shape[0], shape[1], shape[2], shape[3])),
                 shape_text(array));
  }
  if (!array.writeable()) refuse_value(asker, "a writeable array", "a read-only one");
  Array a = look_at(std::move(array), asker);
  if (share_memory(a, first) || share_memory(a, second)) {
    refuse_value(asker, "memory of its own", "an array that overlaps an input");
  }
  return a;
}

namespace {

// pybind11's constructor goes through vectors, which is half the time of a tiny call.
py::array new_array(py::dtype dtype, int rank, const Py_intptr_t* dims, void* data = nullptr) {
  const auto& api = py::detail::npy_api::get();
  const int flags = data == nullptr
                        ? 0
                        : py::array::c_style | py::detail::npy_api::NPY_ARRAY_WRITEABLE_ |
                              py::detail::npy_api::NPY_ARRAY_ALIGNED_;
  auto array = py::reinterpret_steal<py::array>(api.PyArray_NewFromDescr_(
      api.PyArray_Type_, dtype.release().ptr(), rank, dims, nullptr, data, flags, nullptr));
  if (!array) throw py::error_already_set();
  return array;
}

// numpy aligns to 16 bytes. Results whose pixels straddle cache lines cost layers of few channels 7
// % of their speed (nnU-Net tu256, RangeNet dec1), where that is worth a second array object.
constexpr Py_intptr_t kLine = 64, kLargeBytes = Py_intptr_t{64} << 10;

py::array new_aligned_array(const py::dtype& dtype, const Py_intptr_t* dims, Py_intptr_t count) {
  const Py_intptr_t size = dtype.itemsize(), numbers = count + kLine / size;
  py::array memory = new_array(dtype, 1, &numbers);
  const auto at = reinterpret_cast<std::uintptr_t>(memory.mutable_data());
  const std::uintptr_t line = kLine, first = (at + line - 1) / line * line;
  py::array array = new_array(dtype, 4, dims, reinterpret_cast<void*>(first));
  py::detail::npy_api::get().PyArray_SetBaseObject_(array.ptr(), memory.release().ptr());
  return array;
}

}  // namespace

Array allocate(const Shape& shape, const Array& like) {
  Py_intptr_t dims[4];
  std::copy(shape.begin(), shape.end(), dims);
  const py::dtype dtype = like.array.dtype();
  const Py_intptr_t count = dims[0] * dims[1] * dims[2] * dims[3];
  py::array array = count >= kLargeBytes / dtype.itemsize() ? new_aligned_array(dtype, dims, count)
                                                            : new_array(dtype, 4, dims);
  void* data = array.mutable_data();
  return {std::move(array), like.element, data, shape, dense_strides(shape)};
}

void check_same_dtype(const std::string& operation, const char* name_a, const Array& a,
                      const char* name_b, const Array& b) {
  if (a.element == b.element) return;
  refuse_type({operation, name_b},
              "the dtype of " + std::string(name_a) + ", " + text_of(a.array.dtype()),
              text_of(b.array.dtype()));
}

}  // namespace convtranspose::python
