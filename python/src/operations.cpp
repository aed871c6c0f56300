// SPDX-License-Identifier: MIT
#include <pybind11/native_enum.h>

#include <cctype>
#include <utility>

#include "arrays.hpp"

namespace convtranspose::python {
namespace {

/// Arguments that all operations share and that are no arrays.
struct Common {
  std::string operation;
  Convolution2DOpDescriptor descriptor;
  CallOptions options;
};

/// Calls body(common); its options' name lives as long.
template <class Body>
py::array with_common(const char* function, const char* descriptor_name,
                      const py::object& descriptor, const py::object& name,
                      const py::object& strict, const py::object& threads,
                      const py::object& algorithm, const py::object& fast_math, const Body& body) {
  Common c;
  c.operation = operation_name(name, function);
  c.descriptor = descriptor_argument(descriptor, {c.operation, descriptor_name});
  c.options.name = c.operation;
  c.options.strict = bool_argument(strict, {c.operation, "strict"});
  c.options.threads = threads_argument(threads, c.operation);
  c.options.algorithm = algorithm_argument(algorithm, c.operation);
  c.options.fast_math = fast_math_argument(fast_math, {c.operation, "fast_math"});
  c.options.executor = &default_executor();
  return body(c);
}

/// Two inputs of one dtype.
struct Inputs {
  Array first, second;
};

Inputs look_at_both(const std::string& operation, const char* first_name, py::array first,
                    const char* second_name, py::array second) {
  Inputs inputs{look_at(std::move(first), {operation, first_name}),
                look_at(std::move(second), {operation, second_name})};
  check_same_dtype(operation, first_name, inputs.first, second_name, inputs.second);
  return inputs;
}

/// A new result. Where numpy cannot make it, `check` goes first to say what is wrong with the
/// shape.
template <class Check>
Array allocate_checked(const Shape& shape, const Array& like, const Check& check) {
  try {
    return allocate(shape, like);
  } catch (py::error_already_set&) {
    check();
    throw;
  }
}

/// Two inputs, one output. `compute` gets the views and the options.
template <class Compute>
py::array call(const Common& common, const Inputs& inputs, const Shape& shape, py::array out,
               const Compute& compute) {
  const Array &first = inputs.first, &second = inputs.second;
  const auto check = [&] {
    CallOptions options = common.options;
    options.check_only = true;
    visit(first.element, [&](auto zero) {
      using T = decltype(zero);
      compute(first.view<const T>(), second.view<const T>(),
              TensorView<T>{nullptr, shape, dense_strides(shape)}, options);
    });
  };
  const Array result = out ? look_at_output(std::move(out), common.operation, shape, first, second)
                           : allocate_checked(shape, first, check);
  visit(first.element, [&](auto zero) {
    using T = decltype(zero);
    const auto a = first.view<const T>(), b = second.view<const T>();
    const auto r = result.view<T>();
    const py::gil_scoped_release release;
    compute(a, b, r, common.options);
  });
  return result.array;
}

/// Defines an operation whose result's shape is an argument.
template <class Compute>
void define(py::module_& module, const char* function, const char* first_name,
            const char* second_name, const char* descriptor_name, const Compute& compute) {
  module.def(
      function,
      [=](const py::object& first, const py::object& second, const py::object& output_shape,
          const py::object& descriptor, const py::object& name, const py::object& out,
          const py::object& strict, const py::object& threads, const py::object& algorithm,
          const py::object& fast_math) {
        return with_common(
            function, descriptor_name, descriptor, name, strict, threads, algorithm, fast_math,
            [&](const Common& c) {
              const Shape shape = shape_argument(output_shape, {c.operation, "output_shape"});
              py::array a = as_array(first, {c.operation, first_name});
              py::array b = as_array(second, {c.operation, second_name});
              py::array o = as_optional_array(out, {c.operation, "out"});
              const Inputs inputs =
                  look_at_both(c.operation, first_name, std::move(a), second_name, std::move(b));
              return call(
                  c, inputs, shape, std::move(o),
                  [&](const auto& x, const auto& y, const auto& r, const CallOptions& options) {
                    compute(x, y, r, c.descriptor, options);
                  });
            });
      },
      py::arg(first_name), py::arg(second_name), py::arg("output_shape"), py::arg(descriptor_name),
      py::arg("name") = py::none(), py::kw_only(), py::arg("out") = py::none(),
      py::arg("strict") = true, py::arg("threads") = py::none(),
      py::arg("algorithm") = Algorithm::Auto, py::arg("fast_math") = py::none());
}

void bind_algorithm(py::module_& module) {
  py::native_enum<Algorithm> algorithm(
      module, "Algorithm", "enum.IntEnum",
      "Ways of computing an operation; AUTO leaves the choice to a table.");
  const auto add = [&](Algorithm value) {
    std::string name(to_string(value));
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    algorithm.value(name.c_str(), value);
  };
#define CONVTRANSPOSE_ROW(enumerator, name, value) add(Algorithm::enumerator);
  CONVTRANSPOSE_ALGORITHMS(CONVTRANSPOSE_ROW)
#undef CONVTRANSPOSE_ROW
  algorithm.finalize();
}

py::tuple tuple_of(const Shape& s) { return py::make_tuple(s[0], s[1], s[2], s[3]); }

}  // namespace

void bind_operations(py::module_& module) {
  bind_algorithm(module);
  define(module, "convolution_transpose_2d", "source", "weights", "descriptor",
         [](const auto& a, const auto& b, const auto& r, const auto& d, const auto& o) {
           convolution_transpose_2d(a, b, r, d, o);
         });
  define(module, "convolution_transpose_2d_data_gradient", "incoming_gradient", "weights",
         "forward_convolution_descriptor",
         [](const auto& a, const auto& b, const auto& r, const auto& d, const auto& o) {
           convolution_transpose_2d_data_gradient(a, b, r, d, o);
         });
  define(module, "convolution_transpose_2d_weights_gradient", "incoming_gradient", "source",
         "forward_convolution_descriptor",
         [](const auto& a, const auto& b, const auto& r, const auto& d, const auto& o) {
           convolution_transpose_2d_weights_gradient(a, b, r, d, o);
         });
  define(module, "convolution_2d_data_gradient", "incoming_gradient", "weights",
         "forward_convolution_descriptor",
         [](const auto& a, const auto& b, const auto& r, const auto& d, const auto& o) {
           convolution_2d_data_gradient(a, b, r, d, o);
         });
  define(module, "convolution_2d_weights_gradient", "incoming_gradient", "source",
         "forward_convolution_descriptor",
         [](const auto& a, const auto& b, const auto& r, const auto& d, const auto& o) {
           convolution_2d_weights_gradient(a, b, r, d, o);
         });
  module.def(
      "convolution_2d",
      [](const py::object& source, const py::object& weights, const py::object& descriptor,
         const py::object& name, const py::object& out, const py::object& strict,
         const py::object& threads, const py::object& algorithm, const py::object& fast_math) {
        return with_common(
            "convolution_2d", "descriptor", descriptor, name, strict, threads, algorithm, fast_math,
            [&](const Common& c) {
              py::array a = as_array(source, {c.operation, "source"});
              py::array b = as_array(weights, {c.operation, "weights"});
              py::array o = as_optional_array(out, {c.operation, "out"});
              const Inputs inputs =
                  look_at_both(c.operation, "source", std::move(a), "weights", std::move(b));
              const Shape shape = convolution_2d_output_shape(
                  inputs.first.shape, inputs.second.shape, c.descriptor, c.operation);
              return call(
                  c, inputs, shape, std::move(o),
                  [&](const auto& x, const auto& y, const auto& r, const CallOptions& options) {
                    convolution_2d(x, y, r, c.descriptor, options);
                  });
            });
      },
      py::arg("source"), py::arg("weights"), py::arg("descriptor"), py::arg("name") = py::none(),
      py::kw_only(), py::arg("out") = py::none(), py::arg("strict") = true,
      py::arg("threads") = py::none(), py::arg("algorithm") = Algorithm::Auto,
      py::arg("fast_math") = py::none());
  module.def(
      "output_shape_range",
      [](const py::object& source_shape, const py::object& weights_shape,
         const py::object& descriptor) {
        const char* self = "output_shape_range";
        const Shape source = shape_argument(source_shape, {self, "source_shape"});
        const Shape weights = shape_argument(weights_shape, {self, "weights_shape"});
        const OutputShapeRange range = output_shape_range(
            source, weights, descriptor_argument(descriptor, {self, "descriptor"}));
        return py::make_tuple(tuple_of(range.smallest), tuple_of(range.largest));
      },
      py::arg("source_shape"), py::arg("weights_shape"), py::arg("descriptor"));
}

}  // namespace convtranspose::python
