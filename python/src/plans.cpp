// SPDX-License-Identifier: MIT
// Plans: one Python class an operation, whatever the dtype.
#include <memory>
#include <utility>
#include <variant>

#include "arrays.hpp"
#include "plan_arguments.hpp"
#include "seal.hpp"

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
  Array look_at_input(py::array object, const char* argument) const {
    Array array = look_at(std::move(object), {operation, argument});
    if (!array.array.dtype().is(dtype) && !array.array.dtype().equal(dtype)) {
      refuse_type({operation, argument}, "the plan's dtype, " + text_of(dtype),
                  text_of(array.array.dtype()));
    }
    return array;
  }

  /// The result of a call: a new array, or what `out` is.
  Array result(py::array out, const Array& first, const Array& second) const {
    const Shape& shape = base().output_shape();
    return out ? look_at_output(std::move(out), operation, shape, first, second)
               : allocate(shape, first);
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

PlanOptions plan_options(const std::string& operation, const py::object& strict,
                         const py::object& algorithm, const py::object& fast_math) {
  PlanOptions options;
  options.name = operation;
  options.strict = bool_argument(strict, {operation, "strict"});
  options.algorithm = algorithm_argument(algorithm, operation);
  options.fast_math = fast_math_argument(fast_math, {operation, "fast_math"});
  options.executor = &default_executor();
  return options;
}

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
      .def("explain",
           [](const Any& p) {
             const detail::PlanBase& b = p.base();
             return p.operation + ": " + std::string(to_string(b.algorithm())) + " on " +
                    std::string(b.isa()) + ", because: " + std::string(b.reason());
           })
      // A plan cannot change, so a copy of it need not be another object.
      .def("__copy__", [](const py::object& self) { return self; })
      .def(
          "__deepcopy__", [](const py::object& self, const py::object&) { return self; },
          py::arg("memo"))
      .def("__reduce__", [](const py::object& self) -> py::object {
        throw py::type_error("cannot pickle a " + type_name(self) +
                             ": it holds weights packed for this CPU; make it anew from its "
                             "arguments instead");
      });
  require_init(cls);
  forbid_changes(cls);
}

/// Plans that hold weights: the forward operation and the data gradient differ in names alone.
template <template <class> class Plan>
void bind_weighted(py::module_& module, const char* name, const char* function,
                   const char* shape_name, const char* input_name, const char* descriptor_name,
                   const char* doc) {
  using Any = AnyPlan<Plan>;
  py::class_<Any> cls(module, name, py::is_final(), doc);
  cls.def(
      py::init([=](const py::object& input_shape, const py::object& weights,
                   const py::object& output_shape, const py::object& descriptor,
                   const py::object& name_, const py::object& bias, const py::object& activation,
                   const py::object& threads, const py::object& strict, const py::object& algorithm,
                   const py::object& fast_math) {
        const std::string operation = operation_name(name_, function);
        const Shape in = shape_argument(input_shape, {operation, shape_name});
        const Shape out = shape_argument(output_shape, {operation, "output_shape"});
        const Convolution2DOpDescriptor d =
            descriptor_argument(descriptor, {operation, descriptor_name});
        const int most_threads = threads_argument(threads, operation);
        PlanOptions options = plan_options(operation, strict, algorithm, fast_math);
        options.activation = activation_argument(activation, operation);
        py::array weights_array = as_array(weights, {operation, "weights"});
        py::array bias_array = as_optional_array(bias, {operation, "bias"});
        const Array w = look_at(std::move(weights_array), {operation, "weights"});
        const bool last = d.data_layout == TensorNamedDataLayout::NHWC;
        bias_array = look_at_bias(std::move(bias_array), operation, w, out[last ? 3 : 1]);
        Any any{operation, w.array.dtype(), most_threads, {}};
        visit(w.element, [&](auto zero) {
          using T = decltype(zero);
          const auto view = w.view<const T>();
          const T* bias_data = bias_array ? static_cast<const T*>(bias_array.data()) : nullptr;
          const py::gil_scoped_release release;
          any.plan = std::make_shared<const Plan<T>>(in, view, out, d, bias_data, options);
        });
        return any;
      }),
      py::arg(shape_name), py::arg("weights"), py::arg("output_shape"), py::arg(descriptor_name),
      py::arg("name") = py::none(), py::kw_only(), py::arg("bias") = py::none(),
      py::arg("activation") = py::none(), py::arg("threads") = py::none(), py::arg("strict") = true,
      py::arg("algorithm") = Algorithm::Auto, py::arg("fast_math") = py::none());
  cls.def(
      "__call__",
      [=](const Any& self, const py::object& source, const py::object& out) {
        py::array input = as_array(source, {self.operation, input_name});
        py::array output = as_optional_array(out, {self.operation, "out"});
        const Array in = self.look_at_input(std::move(input), input_name);
        const Array result = self.result(std::move(output), in, in);
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
  py::class_<Any> cls(module, "ConvolutionTranspose2DWeightsGradientPlan", py::is_final(),
                      kWeightsGradientPlanDoc);
  cls.def(py::init([=](const py::object& gradient_shape, const py::object& source_shape,
                       const py::object& output_shape, const py::object& descriptor,
                       const py::object& name, const py::object& dtype, const py::object& threads,
                       const py::object& strict, const py::object& algorithm,
                       const py::object& fast_math) {
            const std::string operation = operation_name(name, function);
            const auto [element, numpy_dtype] = dtype_argument(dtype, {operation, "dtype"});
            const Shape gradient =
                shape_argument(gradient_shape, {operation, "incoming_gradient_shape"});
            const Shape source = shape_argument(source_shape, {operation, "source_shape"});
            const Shape out = shape_argument(output_shape, {operation, "output_shape"});
            const Convolution2DOpDescriptor d =
                descriptor_argument(descriptor, {operation, "forward_convolution_descriptor"});
            const PlanOptions options = plan_options(operation, strict, algorithm, fast_math);
            Any any{operation, numpy_dtype, threads_argument(threads, operation), {}};
            visit(element, [&](auto zero) {
              using T = decltype(zero);
              any.plan = std::make_shared<const ConvolutionTranspose2DWeightsGradientPlan<T>>(
                  gradient, source, out, d, options);
            });
            return any;
          }),
          py::arg("incoming_gradient_shape"), py::arg("source_shape"), py::arg("output_shape"),
          py::arg("forward_convolution_descriptor"), py::arg("name") = py::none(), py::kw_only(),
          py::arg("dtype") = "float32", py::arg("threads") = py::none(), py::arg("strict") = true,
          py::arg("algorithm") = Algorithm::Auto, py::arg("fast_math") = py::none());
  cls.def(
      "__call__",
      [](const Any& self, const py::object& incoming_gradient, const py::object& source,
         const py::object& out) {
        py::array first = as_array(incoming_gradient, {self.operation, "incoming_gradient"});
        py::array second = as_array(source, {self.operation, "source"});
        py::array output = as_optional_array(out, {self.operation, "out"});
        const Array gradient = self.look_at_input(std::move(first), "incoming_gradient");
        const Array in = self.look_at_input(std::move(second), "source");
        const Array result = self.result(std::move(output), gradient, in);
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
