// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/pybind11.h>

namespace convtranspose::python {

/// Instances that `__new__` made and `__init__` never saw raise TypeError wherever they are used,
/// and so does making one of pybind11's base class; both would end or corrupt the process.
void require_init(const pybind11::handle& cls);

/// Ends the definition of a class: its attributes, and `__class__` of its instances, stay as they
/// are. pybind11 trusts the class of an object to tell what value it holds.
void forbid_changes(const pybind11::handle& cls);

}  // namespace convtranspose::python
