// SPDX-License-Identifier: MIT
// Bias and activation of finished sums, a row of one channel at a time.
#pragma once

#include "few_output_shape.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

template <class S>
void finish_row(S* sums, Index count, S bias, const Epilogue& e) {
  if (e.activation == ActivationKind::None) {
    for (Index i = 0; i < count; ++i) sums[i] += bias;
  } else if (e.activation == ActivationKind::Relu) {
    for (Index i = 0; i < count; ++i) {
      const S sum = sums[i] + bias;
      sums[i] = sum < 0 ? S{0} : sum;
    }
  } else {
    for (Index i = 0; i < count; ++i) sums[i] = activate(sums[i] + bias, e);
  }
}

/// All rows of a panel, `count` numbers each, `step` apart.
template <class S>
void finish_rows(const FewShape& shape, const FewPanel& panel, const Epilogue& e, S* sums,
                 Index step, Index count) {
  if (e.bias == nullptr && e.activation == ActivationKind::None) return;
  for (Index j = panel.y.begin; j < panel.y.end; ++j) {
    for (Index i = panel.x.begin; i < panel.x.end; ++i) {
      for (Index c = panel.c.begin; c < panel.c.end; ++c) {
        const S bias = e.bias == nullptr
                           ? S{0}
                           : static_cast<const S*>(e.bias)[panel.group * shape.outputs + c];
        finish_row(sums + shape.place(panel, j, i, c) * step, count, bias, e);
      }
    }
  }
}

}  // namespace
}  // namespace convtranspose
