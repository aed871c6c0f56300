// SPDX-License-Identifier: MIT
#include "chooser.hpp"

#include "reference.hpp"
#include "winograd_rule.hpp"

namespace convtranspose {
namespace {

/// Channels of one group on the side that is computed.
Index output_channels(const Request& r) {
  return r.operation == Operation::Forward ? r.problem.result_channels : r.problem.source_channels;
}

/// Stencils: few pairs of channels in a group. Measured on Zen 3 at 64 x 64 pixels, k4 s2: groups
/// of 2 x 2 and 4 x 4 are 5 and 2.5 times faster so than by Direct, 8 x 8 a quarter slower; the
/// weights gradient turns between 1 x 8 (3 times faster than OuterProduct) and 4 x 4 (a fifth
/// slower).
bool is_stencil(const Request& r) {
  const Index most = r.operation == Operation::WeightsGradient ? 8 : 16;
  const Index sources = r.problem.source_channels, results = r.problem.result_channels;
  return sources <= most && results <= most && sources * results <= most;
}

bool weights_gradient(const Request& r) { return r.operation == Operation::WeightsGradient; }

/// Forward or data gradient, however few channels fill the vectors: of the data gradients with 1 to
/// 3 source channels and a stride of 2, which go nowhere else, GEMM has a fifth of the speed.
bool sums_over_channels(const Request& r) { return !weights_gradient(r); }

/// A forward result so much larger than its source that most taps of most results miss it. Direct
/// knows which one tap meets a lone source.
bool misses_most_taps(const Request& r) {
  const Problem& p = r.problem;
  const auto ratio = [](const Axis& a) {
    if (a.source == 1) return 1.0;
    return static_cast<double>(a.result) /
           (static_cast<double>(a.stride) * static_cast<double>(a.source));
  };
  return r.operation == Operation::Forward && ratio(p.y) * ratio(p.x) > 2;
}

/// Forward problems whose output channels leave many of Direct's lanes idle. Plans on Zen 3, speed
/// of Direct by this one's in the same run, the better layout, the mean of four shapes (21 to 128
/// inputs, kernels of 2 to 16, strides of 2 and 8): 3 channels 0.42, 5 0.65, 7 0.84, 9 0.72, 11
/// 0.85, 12 0.93, but 13 1.06, 18 1.00, 20 1.12, 21 1.13; 8 channels 1.6 (HTDemucs dec3). Data
/// gradients likewise where the stride leaves their inputs side by side (3 x 3, 64 x 64 pixels, 128
/// result channels: 3 channels 0.54, 6 0.84, 12 0.85, but 16 1.3); with a stride of 2 Direct is
/// ahead. FCN-32, stride 32 and 21 channels, in NCHW: 1.5 times Direct's.
bool leaves_lanes_idle(const Request& r) {
  const Index outputs = output_channels(r);
  const bool dense =
      r.operation == Operation::DataGradient && r.problem.y.stride == 1 && r.problem.x.stride == 1;
  // Direct stores wider strides than its phases in hand number by number.
  const bool scattered = r.problem.x.stride > 16 && r.result.c != 1 && outputs < 24;
  return (r.operation == Operation::Forward && scattered) ||
         ((r.operation == Operation::Forward || dense) && outputs <= 12 && outputs != 8);
}

bool may_filter_minimally(const Request& r) {
  return r.fast_math != FastMath::Off && winograd_pays(r);
}

bool any(const Request&) { return true; }

struct Rule {
  Algorithm algorithm;
  bool (*applies)(const Request&);
  const char* reason;
};

// Read from the top; the first that applies and is not refused by its kernel is taken.
constexpr Rule kRules[] = {
    {Algorithm::Reference, has_no_terms, "every sum is empty"},
    {Algorithm::Reference, is_extreme, "a stride, dilation or padding beyond any tile"},
    {Algorithm::Depthwise, is_stencil, "a stencil: few pairs of channels in a group"},
    {Algorithm::Gemm, misses_most_taps, "most taps of most results miss the source"},
    {Algorithm::Winograd, may_filter_minimally, "fast math: fewer multiplications per phase"},
    {Algorithm::FewOutput, leaves_lanes_idle, "too few output channels to fill vectors"},
    {Algorithm::Direct, sums_over_channels, "output channels fill vectors"},
    {Algorithm::OuterProduct, weights_gradient, "sums over pixels, in register tiles"},
    {Algorithm::Gemm, any, "does every problem"},
};

}  // namespace

bool has_no_terms(const Request& r) {
  const Problem& p = r.problem;
  switch (r.operation) {
    case Operation::Forward:
      return p.source_channels == 0;
    case Operation::DataGradient:
      return p.result_channels == 0 || p.y.result == 0 || p.x.result == 0;
    case Operation::WeightsGradient:
      return p.batch == 0 || p.y.result == 0 || p.x.result == 0;
  }
  return false;
}

bool is_extreme(const Request& r) {
  constexpr Index most = Index{1} << 30;
  const auto extreme = [](const Axis& a) {
    return a.stride > most || a.pad > most || a.dilation > most / a.kernel;
  };
  return extreme(r.problem.y) || extreme(r.problem.x);
}

const Kernel* find_kernel(const KernelSet& kernels, Algorithm algorithm,
                          const Request& request) noexcept {
  const KernelTable* table =
      algorithm == Algorithm::Reference ? &reference_table() : kernels.table(algorithm);
  if (table == nullptr) return nullptr;
  const Kernel& kernel =
      table->kernels[static_cast<int>(request.operation)][static_cast<int>(request.dtype)];
  return kernel.run == nullptr ? nullptr : &kernel;
}

Choice choose(const Request& request, const KernelSet& kernels) noexcept {
  for (const Rule& rule : kRules) {
    if (!rule.applies(request)) continue;
    const Kernel* kernel = find_kernel(kernels, rule.algorithm, request);
    if (kernel != nullptr && kernel->refusal(request) == nullptr) {
      return {rule.algorithm, rule.reason};
    }
  }
  return {Algorithm::Reference, "nothing else can do it"};
}

}  // namespace convtranspose
