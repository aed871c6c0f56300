// SPDX-License-Identifier: MIT
// Arguments that only plans take, and the plans' docstrings.
#pragma once

#include <string>
#include <utility>

#include "arrays.hpp"

namespace convtranspose::python {

std::string text_of(const py::handle& object);

/// None, "relu", "sigmoid", "tanh", ("leaky_relu", slope) or ("clamp", low, high).
Activation activation_argument(const py::object& object, const std::string& operation);

/// A dense array of `channels` numbers of the weights' dtype, or None.
py::object bias_argument(const py::object& bias, const std::string& operation, const Array& weights,
                         Index channels);

/// Anything numpy.dtype takes.
std::pair<Element, py::dtype> dtype_argument(const py::object& object,
                                             const std::string& operation);

extern const char* const kPlanDoc;
extern const char* const kDataGradientPlanDoc;
extern const char* const kWeightsGradientPlanDoc;

}  // namespace convtranspose::python
