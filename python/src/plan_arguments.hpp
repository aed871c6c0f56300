// SPDX-License-Identifier: MIT
// Arguments that only plans take, and the plans' docstrings.
#pragma once

#include <string>
#include <utility>

#include "arrays.hpp"

namespace convtranspose::python {

/// None, "relu", "sigmoid", "tanh", ("leaky_relu", slope) or ("clamp", low, high).
Activation activation_argument(const py::object& object, const std::string& operation);

/// A dense array of `channels` numbers of the weights' dtype; an empty handle stays one.
py::array look_at_bias(py::array bias, const std::string& operation, const Array& weights,
                       Index channels);

/// Anything numpy.dtype takes but None, which it takes for float64.
std::pair<Element, py::dtype> dtype_argument(const py::object& object, const Asker& asker);

extern const char* const kPlanDoc;
extern const char* const kDataGradientPlanDoc;
extern const char* const kWeightsGradientPlanDoc;

}  // namespace convtranspose::python
