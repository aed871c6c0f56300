// SPDX-License-Identifier: MIT
#include "winograd_rule.hpp"

#include <algorithm>
#include <cmath>

namespace convtranspose {
namespace {

// Costs in products, of which Zen 3 does 16 a cycle in float32, from profiles of the bench's
// layers.
constexpr double kTransform = 12;          // one number of a transformed tile, either way ...
constexpr double kGradientTransform = 10;  // ... in the weights gradient ...
constexpr double kPlanarTransform = 40;    // ... and there from planes of channels
constexpr double kNear = 4;  // to read a transformed weight for a box of tiles, from L3 ...
constexpr double kFar = 12;  // ... and from memory
constexpr double kNearBytes = 8 << 20;
constexpr double kPacking = 20;  // to make a transformed weight in a call without a plan
constexpr double kBack = 14;     // to transform a sum of the weights gradient back and store it
constexpr double kMargin = 1.05;
// As the kernels cut the work up.
constexpr double kBoxTiles = 48, kSourceBlock = 192, kResultBlock = 128;

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
  const double batch = static_cast<double>(p.batch), tiles = batch * y.tiles * x.tiles;
  if (tiles < 12) return false;
  const double sources = static_cast<double>(p.source_channels);
  const double results = static_cast<double>(p.result_channels);
  const double pairs = sources * results;
  const double filters = y.weights * x.weights;  // transformed, numbers for each pair of channels
  const double products = batch * y.winograd * x.winograd;
  const double phases = static_cast<double>(p.y.stride * p.x.stride);
  const double sets = static_cast<double>(y.sets * x.sets) / phases;
  double transforms = 0, transform = kTransform, weights = 0;
  switch (r.operation) {
    case Operation::Forward:
      transforms = sources * sets + results;
      break;
    case Operation::DataGradient:
      transforms = results + sources / phases;
      break;
    case Operation::WeightsGradient:
      transforms =
          sources * std::ceil(results / kResultBlock) + results * std::ceil(sources / kSourceBlock);
      transform = r.source.c == 1 && r.result.c == 1 ? kGradientTransform : kPlanarTransform;
      weights = kBack;
      break;
  }
  if (r.operation != Operation::WeightsGradient) {
    const double boxes = std::max(1.0, tiles / kBoxTiles);
    weights = boxes * (filters * pairs * sizeof(float) > kNearBytes ? kFar : kNear);
    if (!r.packed_ahead) weights += kPacking;
  }
  const double winograd = products * (pairs + transform * transforms) + weights * filters * pairs;
  return kMargin * winograd < batch * y.direct * x.direct * pairs;
}

}  // namespace convtranspose
