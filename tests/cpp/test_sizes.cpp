// SPDX-License-Identifier: MIT
// Channel counts and widths from 1 to 40: below, at and beyond every vector and panel size. And the
// sizes without elements.
#include <vector>

#include "support/operation.hpp"
#include "support/problems.hpp"
#include "support/same.hpp"

namespace testing {
namespace {

constexpr Index kMost = 40;

template <class T>
void check_sums(const Problem& p) {
  const Operands operands = integer_operands(p);
  for (const Function f : kSums) {
    const Numbers right = rounded<T>(expected(f, p, operands));
    for (const NamedAlgorithm& a : kAlgorithms) {
      const Context context(name_of(f) + " " + a.name + " " + kTypeName<T> + " " + text(p));
      CallOptions options;
      options.algorithm = a.algorithm;
      unless_refused([&] { CHECK_SAME(run<T>(f, p, operands, options), right); });
    }
  }
}

void check_types(const Problem& p) {
  EveryIsa{}([&] {
    check_sums<float>(p);
    check_sums<double>(p);
    check_sums<Float16>(p);
    check_sums<BFloat16>(p);
  });
}

Problem overlapping() {
  Problem p;
  p.y = {2, 3, 2, 1, 1, 0, 1};
  p.x = {3, 4, 2, 1, 1, 1, 0};
  return p;
}

TEST(source_channels) {
  for (Index n = 1; n <= kMost; ++n) {
    Problem p = overlapping();
    p.source_channels = n;
    p.result_channels = 3;
    p.data_layout = n % 2 == 0 ? Layout::NCHW : Layout::NHWC;
    check_types(p);
  }
}

TEST(result_channels) {
  for (Index n = 1; n <= kMost; ++n) {
    Problem p = overlapping();
    p.source_channels = 3;
    p.result_channels = n;
    p.data_layout = n % 2 == 0 ? Layout::NHWC : Layout::NCHW;
    check_types(p);
  }
}

TEST(groups_of_one_channel) {
  for (Index n = 1; n <= kMost; ++n) {
    Problem p = overlapping();
    p.groups = n;
    p.data_layout = n % 2 == 0 ? Layout::NHWC : Layout::NCHW;
    check_types(p);
  }
}

TEST(widths) {
  for (Index n = 1; n <= kMost; ++n) {
    for (Index stride = 1; stride <= 3; ++stride) {
      Problem p = overlapping();
      p.source_channels = 2;
      p.result_channels = 2;
      p.x = {n, 3, stride, 1, 1, 0, stride - 1};
      check_types(p);
    }
  }
}

TEST(heights) {
  for (Index n = 1; n <= kMost; ++n) {
    Problem p = overlapping();
    p.source_channels = 4;
    p.result_channels = 4;
    p.y = {n, 2, 1 + n % 3, 1, 0, 1, 0};
    check_types(p);
  }
}

TEST(batches) {
  for (Index n = 1; n <= 12; ++n) {
    Problem p = overlapping();
    p.batch = n;
    p.source_channels = 3;
    p.result_channels = 2;
    check_types(p);
  }
}

/// Beyond one tile of everything: wide, deep, long.
TEST(many_tiles) {
  Problem p;
  p.source_channels = 300;
  p.result_channels = 5;
  p.y = {6, 3, 2, 1, 1, 1, 1};
  p.x = {23, 3, 2, 1, 1, 1, 1};
  check_types(p);
  std::swap(p.source_channels, p.result_channels);
  check_types(p);
  Problem wide;
  wide.source_channels = 3;
  wide.result_channels = 2;
  wide.y = {5, 3, 3, 2, 1, 1, 0};
  wide.x = {701, 7, 2, 3, 9, 2, 1};
  check_types(wide);
}

TEST(nothing_to_add_up) {
  for (Index Problem::* none :
       {&Problem::batch, &Problem::source_channels, &Problem::result_channels}) {
    Problem p = overlapping();
    p.*none = 0;
    check_types(p);
  }
}

TEST(result_without_elements) {
  Problem p;
  p.x = {1, 2, 3, 1, 1, 1, 0};
  CHECK_EQUAL(p.x.result(), 0);
  check_types(p);
}

/// Weights without elements may have a kernel of any size: nobody goes through its taps. Found by
/// fuzzing, which waited.
TEST(endless_kernels_of_no_channels) {
  using View = convtranspose::TensorView<float>;
  constexpr Index kEndless = Index{1} << 50;
  for (const Layout layout : {Layout::OIHW, Layout::HWIO}) {
    const auto weights_shape = [&](Index o, Index i) {
      return layout == Layout::OIHW ? Shape{o, i, kEndless, 1} : Shape{kEndless, 1, i, o};
    };
    Convolution2DOpDescriptor d;
    d.weights_layout = layout;
    for (const NamedAlgorithm& a : kAlgorithms) {
      CallOptions options;
      convtranspose::PlanOptions plan_options;
      options.algorithm = plan_options.algorithm = a.algorithm;
      const auto zero = [](const std::vector<float>& v) {
        return v == std::vector<float>(v.size());
      };

      const View no_results(nullptr, {1, 0, kEndless, 3}), no_weights(nullptr, weights_shape(2, 0));
      std::vector<float> gradient(6, 1.0F);
      const View source(gradient.data(), {1, 2, 1, 3});
      convtranspose::convolution_transpose_2d_data_gradient<float>(no_results, no_weights, source,
                                                                   d, options);
      CHECK(zero(gradient));
      gradient.assign(6, 1.0F);
      const convtranspose::ConvolutionTranspose2DDataGradientPlan<float> gradient_plan(
          no_results.shape, no_weights, source.shape, d, nullptr, plan_options);
      gradient_plan(no_results, source);
      CHECK(zero(gradient));

      Convolution2DOpDescriptor cropped = d;
      cropped.set_explicit_padding(0, 0, kEndless - 4, 0);
      const View no_source(nullptr, {1, 0, 1, 3}), none(nullptr, weights_shape(0, 2));
      std::vector<float> numbers(24, 1.0F);
      const View result(numbers.data(), {1, 2, 4, 3});
      convtranspose::convolution_transpose_2d<float>(no_source, none, result, cropped, options);
      CHECK(zero(numbers));
      numbers.assign(24, 1.0F);
      const convtranspose::ConvolutionTranspose2DPlan<float> plan(
          no_source.shape, none, result.shape, cropped, nullptr, plan_options);
      plan(no_source, result);
      CHECK(zero(numbers));
    }
  }
}

}  // namespace
}  // namespace testing
