// SPDX-License-Identifier: MIT
// Every check of an operation and none of its work: for graphs that know shapes before arrays.
#include <pybind11/stl.h>

#include <optional>
#include <string_view>

#include "arrays.hpp"

namespace convtranspose::python {
namespace {

using Input = TensorView<const float>;
using Output = TensorView<float>;
using Operation = void (*)(Input, Input, Output, const Convolution2DOpDescriptor&,
                           const CallOptions&);

struct Row {
  std::string_view function;
  const char *first, *second;
  Operation operation;
};

constexpr Row kRows[] = {
    {"convolution_transpose_2d", "source", "weights", &convolution_transpose_2d<float>},
    {"convolution_transpose_2d_data_gradient", "incoming_gradient", "weights",
     &convolution_transpose_2d_data_gradient<float>},
    {"convolution_transpose_2d_weights_gradient", "incoming_gradient", "source",
     &convolution_transpose_2d_weights_gradient<float>},
    {"convolution_2d", "source", "weights", &convolution_2d<float>},
    {"convolution_2d_data_gradient", "incoming_gradient", "weights",
     &convolution_2d_data_gradient<float>},
    {"convolution_2d_weights_gradient", "incoming_gradient", "source",
     &convolution_2d_weights_gradient<float>},
};

const Row& row_of(const std::string& function) {
  for (const Row& row : kRows) {
    if (row.function == function) return row;
  }
  throw py::value_error("result_shape: function: expected the name of an operation, got '" +
                        function + "'");
}

}  // namespace

void bind_shape_check(py::module_& module) {
  module.def(
      "result_shape",
      [](const std::string& function, const py::object& first_shape, const py::object& second_shape,
         const py::object& output_shape, const Convolution2DOpDescriptor& descriptor,
         const std::optional<std::string>& name, bool strict) {
        const Row& row = row_of(function);
        CallOptions options;
        options.strict = strict;
        options.check_only = true;
        const std::string operation = name ? *name : function;
        options.name = operation;
        const Input first{nullptr, shape_argument(first_shape, {operation, row.first})};
        const Input second{nullptr, shape_argument(second_shape, {operation, row.second})};
        const Shape shape =
            output_shape.is_none()
                ? convolution_2d_output_shape(first.shape, second.shape, descriptor, operation)
                : shape_argument(output_shape, {operation, "output_shape"});
        row.operation(first, second, {nullptr, shape}, descriptor, options);
        return py::make_tuple(shape[0], shape[1], shape[2], shape[3]);
      },
      py::arg("function"), py::arg("first_shape"), py::arg("second_shape"), py::arg("output_shape"),
      py::arg("descriptor"), py::arg("name") = py::none(), py::kw_only(), py::arg("strict") = true);
}

}  // namespace convtranspose::python
