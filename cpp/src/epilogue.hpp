// SPDX-License-Identifier: MIT
// What is done to a finished sum before it is stored.
#pragma once

#include "problem.hpp"

namespace convtranspose {

enum class ActivationKind : int { None, Relu, LeakyRelu, Sigmoid, Tanh, Clamp };

struct Epilogue {
  const void* bias = nullptr;  // one number an output channel (over all groups), in the sum's type
  ActivationKind activation = ActivationKind::None;
  double alpha = 0;  // LeakyRelu: slope; Clamp: lower bound
  double beta = 0;   // Clamp: upper bound
};

}  // namespace convtranspose
