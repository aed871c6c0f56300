// SPDX-License-Identifier: MIT
// Plans: one Python class an operation, whatever the dtype.
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <variant>

#include "arrays.hpp"
#include "plan_arguments.hpp"

namespace convtranspose::python {
namespace {

template <template <class> class Plan, class T>
using Shared = std::shared_ptr<const Plan<T>>;

/// A plan of one of the four dtypes, and what its calls need to know.
template <template <class> class Plan>
struct AnyPlan {
  std::string operation;
  py::dtype dtype;
  int threads = 0;
  std::variant<Shared<Plan, float>, Shared<Plan, double>, Shared<Plan, Float16>,
               Shared<Plan, BFloat16>>
      plan;

  const detail::PlanBase& base() const {
    return std::visit([](const auto& p) -> const detail::PlanBase& { return *p; }, plan);
  }

  /// An input of a call; it must have the plan's dtype.
  Array checked_input(const py::object& object, const char* argument) const {
    Array array = input(object, {operation, argument});
    if (!array.array.dtype().is(dtype) && !array.array.dtype().equal(dtype)) {
      throw py::type_error(operation + ": " + argument + ": expected the plan's dtype, " +
                           text_of(dtype) + ", got " + text_of(array.array.dtype()));
    }
    return array;
  }

