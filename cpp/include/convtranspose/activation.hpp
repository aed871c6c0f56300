// SPDX-License-Identifier: MIT
// What a plan does to each finished sum, after the bias and before it is stored.
#pragma once

namespace convtranspose {

enum class ActivationKind : int {
  None = 0,
  Relu = 1,       ///< max(v, 0)
  LeakyRelu = 2,  ///< v < 0 ? alpha v : v
  Sigmoid = 3,    ///< 1 / (1 + exp(-v))
  Tanh = 4,
  Clamp = 5,  ///< min(max(v, alpha), beta)
};

struct Activation {
  ActivationKind kind = ActivationKind::None;
  double alpha = 0;
  double beta = 0;

  static constexpr Activation relu() noexcept { return {ActivationKind::Relu, 0, 0}; }
  static constexpr Activation leaky_relu(double slope) noexcept {
    return {ActivationKind::LeakyRelu, slope, 0};
  }
  static constexpr Activation sigmoid() noexcept { return {ActivationKind::Sigmoid, 0, 0}; }
  static constexpr Activation tanh() noexcept { return {ActivationKind::Tanh, 0, 0}; }
  static constexpr Activation clamp(double low, double high) noexcept {
    return {ActivationKind::Clamp, low, high};
  }
};

}  // namespace convtranspose
