// SPDX-License-Identifier: MIT
#include "plan_arguments.hpp"

#include <vector>

namespace convtranspose::python {

Activation activation_argument(const py::object& object, const std::string& operation) {
  if (object.is_none()) return {};
  std::string kind;
  std::vector<double> numbers;
  bool valid = py::isinstance<py::str>(object);
  const Asker asker{operation, "activation"};
  if (valid) {
    kind = string_argument(object, asker);
  } else if (py::isinstance<py::tuple>(object) && py::len(object) > 0) {
    const py::tuple parts = object;
    valid = py::isinstance<py::str>(parts[0]);
    if (valid) kind = string_argument(parts[0], asker);
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const double number = PyFloat_AsDouble(py::object(parts[i]).ptr());
      valid = valid && PyErr_Occurred() == nullptr;
      PyErr_Clear();
      numbers.push_back(number);
    }
  }
  if (valid && numbers.empty()) {
    if (kind == "relu") return Activation::relu();
    if (kind == "sigmoid") return Activation::sigmoid();
    if (kind == "tanh") return Activation::tanh();
  }
  if (valid && kind == "leaky_relu" && numbers.size() == 1) {
    return Activation::leaky_relu(numbers[0]);
  }
  if (valid && kind == "clamp" && numbers.size() == 2) {
    return Activation::clamp(numbers[0], numbers[1]);
  }
  refuse_value(asker,
               "None, 'relu', 'sigmoid', 'tanh', ('leaky_relu', slope) or ('clamp', low, high)",
               text_of(py::repr(object)));
}

py::array look_at_bias(py::array bias, const std::string& operation, const Array& weights,
                       Index channels) {
  if (!bias) return bias;
  const Asker asker{operation, "bias"};
  if (!bias.dtype().equal(weights.array.dtype())) {
    refuse_type(asker, "the dtype of weights, " + text_of(weights.array.dtype()),
                text_of(bias.dtype()));
  }
  if (bias.ndim() != 1 || bias.shape(0) != channels) {
    refuse_value(asker,
                 "shape (" + std::to_string(channels) + ",), one number a channel of the output",
                 text_of(bias.attr("shape")));
  }
  return py::module_::import("numpy").attr("ascontiguousarray")(bias);  // a handful of numbers
}

std::pair<Element, py::dtype> dtype_argument(const py::object& object, const Asker& asker) {
  const char* const expected = "float32, float64, float16 or bfloat16";
  if (object.is_none()) refuse_type(asker, expected, "None");
  py::dtype dtype;
  try {
    dtype = py::module_::import("numpy").attr("dtype")(object);
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) throw;
    refuse_type(asker, expected, text_of(py::repr(object)));
  }
  const std::optional<Element> element = element_of(dtype);
  if (!element) refuse_type(asker, expected, text_of(dtype));
  return {*element, dtype};
}

const char* const kPlanDoc = R"(A transposed convolution whose shapes and weights are known ahead.

Weights are packed once; a call is ``plan(source, out=None)``. A plan is immutable and may be called
from many threads at one time.

Parameters
----------
source_shape : sequence of 4 int
weights : array
    Copied: later changes to it do not show.
output_shape : sequence of 4 int
descriptor : Convolution2DOpDescriptor
name : str, optional
bias : ndarray, shape (channels of the result,), optional
    Of the weights' dtype; added to every result element.
activation : optional
    ``None``, ``"relu"``, ``"sigmoid"``, ``"tanh"``, ``("leaky_relu", slope)`` or
    ``("clamp", low, high)``, applied after the bias, before rounding to the dtype.
threads : int, optional
strict : bool, default True
algorithm : Algorithm, default AUTO
fast_math : bool or "aggressive", optional
    See `convtranspose.operations`.

Raises
------
ValueError, TypeError
    As `convolution_transpose_2d`.

Examples
--------
>>> import numpy as np
>>> from convtranspose import Convolution2DOpDescriptor, ConvolutionTranspose2DPlan
>>> weights = np.float32([1, 10, 100]).reshape(1, 1, 1, 3)
>>> plan = ConvolutionTranspose2DPlan(
...     (1, 1, 1, 3), weights, (1, 1, 1, 7), Convolution2DOpDescriptor(stride_in_x=2),
...     bias=np.float32([-15]), activation="relu")
>>> plan(np.float32([1, 2, 3]).reshape(1, 1, 1, 3))
array([[[[  0.,   0.,  87.,   5., 188.,  15., 285.]]]], dtype=float32)
)";

const char* const kDataGradientPlanDoc =
    R"(A data gradient whose shapes and weights are known ahead.

As `ConvolutionTranspose2DPlan`, for `convolution_transpose_2d_data_gradient`; a call is
``plan(incoming_gradient, out=None)``. Since that operation is a plain convolution, so is this plan.

Examples
--------
>>> import numpy as np
>>> from convtranspose import Convolution2DOpDescriptor, ConvolutionTranspose2DDataGradientPlan
>>> weights = np.float32([1, 10, 100]).reshape(1, 1, 1, 3)
>>> plan = ConvolutionTranspose2DDataGradientPlan(
...     (1, 1, 1, 7), weights, (1, 1, 1, 3), Convolution2DOpDescriptor(stride_in_x=2))
>>> plan(np.ones((1, 1, 1, 7), np.float32))
array([[[[111., 111., 111.]]]], dtype=float32)
)";

const char* const kWeightsGradientPlanDoc =
    R"(A weights gradient whose shapes are known ahead.

A call is ``plan(incoming_gradient, source, out=None)``; see
`convolution_transpose_2d_weights_gradient`.

Parameters
----------
incoming_gradient_shape, source_shape, output_shape : sequence of 4 int
forward_convolution_descriptor : Convolution2DOpDescriptor
name : str, optional
dtype : dtype, default float32
threads : int, optional
strict : bool, default True
algorithm : Algorithm, default AUTO
fast_math : bool or "aggressive", optional
    See `convtranspose.operations`.

Examples
--------
>>> import numpy as np
>>> from convtranspose import Convolution2DOpDescriptor, ConvolutionTranspose2DWeightsGradientPlan
>>> plan = ConvolutionTranspose2DWeightsGradientPlan(
...     (1, 1, 1, 7), (1, 1, 1, 3), (1, 1, 1, 3), Convolution2DOpDescriptor(stride_in_x=2))
>>> plan(np.arange(7, dtype=np.float32).reshape(1, 1, 1, 7),
...      np.float32([1, 2, 3]).reshape(1, 1, 1, 3))
array([[[[16., 22., 28.]]]], dtype=float32)
)";

}  // namespace convtranspose::python
