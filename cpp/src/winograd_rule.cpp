// SPDX-License-Identifier: MIT
#include "winograd_rule.hpp"

#include <algorithm>

namespace convtranspose {
namespace {

Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

/// One axis: what its phases multiply for one image, with tiles of m results.
struct AxisCost {
  double direct = 0;    // products of the definition
  double winograd = 0;  // products of transformed tiles
  double tiles = 0;     // of one phase
  double weights = 0;   // elements of all phases' transformed filters
  Index sets = 1;       // of inputs that are transformed
};

/// The kernels cut the axis likewise (winograd_axis.hpp).
AxisCost axis_cost(const Axis& a, Operation operation, FastMath level) {
  const bool gradient = operation == Operation::DataGradient;
  const Index longest = ceil_div(a.kernel, a.stride);
  const Index most = longest == 1 ? 1 : level == FastMath::Aggressive ? 4 : longest == 2 ? 3 : 2;
  const Index results = gradient ? a.source : ceil_div(a.result, a.stride);
  AxisCost best;
  for (Index m = 1; m <= most; ++m) {
    AxisCost cost;
    const Index tiles = ceil_div(results, m);
    for (Index r = 0; r < a.stride; ++r) {
      const Index taps = ceil_div(a.kernel - r, a.stride), elements = m + taps - 1;
      cost.direct += static_cast<double>(taps * results);
      cost.winograd += static_cast<double>(elements * tiles);
      cost.weights += static_cast<double>(elements);
    }
    cost.tiles = static_cast<double>(tiles);
    // Forward, one origin serves all phases where that takes no more tiles.
    const bool shared = !gradient && ceil_div(results + 1, m) == tiles;
    cost.sets = gradient || operation == Operation::WeightsGradient
                    ? a.stride
                    : std::min<Index>(shared ? (a.kernel % a.stride == 0 ? 1 : 2) : 2, a.stride);
    if (m == 1 || cost.winograd <= best.winograd) best = cost;
  }
  return best;
}

}  // namespace

bool winograd_pays(const Request& r) noexcept {
  const Problem& p = r.problem;
  if (p.source_channels < 16 || p.result_channels < 16) return false;
  for (const Axis& a : {p.y, p.x}) {
    if (a.stride > 16 || a.kernel < a.stride || ceil_div(a.kernel, a.stride) > 3) return false;
  }
  const AxisCost y = axis_cost(p.y, r.operation, r.fast_math);
  const AxisCost x = axis_cost(p.x, r.operation, r.fast_math);
  const double tiles = y.tiles * x.tiles;
  if (tiles < 12) return false;
  const auto sources = static_cast<double>(p.source_channels);
  const auto results = static_cast<double>(p.result_channels);
  const bool gradient = r.operation == Operation::DataGradient;
  const double inputs = gradient ? results : sources, outputs = gradient ? sources : results;
  // In products: the definition does 16 a cycle on Zen 3 (float32), a transform about one number of
  // 8 lanes in 2.5 cycles on either side, as profiles of the layers of the bench say.
  constexpr double kTransform = 2.5 * 16 / 8;
  const double products = y.winograd * x.winograd;
  const double sets = static_cast<double>(y.sets * x.sets);
  const double phases = static_cast<double>(p.y.stride * p.x.stride);
  const double transforms =
      r.operation == Operation::WeightsGradient
          ? products * (inputs * outputs / 128 + inputs * outputs / 192)
          : products * (inputs * sets / phases + (gradient ? outputs / phases : outputs));
  // For every transformed weight: made in a call without a plan, or summed up, transformed back and
  // scattered in a weights gradient (whose tiles are those of the whole batch).
  double weights = 0;
  if (r.operation == Operation::WeightsGradient) {
    weights = 28 / static_cast<double>(p.batch);
  } else if (!r.packed_ahead) {
    weights = 20;
  }
  weights *= y.weights * x.weights * inputs * outputs;
  const double direct = y.direct * x.direct * inputs * outputs;
  const double winograd = products * inputs * outputs + kTransform * transforms + weights;
  return winograd * 1.1 < direct;
}

}  // namespace convtranspose
