// SPDX-License-Identifier: MIT
// Plans of the three sums behind one interface, over tensors of a Problem.
#pragma once

#include <optional>

#include "operation.hpp"

namespace testing {

using convtranspose::PlanOptions;
using convtranspose::RunOptions;

template <class T>
class AnyPlan {
 public:
  /// `bias` has a number for each channel of the output, or none at all.
  AnyPlan(Function f, const Problem& p, const Numbers& weights, const Numbers& bias = {},
          const PlanOptions& options = {})
      : problem_(p) {
    std::vector<T> bias_storage;
    for (const double b : bias) bias_storage.push_back(to_storage<T>(b));
    const T* bias_data = bias.empty() ? nullptr : bias_storage.data();
    const Shape source = permuted(p.source(), p.data_layout);
    const Shape result = permuted(p.result(), p.data_layout);
    // Gone, as the bias is, when the plan is called: it must have copies.
    switch (written_by(f)) {
      case Written::Result: {
        Tensor<T> w(p.weights(), p.weights_layout, weights);
        forward_.emplace(source, w.view(), result, p.descriptor(), bias_data, options);
        break;
      }
      case Written::Source: {
        Tensor<T> w(p.weights(), p.weights_layout, weights);
        data_gradient_.emplace(result, w.view(), source, p.descriptor(), bias_data, options);
        break;
      }
      case Written::Weights:
        weights_gradient_.emplace(result, source, permuted(p.weights(), p.weights_layout),
                                  p.descriptor(), options);
        break;
    }
  }

  const convtranspose::detail::PlanBase& base() const {
    if (forward_) return *forward_;
    if (data_gradient_) return *data_gradient_;
    return *weights_gradient_;
  }

  /// The output, which starts full of NaN.
  Numbers operator()(const Operands& o, const RunOptions& options = {},
                     Placement placement = Placement::Dense) const {
    const Problem& p = problem_;
    if (forward_) {
      Tensor<T> in(p.source(), p.data_layout, o.source, placement);
      Tensor<T> out(p.result(), p.data_layout, placement);
      (*forward_)(in.view(), out.view(), options);
      CHECK(in.surroundings_intact() && out.surroundings_intact());
      return out.numbers();
    }
    Tensor<T> in(p.result(), p.data_layout, o.result, placement);
    if (data_gradient_) {
      Tensor<T> out(p.source(), p.data_layout, placement);
      (*data_gradient_)(in.view(), out.view(), options);
      CHECK(in.surroundings_intact() && out.surroundings_intact());
      return out.numbers();
    }
    Tensor<T> source(p.source(), p.data_layout, o.source, placement);
    Tensor<T> out(p.weights(), p.weights_layout, placement);
    (*weights_gradient_)(in.view(), source.view(), out.view(), options);
    CHECK(in.surroundings_intact() && out.surroundings_intact());
    return out.numbers();
  }

 private:
  Problem problem_;
  std::optional<convtranspose::ConvolutionTranspose2DPlan<T>> forward_;
  std::optional<convtranspose::ConvolutionTranspose2DDataGradientPlan<T>> data_gradient_;
  std::optional<convtranspose::ConvolutionTranspose2DWeightsGradientPlan<T>> weights_gradient_;
};

}  // namespace testing
