// SPDX-License-Identifier: MIT
// The C functions compute what the C++ ones do, as calls and as plans, and refuse what is wrong
// with a status and a message. c_program.c shows that they are C.
#include <algorithm>
#include <cstring>
#include <thread>

#include "support/plan.hpp"
#include "support/problems.hpp"
#include "support/same.hpp"
#include <convtranspose/convtranspose.h>

namespace testing {
namespace {

template <class T>
constexpr std::int32_t kDType = CONVTRANSPOSE_FLOAT32;
template <>
constexpr std::int32_t kDType<double> = CONVTRANSPOSE_FLOAT64;
template <>
constexpr std::int32_t kDType<Float16> = CONVTRANSPOSE_FLOAT16;
template <>
constexpr std::int32_t kDType<BFloat16> = CONVTRANSPOSE_BFLOAT16;

template <class T>
convtranspose_tensor c_tensor(Tensor<T>& tensor) {
  const auto v = tensor.view();
  convtranspose_tensor t{v.data, {}, {}, kDType<T>, 0};
  std::copy(v.shape.begin(), v.shape.end(), t.shape);
  std::copy(v.strides.begin(), v.strides.end(), t.strides);
  return t;
}

convtranspose_descriptor c_descriptor(const Problem& p) {
  const Convolution2DOpDescriptor from = p.descriptor();
  convtranspose_descriptor d = CONVTRANSPOSE_DESCRIPTOR_INIT;
  d.stride_in_x = from.stride_in_x;
  d.stride_in_y = from.stride_in_y;
  d.dilation_rate_in_x = from.dilation_rate_in_x;
  d.dilation_rate_in_y = from.dilation_rate_in_y;
  d.groups = from.groups;
  d.padding_left = from.padding_left;
  d.padding_right = from.padding_right;
  d.padding_top = from.padding_top;
  d.padding_bottom = from.padding_bottom;
  d.data_layout = static_cast<std::int32_t>(from.data_layout);
  d.weights_layout = static_cast<std::int32_t>(from.weights_layout);
  return d;
}

/// The three tensors of a problem and one function's view of them.
template <class T>
struct Call {
  Call(Function f, const Problem& p, const Operands& o, Placement placement)
      : function(f),
        source(p.source(), p.data_layout, o.source, placement),
        weights(p.weights(), p.weights_layout, o.weights, placement),
        result(p.result(), p.data_layout, o.result, placement),
        descriptor(c_descriptor(p)) {
    const convtranspose_tensor s = c_tensor(source), w = c_tensor(weights), r = c_tensor(result);
    const convtranspose_tensor orders[][3] = {{s, w, r}, {r, w, s}, {r, s, w},
                                              {r, w, s}, {s, w, r}, {s, r, w}};
    std::copy_n(orders[static_cast<int>(f)], 3, operands);
  }

  std::int32_t operation() const { return static_cast<std::int32_t>(function); }

  convtranspose_status operator()(const convtranspose_call_options* options = nullptr) {
    return convtranspose_call(operation(), &operands[0], &operands[1], &operands[2], &descriptor,
                              options);
  }

  Numbers output() {
    const Written written = written_by(function);
    return (written == Written::Result   ? result
            : written == Written::Source ? source
                                         : weights)
        .numbers();
  }

