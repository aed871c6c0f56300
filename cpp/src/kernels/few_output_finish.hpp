// SPDX-License-Identifier: MIT
// Bias and activation of finished sums, a row of one channel at a time.
#pragma once

#include "activate_run.hpp"
#include "few_output_shape.hpp"
#include "vec.hpp"

namespace convtranspose {
namespace {

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
        S* row = sums + shape.place(panel, j, i, c) * step;
        for (Index k = 0; k < count; ++k) row[k] += bias;
        activate_run(row, count, e);
      }
    }
  }
}

}  // namespace
}  // namespace convtranspose
