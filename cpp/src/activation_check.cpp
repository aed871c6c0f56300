// SPDX-License-Identifier: MIT
#include "activation_check.hpp"

#include <cmath>
#include <string>

#include "errors.hpp"

namespace convtranspose {

void check_activation(std::string_view operation, const Activation& a) {
  switch (a.kind) {
    case ActivationKind::None:
    case ActivationKind::Relu:
    case ActivationKind::Sigmoid:
    case ActivationKind::Tanh:
      return;
    case ActivationKind::LeakyRelu:
      if (std::isfinite(a.alpha)) return;
      fail(operation, "activation", "a leaky_relu with a finite slope", std::to_string(a.alpha));
    case ActivationKind::Clamp:
      if (a.alpha <= a.beta) return;  // false where one is NaN
      fail(operation, "activation", "a clamp with low <= high",
           std::to_string(a.alpha) + " and " + std::to_string(a.beta));
  }
  fail(operation, "activation", "none, relu, leaky_relu, sigmoid, tanh or clamp",
       "kind number " + std::to_string(static_cast<int>(a.kind)));
}

}  // namespace convtranspose