  Function function;
  Tensor<T> source, weights, result;
  convtranspose_descriptor descriptor;
  convtranspose_tensor operands[3];
};

struct DestroyPlan {
  void operator()(convtranspose_plan* plan) const { convtranspose_plan_destroy(plan); }
};
using PlanPointer = std::unique_ptr<convtranspose_plan, DestroyPlan>;

template <class T>
PlanPointer make_plan(Call<T>& c, const convtranspose_plan_options* options = nullptr) {
  convtranspose_plan* plan = nullptr;
  CHECK_EQUAL(convtranspose_plan_create(&plan, c.operation(), &c.operands[0], &c.operands[1],
                                        &c.operands[2], &c.descriptor, options),
              CONVTRANSPOSE_OK);
  return PlanPointer(plan);
}

template <class T>
convtranspose_status run_plan(const PlanPointer& plan, Call<T>& c,
                              const convtranspose_run_options* options = nullptr) {
  const bool has_weights = written_by(c.function) != Written::Weights;
  return convtranspose_plan_run(plan.get(), &c.operands[0], has_weights ? nullptr : &c.operands[1],
                                &c.operands[2], options);
}

template <class T>
void check_problem(const Problem& p, Placement placement) {
  const Operands operands = integer_operands(p);
  for (const Function f : kFunctions) {
    const Context context(name_of(f) + " " + kTypeName<T> + " " + text(p));
    const Numbers right = rounded<T>(expected(f, p, operands));
    Call<T> call(f, p, operands, placement);
    CHECK_EQUAL(call(), CONVTRANSPOSE_OK);
    CHECK_SAME(call.output(), right);
    Call<T> planned(f, p, operands, placement);
    const PlanPointer plan = make_plan(planned);
    CHECK_EQUAL(run_plan(plan, planned), CONVTRANSPOSE_OK);
    CHECK_SAME(planned.output(), right);
  }
}

TEST(classes_of_problems) {
  std::size_t turn = 0;
  for (Problem p : class_problems()) {
    p.data_layout = turn % 2 == 0 ? Layout::NCHW : Layout::NHWC;
    p.weights_layout = turn / 2 % 2 == 0 ? Layout::OIHW : Layout::HWIO;
    const Placement placement = kPlacements[turn++ % 4];
    check_problem<float>(p, placement);
    check_problem<double>(p, placement);
    check_problem<Float16>(p, placement);
    check_problem<BFloat16>(p, placement);
  }
}

Problem some_problem() {
  Problem p;
  p.batch = 2;
  p.source_channels = 9;
  p.result_channels = 20;
  p.y = p.x = {8, 3, 2, 1, 1, 1, 1};
  return p;
}

TEST(bias_activation_algorithm_and_name) {
  const Problem p = some_problem();
  const Operands operands = integer_operands(p);
  Call<float> call(kSums[0], p, operands, Placement::Dense);
  const std::vector<float> bias(20, 1.5F);
  convtranspose_plan_options options = CONVTRANSPOSE_PLAN_OPTIONS_INIT;
  options.bias = bias.data();
  options.activation = CONVTRANSPOSE_CLAMP;
  options.alpha = -2;
  options.beta = 3;
  options.algorithm = 2;
  options.name = "up1";
  const PlanPointer plan = make_plan(call, &options);
  CHECK_EQUAL(std::string(convtranspose_algorithm_name(convtranspose_plan_algorithm(plan.get()))),
              "gemm");
  CHECK_EQUAL(std::string(convtranspose_plan_isa(plan.get())), convtranspose_active_isa());
  CHECK_EQUAL(convtranspose_plan_flops(plan.get()), 2.0 * 2 * 9 * 20 * 9 * 64);
  CHECK_EQUAL(run_plan(plan, call), CONVTRANSPOSE_OK);
  Numbers right = expected(kSums[0], p, operands);
  for (double& v : right) v = std::min(std::max(v + 1.5, -2.0), 3.0);
  CHECK_SAME(call.output(), right);
  ++call.operands[0].shape[3];
  CHECK_EQUAL(run_plan(plan, call), CONVTRANSPOSE_INVALID_ARGUMENT);
  CHECK_EQUAL(std::string(convtranspose_message()),
              "up1: source: expected the plan's shape (2, 9, 8, 8), got (2, 9, 8, 9)");
}

TEST(workspace_and_executors) {
  const Problem p = some_problem();
  const Operands operands = integer_operands(p);
  convtranspose_set_num_threads(3);
  CHECK_EQUAL(convtranspose_get_num_threads(), 3);
  for (const Function f : kFunctions) {
    const Numbers right = rounded<float>(expected(f, p, operands));
    Call<float> call(f, p, operands, Placement::Dense);
    const PlanPointer plan = make_plan(call);
    convtranspose_run_options options = CONVTRANSPOSE_RUN_OPTIONS_INIT;
    options.executor = convtranspose_default_executor();
    options.workspace_bytes = convtranspose_plan_workspace_bytes(plan.get(), &options);
    CHECK(options.workspace_bytes >= convtranspose_plan_workspace_bytes(plan.get(), nullptr));
    Memory workspace(static_cast<std::size_t>(options.workspace_bytes), Where::Heap, 64);
    options.workspace = workspace.data();
    CHECK_EQUAL(run_plan(plan, call, &options), CONVTRANSPOSE_OK);
    CHECK_SAME(call.output(), right);
    CHECK(workspace.surroundings_intact());
    options.workspace = workspace.data() + 4;
    CHECK_EQUAL(run_plan(plan, call, &options), CONVTRANSPOSE_INVALID_ARGUMENT);
    CHECK_EQUAL(std::string(convtranspose_message()),
                name_of(f) + ": workspace: expected a multiple of 64 bytes, got 4 beyond one");
  }
}

TEST(structs_of_other_ages) {
  const Problem p = some_problem();
  const Operands operands = integer_operands(p);
  Call<float> call(kSums[0], p, operands, Placement::Dense);
  struct Later {
    convtranspose_call_options known;
    std::int64_t unknown[3];
  } later{CONVTRANSPOSE_CALL_OPTIONS_INIT, {0, 0, 0}};
  later.known.struct_size = sizeof later;
  CHECK_EQUAL(call(&later.known), CONVTRANSPOSE_OK);
  CHECK_SAME(call.output(), expected(kSums[0], p, operands));
  later.unknown[2] = 1;
  CHECK_EQUAL(call(&later.known), CONVTRANSPOSE_INVALID_ARGUMENT);
  // Of an earlier version, that ended before the algorithm: what follows is not read.
  convtranspose_call_options earlier = CONVTRANSPOSE_CALL_OPTIONS_INIT;
  earlier.struct_size = offsetof(convtranspose_call_options, algorithm);
  earlier.algorithm = 12345;
  CHECK_EQUAL(call(&earlier), CONVTRANSPOSE_OK);
  earlier.struct_size = sizeof earlier;
  CHECK_EQUAL(call(&earlier), CONVTRANSPOSE_INVALID_ARGUMENT);
  earlier.struct_size = 0;
  CHECK_EQUAL(call(&earlier), CONVTRANSPOSE_INVALID_ARGUMENT);
}

/// That the call fails, and the message.
template <class Break>
std::string refusal(const Break& change) {
  const Problem p = some_problem();
  Call<float> call(kSums[0], p, integer_operands(p), Placement::Dense);
  convtranspose_call_options options = CONVTRANSPOSE_CALL_OPTIONS_INIT;
  change(call, options);
  const Numbers before = call.output();
  CHECK_EQUAL(call(&options), CONVTRANSPOSE_INVALID_ARGUMENT);
  CHECK_SAME(call.output(), before);
  return convtranspose_message();
}

TEST(fast_math) {
  Problem p;
  p.source_channels = p.result_channels = 64;
  p.y = p.x = {28, 3, 1, 1, 1, 1, 0};
  const Operands operands = integer_operands(p);
  const Numbers right = expected(kSums[0], p, operands);
  Call<float> call(kSums[0], p, operands, Placement::Dense);
  const auto chosen = [&](std::int32_t level) {
    convtranspose_plan_options options = CONVTRANSPOSE_PLAN_OPTIONS_INIT;
    options.fast_math = level;
    const PlanPointer plan = make_plan(call, &options);
    CHECK_EQUAL(run_plan(plan, call), CONVTRANSPOSE_OK);
    CHECK_SAME(call.output(), right);
    return std::string(convtranspose_algorithm_name(convtranspose_plan_algorithm(plan.get())));
  };
  CHECK(chosen(CONVTRANSPOSE_FAST_MATH_OFF) != "winograd");
  CHECK_EQUAL(chosen(CONVTRANSPOSE_FAST_MATH_ON), "winograd");
  convtranspose_call_options options = CONVTRANSPOSE_CALL_OPTIONS_INIT;
  options.fast_math = CONVTRANSPOSE_FAST_MATH_ON;
  CHECK_EQUAL(call(&options), CONVTRANSPOSE_OK);
  CHECK_SAME(call.output(), right);
  options.fast_math = 4;
  CHECK_EQUAL(call(&options), CONVTRANSPOSE_INVALID_ARGUMENT);
  CHECK_EQUAL(std::string(convtranspose_message()),
              "convolution_transpose_2d: fast_math: expected 0 to 3, got 4");
}

TEST(refusals) {
  using C = Call<float>&;
  using O = convtranspose_call_options&;
  CHECK_EQUAL(refusal([](C c, O) { c.operands[1].data = nullptr; }),
              "convolution_transpose_2d: weights: expected data, got NULL");
  CHECK_EQUAL(
      refusal([](C c, O) { c.operands[0].data = static_cast<char*>(c.operands[0].data) + 1; }),
      "convolution_transpose_2d: source: expected data at a multiple of 4 bytes, got 1 "
      "beyond one");
  CHECK_EQUAL(refusal([](C c, O) { c.operands[1].dtype = CONVTRANSPOSE_FLOAT64; }),
              "convolution_transpose_2d: weights: expected the dtype of source, 0, got 1");
  CHECK_EQUAL(refusal([](C c, O) { c.operands[0].dtype = 7; }),
              "convolution_transpose_2d: source: expected a dtype from 0 to 3, got 7");
  CHECK_EQUAL(refusal([](C c, O o) {
                c.descriptor.stride_in_x = 0;
                o.name = "up1";
              }),
              "up1: stride_in_x: expected at least 1, got 0");
  CHECK_EQUAL(refusal([](C c, O) { c.descriptor.padding_style = 3; }).substr(0, 40),
              "convolution_transpose_2d: padding_style:");
  CHECK_EQUAL(refusal([](C, O o) { o.algorithm = -1; }).substr(0, 45),
              "convolution_transpose_2d: algorithm: expected");
  CHECK_EQUAL(convtranspose_call(6, nullptr, nullptr, nullptr, nullptr, nullptr),
              CONVTRANSPOSE_INVALID_ARGUMENT);
  CHECK_EQUAL(convtranspose_call(0, nullptr, nullptr, nullptr, nullptr, nullptr),
              CONVTRANSPOSE_INVALID_ARGUMENT);
  CHECK_EQUAL(std::string(convtranspose_message()),
              "convolution_transpose_2d: source: expected a tensor, got NULL");
  CHECK_EQUAL(convtranspose_set_isa("unheard of"), CONVTRANSPOSE_INVALID_ARGUMENT);
  CHECK_EQUAL(convtranspose_set_num_threads(0), CONVTRANSPOSE_INVALID_ARGUMENT);
}

TEST(refused_plans) {
  const Problem p = some_problem();
  Call<float> call(Function::Convolution2D, p, integer_operands(p), Placement::Dense);
  ++call.operands[2].shape[2];
  convtranspose_plan* plan = nullptr;
  CHECK_EQUAL(
      convtranspose_plan_create(&plan, call.operation(), &call.operands[0], &call.operands[1],
                                &call.operands[2], &call.descriptor, nullptr),
      CONVTRANSPOSE_INVALID_ARGUMENT);
  CHECK(plan == nullptr);
  // In the words of the convolution, although its plan is a transposed one's data gradient.
  CHECK_EQUAL(std::string(convtranspose_message()).substr(0, 23), "convolution_2d: source:");
  CHECK_EQUAL(convtranspose_plan_run(nullptr, nullptr, nullptr, nullptr, nullptr),
              CONVTRANSPOSE_INVALID_ARGUMENT);
  CHECK_EQUAL(convtranspose_plan_workspace_bytes(nullptr, nullptr), -1);
  convtranspose_plan_destroy(nullptr);
}

TEST(messages_belong_to_threads) {
  CHECK_EQUAL(convtranspose_set_num_threads(-5), CONVTRANSPOSE_INVALID_ARGUMENT);
  const std::string here = convtranspose_message();
  std::thread([] {
    CHECK_EQUAL(std::string(convtranspose_message()), "");
    convtranspose_set_num_threads(-7);
  }).join();
  CHECK_EQUAL(std::string(convtranspose_message()), here);
}

TEST(output_shapes) {
  const std::int64_t source[4] = {1, 2, 5, 5}, weights[4] = {2, 3, 3, 3};
  convtranspose_descriptor d = CONVTRANSPOSE_DESCRIPTOR_INIT;
  d.stride_in_x = d.stride_in_y = 2;
  std::int64_t smallest[4], largest[4], shape[4];
  CHECK_EQUAL(convtranspose_output_shape_range(source, weights, &d, smallest, largest),
              CONVTRANSPOSE_OK);
  const std::int64_t low[4] = {1, 3, 11, 11}, high[4] = {1, 3, 12, 12};
  CHECK(std::equal(low, low + 4, smallest) && std::equal(high, high + 4, largest));
  CHECK_EQUAL(convtranspose_convolution_2d_output_shape(largest, weights, &d, shape),
              CONVTRANSPOSE_OK);
  CHECK(std::equal(source, source + 4, shape));
  CHECK_EQUAL(convtranspose_output_shape_range(source, weights, nullptr, smallest, largest),
              CONVTRANSPOSE_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace testing
