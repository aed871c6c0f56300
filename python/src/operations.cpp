// SPDX-License-Identifier: MIT
#include <pybind11/native_enum.h>
#include <pybind11/stl.h>

#include <cctype>
#include <optional>

#include "arrays.hpp"

namespace convtranspose::python {
namespace {

/// Arguments that all operations share.
struct Common {
  const char* function;
  std::optional<std::string> name;
  py::object out;
  bool strict;
  py::object threads;
  Algorithm algorithm;

  std::string operation() const { return name ? *name : function; }

  CallOptions options(const std::string& operation) const {
    CallOptions o;
    o.strict = strict;
    o.algorithm = algorithm;
    o.executor = &default_executor();
    o.threads = threads_argument(threads, operation);
    return o;
  }
};

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
py::array call(const Common& common, const std::string& operation, const Array& first,
               const Array& second, const Shape& shape, const Compute& compute) {
  CallOptions options = common.options(operation);
  options.name = operation;
  const auto check = [&] {
    options.check_only = true;
    visit(first.element, [&](auto zero) {
      using T = decltype(zero);
      compute(first.view<const T>(), second.view<const T>(),
              TensorView<T>{nullptr, shape, dense_strides(shape)}, options);
    });
  };
  const Array result = common.out.is_none() ? allocate_checked(shape, first, check)
                                            : output(common.out, operation, shape, first, second);
  visit(first.element, [&](auto zero) {
    using T = decltype(zero);
    const auto a = first.view<const T>(), b = second.view<const T>();
    const auto r = result.view<T>();
    const py::gil_scoped_release release;
    compute(a, b, r, options);
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
          const Convolution2DOpDescriptor& descriptor, std::optional<std::string> name,
          py::object out, bool strict, py::object threads, Algorithm algorithm) {
        const Common common{function, std::move(name),    std::move(out),
                            strict,   std::move(threads), algorithm};
        const std::string operation = common.operation();
        const Array a = input(first, {operation, first_name});
        const Array b = input(second, {operation, second_name});
        check_same_dtype(operation, first_name, a, second_name, b);
        const Shape shape = shape_argument(output_shape, operation, "output_shape");
        return call(common, operation, a, b, shape,
                    [&](const auto& x, const auto& y, const auto& r, const CallOptions& options) {
                      compute(x, y, r, descriptor, options);
                    });
      },
      py::arg(first_name), py::arg(second_name), py::arg("output_shape"), py::arg(descriptor_name),
      py::arg("name") = py::none(), py::kw_only(), py::arg("out") = py::none(),
      py::arg("strict") = true, py::arg("threads") = py::none(),
      py::arg("algorithm") = Algorithm::Auto);
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
      [](const py::object& source, const py::object& weights,
         const Convolution2DOpDescriptor& descriptor, std::optional<std::string> name,
         py::object out, bool strict, py::object threads, Algorithm algorithm) {
        const Common common{"convolution_2d", std::move(name),    std::move(out),
                            strict,           std::move(threads), algorithm};
        const std::string operation = common.operation();
        const Array a = input(source, {operation, "source"});
        const Array b = input(weights, {operation, "weights"});
        check_same_dtype(operation, "source", a, "weights", b);
        const Shape shape = convolution_2d_output_shape(a.shape, b.shape, descriptor, operation);
        return call(common, operation, a, b, shape,
                    [&](const auto& x, const auto& y, const auto& r, const CallOptions& options) {
                      convolution_2d(x, y, r, descriptor, options);
                    });
      },
      py::arg("source"), py::arg("weights"), py::arg("descriptor"), py::arg("name") = py::none(),
      py::kw_only(), py::arg("out") = py::none(), py::arg("strict") = true,
      py::arg("threads") = py::none(), py::arg("algorithm") = Algorithm::Auto);
  module.def(
      "output_shape_range",
      [](const py::object& source_shape, const py::object& weights_shape,
         const Convolution2DOpDescriptor& descriptor) {
        const char* self = "output_shape_range";
        const OutputShapeRange range =
            output_shape_range(shape_argument(source_shape, self, "source_shape"),
                               shape_argument(weights_shape, self, "weights_shape"), descriptor);
        return py::make_tuple(tuple_of(range.smallest), tuple_of(range.largest));
      },
      py::arg("source_shape"), py::arg("weights_shape"), py::arg("descriptor"));
}

}  // namespace convtranspose::python
