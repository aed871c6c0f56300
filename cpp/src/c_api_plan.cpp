// SPDX-License-Identifier: MIT
// Plans of the C interface.
#include <utility>
#include <variant>

#include "c_api.hpp"
#include "convtranspose/plan.hpp"

namespace {

using namespace convtranspose;

/// A plan of any kind and dtype.
template <class... T>
using PlansOf =
    std::variant<ConvolutionTranspose2DPlan<T>..., ConvolutionTranspose2DDataGradientPlan<T>...,
                 ConvolutionTranspose2DWeightsGradientPlan<T>...>;
using AnyPlan = PlansOf<float, double, Float16, BFloat16>;

}  // namespace

struct convtranspose_plan {
  convtranspose_plan(std::int32_t operation_, std::int32_t dtype_, std::string name_,
                     const convtranspose_tensor* const (&operands)[3], AnyPlan plan_)
      : operation(operation_),
        dtype(dtype_),
        name(std::move(name_)),
        signature(c_api::signature_of(operation_)),
        shapes{c_api::shape_of(operands[0]->shape), c_api::shape_of(operands[1]->shape),
               c_api::shape_of(operands[2]->shape)},
        plan(std::move(plan_)) {
    signature.name = name.c_str();
  }

  std::int32_t operation, dtype;
  std::string name;
  c_api::Signature signature;
  Shape shapes[3];
  AnyPlan plan;
};

namespace {

/// A convolution is the transposed one's data gradient, and its data gradient the transposed
/// convolution; its weights gradient has the two inputs the other way round.
bool is_forward_family(std::int32_t operation) { return operation >= CONVTRANSPOSE_CONVOLUTION_2D; }

template <class T>
AnyPlan make(std::int32_t operation, const TensorView<T> (&v)[3],
             const Convolution2DOpDescriptor& descriptor, const void* bias,
             const PlanOptions& options) {
  const auto* numbers = static_cast<const T*>(bias);
  switch (operation) {
    case CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D:
    case CONVTRANSPOSE_CONVOLUTION_2D_DATA_GRADIENT:
      return ConvolutionTranspose2DPlan<T>(v[0].shape, v[1], v[2].shape, descriptor, numbers,
                                           options);
    case CONVTRANSPOSE_CONVOLUTION_TRANSPOSE_2D_DATA_GRADIENT:
    case CONVTRANSPOSE_CONVOLUTION_2D:
      return ConvolutionTranspose2DDataGradientPlan<T>(v[0].shape, v[1], v[2].shape, descriptor,
                                                       numbers, options);
    default: {
      const int swapped = is_forward_family(operation) ? 1 : 0;
      return ConvolutionTranspose2DWeightsGradientPlan<T>(v[swapped].shape, v[1 - swapped].shape,
                                                          v[2].shape, descriptor, options);
    }
  }
}

template <class T>
void run(const ConvolutionTranspose2DPlan<T>& plan, const c_api::Operands& o, bool,
         const RunOptions& options) {
  plan(c_api::view<T>(*o[0]), c_api::view<T>(*o[2]), options);
}

template <class T>
void run(const ConvolutionTranspose2DDataGradientPlan<T>& plan, const c_api::Operands& o, bool,
         const RunOptions& options) {
  plan(c_api::view<T>(*o[0]), c_api::view<T>(*o[2]), options);
}

template <class T>
void run(const ConvolutionTranspose2DWeightsGradientPlan<T>& plan, const c_api::Operands& o,
         bool swapped, const RunOptions& options) {
  plan(c_api::view<T>(*o[swapped ? 1 : 0]), c_api::view<T>(*o[swapped ? 0 : 1]),
       c_api::view<T>(*o[2]), options);
}

const detail::PlanBase& base(const convtranspose_plan& plan) {
  return std::visit([](const auto& p) -> const detail::PlanBase& { return p; }, plan.plan);
}

Activation activation_of(const convtranspose_plan_options& o, const c_api::Signature& signature) {
  if (o.activation < CONVTRANSPOSE_NO_ACTIVATION || o.activation > CONVTRANSPOSE_CLAMP) {
    fail(signature.name, "activation", "0 to 5", std::to_string(o.activation));
  }
  if (o.activation == CONVTRANSPOSE_CLAMP && !(o.alpha <= o.beta)) {
    fail(signature.name, "activation", "alpha <= beta to clamp to",
         std::to_string(o.alpha) + " and " + std::to_string(o.beta));
  }
  if (signature.weights == 2 && (o.activation != 0 || o.bias != nullptr)) {
    fail(signature.name, o.bias == nullptr ? "activation" : "bias", "none for a weights gradient",
         "one");
  }
  return {static_cast<ActivationKind>(o.activation), o.alpha, o.beta};
}

RunOptions run_options_of(const convtranspose_run_options& given,
                          c_api::BorrowedExecutor& executor) {
  RunOptions options;
  options.executor = executor.get();
  options.threads = given.threads;
  options.workspace = given.workspace;
  options.workspace_bytes = given.workspace_bytes;
  return options;
}

}  // namespace

