// SPDX-License-Identifier: MIT
#include "seal.hpp"

namespace convtranspose::python {
namespace py = pybind11;
namespace {

/// Where pybind11 would make up a value for an instance that has none, out of untouched memory.
void* refuse_missing_value(std::size_t /*size*/) {
  throw py::type_error("expected an object whose __init__ has run, got one that __new__ made");
}

newfunc pybind11_new = nullptr;
PyTypeObject* base = nullptr;

/// pybind11's own throws through the interpreter when the class holds no C++ value.
PyObject* checked_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  if (type != base) return pybind11_new(type, args, kwargs);
  PyErr_Format(PyExc_TypeError, "cannot create instances of %.200s", type->tp_name);
  return nullptr;
}

/// In subclasses too, of whatever module: `__new__` refuses types that have another than its own.
void replace_new(PyTypeObject* type) {
  if (type->tp_new != pybind11_new) return;
  type->tp_new = &checked_new;
  const py::handle cls(reinterpret_cast<PyObject*>(type));
  const py::list subclasses = py::type::of(cls).attr("__subclasses__")(cls);
  for (const py::handle& subclass : subclasses) {
    replace_new(reinterpret_cast<PyTypeObject*>(subclass.ptr()));
  }
}

}  // namespace

void require_init(const py::handle& cls) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  py::detail::get_type_info(type)->operator_new = &refuse_missing_value;
  if (base != nullptr) return;
  base = type->tp_base;
  base->tp_flags &= ~Py_TPFLAGS_BASETYPE;  // nor can Python derive from it
  pybind11_new = base->tp_new;
  replace_new(base);
}

void forbid_changes(const py::handle& cls) {
  auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
  type->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
  PyType_Modified(type);
}

}  // namespace convtranspose::python
