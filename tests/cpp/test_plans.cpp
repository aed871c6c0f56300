// SPDX-License-Identifier: MIT
// A plan gives what the function gives, bit for bit, whatever the tensors' strides, the threads,
// the workspace, and the instruction set that others have set since.
#include <algorithm>
#include <thread>

#include "support/plan.hpp"
#include "support/problems.hpp"
#include "support/same.hpp"

namespace testing {
namespace {

/// body(problem, layouts in turn) over every second class of problems.
template <class Body>
void for_each_problem(const Body& body) {
  std::size_t turn = 0;
  for (Problem p : class_problems()) {
    p.data_layout = turn % 2 == 0 ? Layout::NCHW : Layout::NHWC;
    p.weights_layout = turn / 2 % 2 == 0 ? Layout::OIHW : Layout::HWIO;
    if (turn++ % 3 == 0) body(p);
  }
}

template <class T>
void check_same_as_function(Function f, const Problem& p, const Operands& o, Algorithm algorithm) {
  CallOptions call_options;
  PlanOptions options;
  call_options.algorithm = options.algorithm = algorithm;
  unless_refused([&] {
    const Numbers right = run<T>(f, p, o, call_options);
    const AnyPlan<T> plan(f, p, o.weights, {}, options);
    CHECK_SAME(plan(o), right);
    CHECK_SAME(plan(o), right);
    const AnyPlan<T> copy = plan;
    CHECK_SAME(copy(o), right);
  });
}

TEST(same_bits_as_the_function) {
  for_each_problem([](const Problem& p) {
    const Operands operands = fraction_operands(p);
    EveryIsa{}([&] {
      for (const Function f : kSums) {
        for (const NamedAlgorithm& a : kAlgorithms) {
          const Context context(name_of(f) + " " + a.name + " " + text(p));
          check_same_as_function<float>(f, p, operands, a.algorithm);
          check_same_as_function<double>(f, p, operands, a.algorithm);
          check_same_as_function<Float16>(f, p, operands, a.algorithm);
          check_same_as_function<BFloat16>(f, p, operands, a.algorithm);
        }
      }
    });
  });
}

TEST(strided_tensors_and_another_instruction_set_since) {
  for_each_problem([](const Problem& p) {
    const Operands operands = integer_operands(p);
    for (const Function f : kSums) {
      const Numbers right = rounded<float>(expected(f, p, operands));
      for (const NamedAlgorithm& a : kAlgorithms) {
        PlanOptions options;
        options.algorithm = a.algorithm;
        EveryIsa{}([&] {
          unless_refused([&] {
            const AnyPlan<float> plan(f, p, operands.weights, {}, options);
            const std::string isa(plan.base().isa());
            EveryIsa{}([&] {
              for (const Placement placement : kPlacements) {
                const Context context(name_of(f) + " " + a.name + " " + text(p));
                CHECK_SAME(plan(operands, {}, placement), right);
              }
            });
            CHECK_EQUAL(plan.base().isa(), isa);
          });
        });
      }
    }
  });
}

TEST(bias_and_activation) {
  using convtranspose::Activation;
  const Activation activations[] = {
      {}, Activation::relu(), Activation::leaky_relu(0.25), Activation::clamp(-2, 5)};
  const auto activated = [](double v, const Activation& a) {
    switch (a.kind) {
      case convtranspose::ActivationKind::Relu:
        return std::max(v, 0.0);
      case convtranspose::ActivationKind::LeakyRelu:
        return v < 0 ? v * a.alpha : v;
      case convtranspose::ActivationKind::Clamp:
        return std::min(std::max(v, a.alpha), a.beta);
      default:
        return v;
    }
  };
  for_each_problem([&](const Problem& p) {
    const Operands operands = integer_operands(p);
    for (const Function f : {kSums[0], kSums[1]}) {
      const Shape shape = f == kSums[0] ? p.result() : p.source();
      const Numbers bias = small_integers(shape[1], 9);
      for (const Activation& activation : activations) {
        Numbers right = expected(f, p, operands);
        const Index plane = shape[2] * shape[3];
        for (std::size_t i = 0; i < right.size(); ++i) {
          const Index channel = static_cast<Index>(i) / plane % shape[1];
          right[i] = activated(right[i] + bias[static_cast<std::size_t>(channel)], activation);
        }
        EveryIsa{}([&] {
          for (const NamedAlgorithm& a : kAlgorithms) {
            const Context context(name_of(f) + " " + a.name + " " + text(p));
            PlanOptions options;
            options.algorithm = a.algorithm;
            options.activation = activation;
            unless_refused([&] {
              CHECK(AnyPlan<float>(f, p, operands.weights, bias, options)(operands) == right);
              CHECK(AnyPlan<BFloat16>(f, p, operands.weights, bias, options)(operands) ==
                    rounded<BFloat16>(right));
            });
          }
        });
      }
    }
  });
}

Problem busy_problem() {
  Problem p;
  p.batch = 2;
  p.source_channels = 24;
  p.result_channels = 40;
  p.y = {11, 4, 2, 1, 1, 1, 0};
  p.x = {13, 4, 2, 1, 1, 1, 0};
  return p;
}

TEST(eight_threads_on_one_plan) {
  const Problem p = busy_problem();
  const Operands operands = fraction_operands(p);
  convtranspose::set_num_threads(3);
  for (const Function f : kSums) {
    const AnyPlan<float> plan(f, p, operands.weights);
    const Numbers right = run<float>(f, p, operands);
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 8; ++caller) {
      callers.emplace_back([&, caller] {
        RunOptions options;
        if (caller % 2 == 0) options.executor = &convtranspose::default_executor();
        for (int i = 0; i < 5; ++i) {
          CHECK_SAME(plan(operands, options, kPlacements[(caller + i) % 4]), right);
        }
      });
    }
    for (std::thread& t : callers) t.join();
  }
}

TEST(workspace_of_the_caller) {
  const Problem p = busy_problem();
  const Operands operands = fraction_operands(p);
  convtranspose::set_num_threads(4);
  for (const Function f : kSums) {
    for (const NamedAlgorithm& a : kAlgorithms) {
      const Context context(name_of(f) + " " + a.name);
      PlanOptions plan_options;
      plan_options.algorithm = a.algorithm;
      unless_refused([&] {
        const AnyPlan<float> plan(f, p, operands.weights, {}, plan_options);
        const Numbers right = plan(operands);
        for (const int threads : {1, 2, 3}) {
          RunOptions options;
          options.executor = &convtranspose::default_executor();
          options.threads = threads;
          options.workspace_bytes = plan.base().workspace_bytes(options.executor, threads);
          // Full of NaN, and nothing beyond it may be used.
          Memory workspace(static_cast<std::size_t>(options.workspace_bytes), Where::Heap, 64);
          options.workspace = workspace.data();
          CHECK_SAME(plan(operands, options), right);
          CHECK(workspace.surroundings_intact());
          options.workspace_bytes -= 1;  // too small: the plan takes memory of its own
          CHECK_SAME(plan(operands, options), right);
        }
      });
    }
  }
}

TEST(facts) {
  Problem p = busy_problem();
  const AnyPlan<float> plan(kSums[0], p, integer_operands(p).weights);
  const double products = 2.0 * 24 * 40 * 4 * 4 * 11 * 13;
  CHECK_EQUAL(plan.base().flops(), 2 * products);
  CHECK_EQUAL(text(plan.base().output_shape()), text(p.result()));
  CHECK_EQUAL(plan.base().isa(), convtranspose::active_isa());
  CHECK(plan.base().algorithm() != Algorithm::Auto);
  CHECK(!plan.base().reason().empty());
}

TEST(errors) {
  const Problem p = busy_problem();
  const Operands operands = integer_operands(p);
  Problem wrong = p;
  wrong.groups = 0;
  CHECK_EQUAL(
      message_of<std::invalid_argument>([&] { AnyPlan<float>(kSums[0], wrong, operands.weights); }),
      "convolution_transpose_2d: groups: expected at least 1, got 0");
  PlanOptions options;
  options.name = "up1";
  Tensor<float> weights(p.weights(), p.weights_layout, operands.weights);
  const convtranspose::ConvolutionTranspose2DPlan<float> plan(
      p.source(), weights.view(), p.result(), p.descriptor(), nullptr, options);
  Tensor<float> source(p.source(), Layout::NCHW, operands.source);
  Tensor<float> result({2, 40, 22, 27}, Layout::NCHW);
  CHECK_EQUAL(message_of<std::invalid_argument>([&] { plan(source.view(), result.view()); }),
              "up1: output_shape: expected the plan's shape (2, 40, 22, 26), got (2, 40, 22, 27)");
  CHECK(result.untouched());
  CHECK_EQUAL(message_of<std::invalid_argument>([&] { plan(result.view(), result.view()); }),
              "up1: source: expected the plan's shape (2, 24, 11, 13), got (2, 40, 22, 27)");
}

}  // namespace
}  // namespace testing