convtranspose_status convtranspose_plan_create(convtranspose_plan** plan, int32_t operation,
                                               const convtranspose_tensor* first,
                                               const convtranspose_tensor* second,
                                               const convtranspose_tensor* output,
                                               const convtranspose_descriptor* descriptor,
                                               const convtranspose_plan_options* options) {
  return c_api::guarded([&] {
    c_api::Signature signature = c_api::signature_of(operation);
    const convtranspose_plan_options given = c_api::sized(options, signature.name, "options");
    const std::string name = given.name == nullptr ? signature.name : given.name;
    signature.name = name.c_str();
    if (plan == nullptr) fail(name, "plan", "a place for the plan", "NULL");
    c_api::BorrowedExecutor executor(given.executor, signature.name);
    PlanOptions plan_options;
    plan_options.name = name;
    plan_options.strict = given.not_strict == 0;
    plan_options.algorithm = c_api::algorithm_of(given.algorithm, signature.name);
    plan_options.fast_math = c_api::fast_math_of(given.fast_math, signature.name);
    plan_options.activation = activation_of(given, signature);
    plan_options.executor = executor.get();
    const c_api::Operands operands{first, second, output};
    for (int i = 0; i < 3; ++i) {
      c_api::check_tensor(
          signature, i, operands[i], first == nullptr ? 0 : first->dtype,
          i == 1 && signature.weights == 1 ? c_api::Data::Needed : c_api::Data::Ignored);
    }
    const Convolution2DOpDescriptor d = c_api::descriptor_of(descriptor, signature.name);
    *plan = c_api::with_dtype(first->dtype, [&](auto zero) {
      using T = decltype(zero);
      const TensorView<T> views[3]{{nullptr, c_api::shape_of(first->shape)},
                                   signature.weights == 1
                                       ? c_api::view<T>(*second)
                                       : TensorView<T>{nullptr, c_api::shape_of(second->shape)},
                                   {nullptr, c_api::shape_of(output->shape)}};
      // The plans of the convolution are the transposed ones': here errors get the right names.
      CallOptions check;
      check.name = name;
      check.strict = plan_options.strict;
      check.algorithm = plan_options.algorithm;
      check.fast_math = plan_options.fast_math;
      check.check_only = true;
      c_api::call<T>(operation, views, d, check);
      return new convtranspose_plan(operation, first->dtype, name, operands,
                                    make<T>(operation, views, d, given.bias, plan_options));
    });
  });
}

void convtranspose_plan_destroy(convtranspose_plan* plan) { delete plan; }

convtranspose_status convtranspose_plan_run(const convtranspose_plan* plan,
                                            const convtranspose_tensor* first,
                                            const convtranspose_tensor* second,
                                            const convtranspose_tensor* output,
                                            const convtranspose_run_options* options) {
  return c_api::guarded([&] {
    if (plan == nullptr) fail("convtranspose_plan_run", "plan", "a plan", "NULL");
    const c_api::Signature& signature = plan->signature;
    const convtranspose_run_options given = c_api::sized(options, signature.name, "options");
    c_api::BorrowedExecutor executor(given.executor, signature.name);
    if (reinterpret_cast<std::uintptr_t>(given.workspace) % 64 != 0) {
      fail(signature.name, "workspace", "a multiple of 64 bytes",
           std::to_string(reinterpret_cast<std::uintptr_t>(given.workspace) % 64) + " beyond one");
    }
    const c_api::Operands operands{first, second, output};
    for (int i = 0; i < 3; ++i) {
      if (i == signature.weights && i == 1) {
        if (second != nullptr)
          fail(signature.name, "weights", "NULL: the plan has them", "a tensor");
        continue;
      }
      c_api::check_tensor(signature, i, operands[i], plan->dtype, c_api::Data::Needed);
      const Shape shape = c_api::shape_of(operands[i]->shape);
      if (shape != plan->shapes[i]) {
        fail(signature.name, signature.operands[i],
             "the plan's shape " + to_string(plan->shapes[i]), to_string(shape));
      }
    }
    std::visit(
        [&](const auto& p) {
          run(p, operands, is_forward_family(plan->operation), run_options_of(given, executor));
        },
        plan->plan);
  });
}

int64_t convtranspose_plan_workspace_bytes(const convtranspose_plan* plan,
                                           const convtranspose_run_options* options) {
  std::int64_t bytes = -1;
  c_api::guarded([&] {
    if (plan == nullptr) fail("convtranspose_plan_workspace_bytes", "plan", "a plan", "NULL");
    const convtranspose_run_options given = c_api::sized(options, plan->signature.name, "options");
    c_api::BorrowedExecutor executor(given.executor, plan->signature.name);
    bytes = base(*plan).workspace_bytes(executor.get(), given.threads);
  });
  return bytes;
}

int32_t convtranspose_plan_algorithm(const convtranspose_plan* plan) {
  return static_cast<std::int32_t>(base(*plan).algorithm());
}

const char* convtranspose_plan_isa(const convtranspose_plan* plan) {
  const std::string_view isa = base(*plan).isa();  // a literal, so zero-terminated
  return isa.empty() ? "" : isa.data();
}

double convtranspose_plan_flops(const convtranspose_plan* plan) { return base(*plan).flops(); }