  /// Calls compute(plan, zero, options) with the GIL released.
  template <class Compute>
  void run(const Compute& compute) const {
    std::visit(
        [&](const auto& p) {
          using T = typename std::decay_t<decltype(*p)>::Element;
          RunOptions options;
          options.executor = &default_executor();
          options.threads = threads;
          const py::gil_scoped_release release;
          compute(*p, T{}, options);
        },
        plan);
  }
};

template <class Any>
void bind_properties(py::class_<Any>& cls) {
  cls.def_property_readonly("algorithm", [](const Any& p) { return p.base().algorithm(); })
      .def_property_readonly("reason", [](const Any& p) { return std::string(p.base().reason()); })
      .def_property_readonly("isa", [](const Any& p) { return std::string(p.base().isa()); })
      .def_property_readonly("output_shape",
                             [](const Any& p) {
                               const Shape& s = p.base().output_shape();
                               return py::make_tuple(s[0], s[1], s[2], s[3]);
                             })
      .def_property_readonly("dtype", [](const Any& p) { return p.dtype; })
      .def_property_readonly("flops", [](const Any& p) { return p.base().flops(); })
      .def_property_readonly("packed_bytes", [](const Any& p) { return p.base().packed_bytes(); })
      .def_property_readonly(
          "workspace_bytes",
          [](const Any& p) { return p.base().workspace_bytes(&default_executor(), p.threads); })
      .def("explain", [](const Any& p) {
        const detail::PlanBase& b = p.base();
        return p.operation + ": " + std::string(to_string(b.algorithm())) + " on " +
               std::string(b.isa()) + ", because: " + std::string(b.reason());
      });
}

/// Plans that hold weights: the forward operation and the data gradient differ in names alone.
template <template <class> class Plan>
void bind_weighted(py::module_& module, const char* name, const char* function,
                   const char* shape_name, const char* input_name, const char* descriptor_name,
                   const char* doc) {
  using Any = AnyPlan<Plan>;
  py::class_<Any> cls(module, name, doc);
  cls.def(
      py::init([=](const py::object& input_shape, const py::object& weights,
                   const py::object& output_shape, const Convolution2DOpDescriptor& descriptor,
                   const std::optional<std::string>& op_name, const py::object& bias,
                   const py::object& activation, const py::object& threads, bool strict,
                   Algorithm algorithm) {
        const std::string operation = op_name ? *op_name : function;
        const Array w = input(weights, {operation, "weights"});
        const Shape in = shape_argument(input_shape, operation, shape_name);
        const Shape out = shape_argument(output_shape, operation, "output_shape");
        const bool last = descriptor.data_layout == TensorNamedDataLayout::NHWC;
        const py::object b = bias_argument(bias, operation, w, out[last ? 3 : 1]);
        PlanOptions options;
        options.name = operation;
        options.strict = strict;
        options.algorithm = algorithm;
        options.activation = activation_argument(activation, operation);
        options.executor = &default_executor();
        Any any{operation, w.array.dtype(), threads_argument(threads, operation), {}};
        visit(w.element, [&](auto zero) {
          using T = decltype(zero);
          const auto view = w.view<const T>();
          const T* bias_data =
              b.is_none() ? nullptr
                          : static_cast<const T*>(py::reinterpret_borrow<py::array>(b).data());
          const py::gil_scoped_release release;
          any.plan = std::make_shared<const Plan<T>>(in, view, out, descriptor, bias_data, options);
        });
        return any;
      }),
      py::arg(shape_name), py::arg("weights"), py::arg("output_shape"), py::arg(descriptor_name),
      py::arg("name") = py::none(), py::kw_only(), py::arg("bias") = py::none(),
      py::arg("activation") = py::none(), py::arg("threads") = py::none(), py::arg("strict") = true,
      py::arg("algorithm") = Algorithm::Auto);
  cls.def(
      "__call__",
      [=](const Any& self, const py::object& source, const py::object& out) {
        const Array in = self.checked_input(source, input_name);
        const Shape& shape = self.base().output_shape();
        const Array result =
            out.is_none() ? allocate(shape, in) : output(out, self.operation, shape, in, in);
        self.run([&](const auto& plan, auto zero, const RunOptions& options) {
          using T = decltype(zero);
          plan(in.view<const T>(), result.view<T>(), options);
        });
        return result.array;
      },
      py::arg(input_name), py::arg("out") = py::none());
  bind_properties(cls);
}

void bind_weights_gradient(py::module_& module) {
  using Any = AnyPlan<ConvolutionTranspose2DWeightsGradientPlan>;
  const char* function = "convolution_transpose_2d_weights_gradient";
  py::class_<Any> cls(module, "ConvolutionTranspose2DWeightsGradientPlan", kWeightsGradientPlanDoc);
  cls.def(py::init([=](const py::object& gradient_shape, const py::object& source_shape,
                       const py::object& output_shape, const Convolution2DOpDescriptor& descriptor,
                       const std::optional<std::string>& op_name, const py::object& dtype,
                       const py::object& threads, bool strict, Algorithm algorithm) {
            const std::string operation = op_name ? *op_name : function;
            const auto [element, numpy_dtype] = dtype_argument(dtype, operation);
            const Shape gradient =
                shape_argument(gradient_shape, operation, "incoming_gradient_shape");
            const Shape source = shape_argument(source_shape, operation, "source_shape");
            const Shape out = shape_argument(output_shape, operation, "output_shape");
            PlanOptions options;
            options.name = operation;
            options.strict = strict;
            options.algorithm = algorithm;
            Any any{operation, numpy_dtype, threads_argument(threads, operation), {}};
            visit(element, [&](auto zero) {
              using T = decltype(zero);
              any.plan = std::make_shared<const ConvolutionTranspose2DWeightsGradientPlan<T>>(
                  gradient, source, out, descriptor, options);
            });
            return any;
          }),
          py::arg("incoming_gradient_shape"), py::arg("source_shape"), py::arg("output_shape"),
          py::arg("forward_convolution_descriptor"), py::arg("name") = py::none(), py::kw_only(),
          py::arg("dtype") = "float32", py::arg("threads") = py::none(), py::arg("strict") = true,
          py::arg("algorithm") = Algorithm::Auto);
  cls.def(
      "__call__",
      [](const Any& self, const py::object& incoming_gradient, const py::object& source,
         const py::object& out) {
        const Array gradient = self.checked_input(incoming_gradient, "incoming_gradient");
        const Array in = self.checked_input(source, "source");
        const Shape& shape = self.base().output_shape();
        const Array result =
            out.is_none() ? allocate(shape, in) : output(out, self.operation, shape, gradient, in);
        self.run([&](const auto& plan, auto zero, const RunOptions& options) {
          using T = decltype(zero);
          plan(gradient.view<const T>(), in.view<const T>(), result.view<T>(), options);
        });
        return result.array;
      },
      py::arg("incoming_gradient"), py::arg("source"), py::arg("out") = py::none());
  bind_properties(cls);
}

}  // namespace

void bind_plans(py::module_& module) {
  bind_weighted<ConvolutionTranspose2DPlan>(module, "ConvolutionTranspose2DPlan",
                                            "convolution_transpose_2d", "source_shape", "source",
                                            "descriptor", kPlanDoc);
  bind_weighted<ConvolutionTranspose2DDataGradientPlan>(
      module, "ConvolutionTranspose2DDataGradientPlan", "convolution_transpose_2d_data_gradient",
      "incoming_gradient_shape", "incoming_gradient", "forward_convolution_descriptor",
      kDataGradientPlanDoc);
  bind_weights_gradient(module);
}

}  // namespace convtranspose::python
