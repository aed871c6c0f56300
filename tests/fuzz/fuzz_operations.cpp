// SPDX-License-Identifier: MIT
// Any problem, by any operation, dtype, layout, algorithm and instruction set, as a call or a plan,
// on tensors of any strides: what the reference algorithm refuses is refused in the same words, and
// everything else has the bits of its result. Numbers are small integers, so that sums are exact.
#include <cstdio>
#include <string>

#include "operand.hpp"

namespace fuzz {
namespace {

struct Case {
  std::int32_t operation, dtype, algorithm;
  convtranspose_descriptor descriptor;
  std::int64_t shapes[3][4];  // source, weights and result of the transposed operation
  Placement placements[3];
  int leads[3];  // elements that lie between an aligned address and the tensor
  unsigned seed, special;
  bool not_strict, plan, bias;
  std::int32_t activation, workers, fast_math;
};

constexpr int kReference = 1, kAlgorithms = 7, kWinograd = 7;

/// Which of source, weights and result each operation's operands are, the output last.
constexpr int kRoles[6][3] = {{0, 1, 2}, {2, 1, 0}, {2, 0, 1}, {2, 1, 0}, {0, 1, 2}, {0, 2, 1}};

/// Hostile numbers wrap here; the library has to find them out.
std::int64_t plus(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t times(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

void choose_shapes(Input& in, Case& c) {
  convtranspose_descriptor& d = c.descriptor;
  const std::int64_t most = in.byte() % 8 == 0 ? 40 : 9;
  const std::int64_t n = in.number(1, 3), groups = in.number(1, 3);
  const std::int64_t sources = times(in.number(1, most), groups);
  const std::int64_t results = in.number(1, most);
  const std::int64_t h = in.number(1, 5), w = in.number(1, 12);
  const std::int64_t kh = in.number(1, 5), kw = in.number(1, 5);
  d.groups = groups;
  const std::int64_t source[] = {n, sources, h, w}, weights[] = {sources, results, kh, kw};
  const auto permuted = [](const std::int64_t* from, bool channels_last, const int (&order)[4],
                           std::int64_t* to) {
    for (int i = 0; i < 4; ++i) to[i] = from[channels_last ? order[i] : i];
  };
  permuted(source, d.data_layout == CONVTRANSPOSE_NHWC, {0, 2, 3, 1}, c.shapes[0]);
  permuted(weights, d.weights_layout == CONVTRANSPOSE_HWIO, {2, 3, 1, 0}, c.shapes[1]);
  std::int64_t smallest[4], largest[4];
  if (convtranspose_output_shape_range(c.shapes[0], c.shapes[1], &d, smallest, largest) !=
      CONVTRANSPOSE_OK) {
    for (std::int64_t& extent : c.shapes[2]) extent = in.number(0, 9);
    return;
  }
  const bool other = in.byte() % 4 == 0;
  for (int i = 0; i < 4; ++i) {
    c.shapes[2][i] = other ? plus(smallest[i], in.number(-2, 4))
                           : smallest[i] + in.between(0, 7) % (largest[i] - smallest[i] + 1);
  }
}

Case choose(Input& in) {
  Case c{};
  c.operation = static_cast<std::int32_t>(in.between(0, 5));
  c.dtype = static_cast<std::int32_t>(in.between(0, 3));
  c.algorithm = static_cast<std::int32_t>(in.between(0, kAlgorithms - 1));
  convtranspose_descriptor& d = c.descriptor;
  d = CONVTRANSPOSE_DESCRIPTOR_INIT;
  d.data_layout = in.coin() ? CONVTRANSPOSE_NHWC : CONVTRANSPOSE_NCHW;
  d.weights_layout = in.coin() ? CONVTRANSPOSE_HWIO : CONVTRANSPOSE_OIHW;
  const unsigned style = in.byte();
  d.padding_style = style % 2 == 0 ? CONVTRANSPOSE_EXPLICIT : static_cast<int>(style / 2 % 6);
  d.stride_in_x = in.number(1, 4);
  d.stride_in_y = in.number(1, 4);
  d.dilation_rate_in_x = in.number(1, 3);
  d.dilation_rate_in_y = in.number(1, 3);
  d.padding_left = in.number(0, 5);
  d.padding_right = in.number(0, 5);
  d.padding_top = in.number(0, 3);
  d.padding_bottom = in.number(0, 3);
  const unsigned options = in.byte();
  c.not_strict = (options & 1) != 0;
  c.plan = (options & 2) != 0;
  c.bias = (options & 4) != 0;
  c.workers = static_cast<std::int32_t>(options >> 3 & 3);
  c.special = (options >> 5) == 7 ? 40 : 0;
  static constexpr std::int32_t kActivations[] = {CONVTRANSPOSE_NO_ACTIVATION, CONVTRANSPOSE_RELU,
                                                  CONVTRANSPOSE_LEAKY_RELU, CONVTRANSPOSE_CLAMP};
  c.activation = kActivations[in.byte() % 4];
  const unsigned which = in.byte();
  for (int i = 0; i < 3; ++i) {
    c.placements[i] = static_cast<Placement>(in.byte() % static_cast<int>(Placement::kCount));
    c.leads[i] = static_cast<int>(which >> (2 * i) & 3);
  }
  c.seed = in.byte();
  choose_shapes(in, c);
  // Last, so that inputs of before mean what they meant. Fast math may spread what is no number.
  const unsigned fast = in.byte();
  if (fast % 2 == 1) {
    c.fast_math = CONVTRANSPOSE_FAST_MATH_ON;
    c.special = 0;
    if (fast % 4 == 1) c.algorithm = kWinograd;
  }
  return c;
}

/// Tasks in the reverse order, by workers in turn.
std::int32_t concurrency(void* user) { return *static_cast<std::int32_t*>(user); }
void parallel_for(void* user, std::int64_t count, std::int32_t workers, convtranspose_task task,
                  void* context) {
  if (workers < 1 || workers > concurrency(user)) fail("more workers than there are");
  for (std::int64_t i = count - 1; i >= 0; --i) {
    task(context, i, static_cast<std::int32_t>(i % workers));
  }
}

class Runner {
 public:
  explicit Runner(const Case& c)
      : case_(c), executor_{sizeof executor_, &case_.workers, concurrency, parallel_for} {
    const double bias[8] = {0, 1, -1, 2, -2, 3, -3, 0.5};
    for (std::size_t i = 0; i < sizeof bias_ / sizeof *bias_; ++i) {
      size_ = encode(bias[i % 8], c.dtype, bias_ + i * size_);
      if ((i + 2) * size_ > sizeof bias_) break;
    }
  }

  convtranspose_status check(std::int32_t algorithm, const convtranspose_tensor* const (&o)[3]) {
    convtranspose_call_options options = call_options(algorithm);
    options.check_only = 1;
    return convtranspose_call(case_.operation, o[0], o[1], o[2], &case_.descriptor, &options);
  }

  convtranspose_status run(std::int32_t algorithm, const convtranspose_tensor* const (&o)[3]) {
    if (!case_.plan) {
      const convtranspose_call_options options = call_options(algorithm);
      return convtranspose_call(case_.operation, o[0], o[1], o[2], &case_.descriptor, &options);
    }
    convtranspose_plan_options options = CONVTRANSPOSE_PLAN_OPTIONS_INIT;
    options.algorithm = algorithm;
    options.fast_math = case_.fast_math;
    options.not_strict = case_.not_strict;
    options.executor = case_.workers == 0 ? nullptr : &executor_;
    const bool has_weights = kRoles[case_.operation][2] != 1;
    if (has_weights) {
      options.activation = case_.activation;
      options.alpha = case_.activation == CONVTRANSPOSE_CLAMP ? -4 : 0.5;
      options.beta = 6;
      const int axis = case_.descriptor.data_layout == CONVTRANSPOSE_NHWC ? 3 : 1;
      const bool fits = static_cast<std::size_t>(o[2]->shape[axis]) * size_ <= sizeof bias_;
      if (case_.bias && fits) options.bias = bias_;
    }
    convtranspose_plan* plan = nullptr;
    convtranspose_status status = convtranspose_plan_create(&plan, case_.operation, o[0], o[1],
                                                            o[2], &case_.descriptor, &options);
    if (status != CONVTRANSPOSE_OK) return status;
    convtranspose_run_options run_options = CONVTRANSPOSE_RUN_OPTIONS_INIT;
    run_options.executor = options.executor;
    status = convtranspose_plan_run(plan, o[0], has_weights ? nullptr : o[1], o[2], &run_options);
    convtranspose_plan_destroy(plan);
    return status;
  }

 private:
  convtranspose_call_options call_options(std::int32_t algorithm) const {
    convtranspose_call_options options = CONVTRANSPOSE_CALL_OPTIONS_INIT;
    options.algorithm = algorithm;
    options.fast_math = case_.fast_math;
    options.not_strict = case_.not_strict;
    options.executor = case_.workers == 0 ? nullptr : &executor_;
    return options;
  }

  Case case_;
  convtranspose_executor executor_;
  std::size_t size_ = 0;
  alignas(8) unsigned char bias_[8 * 128];
};

/// Small enough to be computed many times a second.
bool is_small(const Case& c) {
  double elements[3] = {1, 1, 1};
  for (int t = 0; t < 3; ++t) {
    for (const std::int64_t extent : c.shapes[t]) {
      elements[t] *= static_cast<double>(extent);
    }
  }
  // Every element of the source, or of the result, meets its part of the weights.
  const double products = elements[0] * elements[1];
  return elements[0] <= 4096 && elements[1] <= 8192 && elements[2] <= 8192 && products <= 5e5;
}

void check(const Case& c) {
  Runner runner(c);
  const int* roles = kRoles[c.operation];
  convtranspose_tensor shapes[3];
  for (int i = 0; i < 3; ++i) {
    const std::int64_t* n = c.shapes[roles[i]];
    shapes[i] = convtranspose_dense(nullptr, c.dtype, n[0], n[1], n[2], n[3]);
  }
  const convtranspose_tensor* const nothing[3] = {&shapes[0], &shapes[1], &shapes[2]};
  const convtranspose_status allowed = runner.check(kReference, nothing);
  const std::string refusal = convtranspose_message();
  const convtranspose_status status = runner.check(c.algorithm, nothing);
  if (allowed != CONVTRANSPOSE_OK) {
    if (allowed != CONVTRANSPOSE_INVALID_ARGUMENT || status != allowed) fail("another status");
    if (refusal != convtranspose_message()) fail("another refusal");
    return;
  }
  if (status != CONVTRANSPOSE_OK) {
    if (std::string(convtranspose_message()).find(": algorithm: ") == std::string::npos) {
      fail(convtranspose_message());
    }
    return;
  }
  if (!is_small(c)) return;

  const auto placement = [&](int i) {
    const bool shared = i == 2 && c.placements[i] == Placement::Repeated;
    return shared ? Placement::Dense : c.placements[i];
  };
  const auto& n = c.shapes;
  Operand first(n[roles[0]], c.dtype, placement(0), c.leads[0]);
  Operand second(n[roles[1]], c.dtype, placement(1), c.leads[1]);
  Operand output(n[roles[2]], c.dtype, placement(2), c.leads[2]);
  Operand expected(n[roles[2]], c.dtype, Placement::Dense, 0);
  first.fill(c.seed, c.special);
  second.fill(c.seed + 1, c.special);
  if (runner.run(kReference, {&first.tensor(), &second.tensor(), &expected.tensor()}) !=
      CONVTRANSPOSE_OK) {
    fail(convtranspose_message());
  }
  if (runner.run(c.algorithm, {&first.tensor(), &second.tensor(), &output.tensor()}) !=
      CONVTRANSPOSE_OK) {
    // Strides are the one thing that the check did not know.
    if (std::string(convtranspose_message()).find(": algorithm: ") != std::string::npos) return;
    fail(convtranspose_message());
  }
  if (!output.equals(expected)) fail("another result than the reference");
  if (!output.gaps_intact()) fail("memory outside the output was written");
}

}  // namespace
}  // namespace fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input in(data, size);
  static const char* const kIsas[] = {"baseline", "avx2", "avx512", "neon"};
  // An instruction set that this build or this CPU does not have leaves the last one in use.
  convtranspose_set_isa(kIsas[in.byte() % 4]);
  fuzz::check(fuzz::choose(in));
  return 0;
}
