// SPDX-License-Identifier: MIT
// The activation of many finished sums. Written so that compilers vectorise it: what the common
// ones need is at hand before the loop, and nothing in it depends on a branch.
#pragma once

#include "isa_unit.hpp"

namespace convtranspose {
namespace {

template <class S>
void activate_run(S* values, Index count, const Epilogue& e) {
  const S alpha = static_cast<S>(e.alpha), beta = static_cast<S>(e.beta);
  switch (e.activation) {
    case ActivationKind::None:
      return;
    case ActivationKind::Relu:
      for (Index i = 0; i < count; ++i) values[i] = values[i] < 0 ? S{0} : values[i];
      return;
    case ActivationKind::LeakyRelu:
      for (Index i = 0; i < count; ++i) {
        const S leaked = values[i] * alpha;
        values[i] = values[i] < 0 ? leaked : values[i];
      }
      return;
    case ActivationKind::Clamp:
      for (Index i = 0; i < count; ++i) {
        const S raised = values[i] < alpha ? alpha : values[i];
        values[i] = values[i] > beta ? beta : raised;
      }
      return;
    case ActivationKind::Sigmoid:
    case ActivationKind::Tanh:
      for (Index i = 0; i < count; ++i) values[i] = activate(values[i], e);
  }
}

}  // namespace
}  // namespace convtranspose
