// SPDX-License-Identifier: MIT
#include <pybind11/pybind11.h>

namespace convtranspose::python {
void bind_descriptor(pybind11::module_& module);
void bind_info(pybind11::module_& module);
#ifdef CONVTRANSPOSE_HAS_JAX_FFI
void bind_jax_ffi(pybind11::module_& module);
#endif
void bind_operations(pybind11::module_& module);
void bind_plans(pybind11::module_& module);
void bind_shape_check(pybind11::module_& module);
}  // namespace convtranspose::python

PYBIND11_MODULE(_core, module, pybind11::mod_gil_not_used()) {
  module.doc() = "The compiled half of convtranspose; use the package.";
  convtranspose::python::bind_descriptor(module);
  convtranspose::python::bind_operations(module);
  convtranspose::python::bind_plans(module);
  convtranspose::python::bind_shape_check(module);
  convtranspose::python::bind_info(module);
#ifdef CONVTRANSPOSE_HAS_JAX_FFI
  convtranspose::python::bind_jax_ffi(module);
#endif
}
