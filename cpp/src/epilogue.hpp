// SPDX-License-Identifier: MIT
// What is done to a finished sum before it is stored.
#pragma once

#include "convtranspose/activation.hpp"
#include "problem.hpp"

namespace convtranspose {

struct Epilogue {
  const void* bias = nullptr;  // one number an output channel (over all groups), in the sum's type
  ActivationKind activation = ActivationKind::None;
  double alpha = 0;
  double beta = 0;
};

}  // namespace convtranspose
