// SPDX-License-Identifier: MIT
// output_shape_range and convolution_2d_output_shape against the relation itself.
#include "support/operation.hpp"
#include "support/problems.hpp"

namespace testing {
namespace {

using convtranspose::convolution_2d_output_shape;
using convtranspose::output_shape_range;
using convtranspose::PaddingStyle;

/// How many steps a forward kernel takes over `result`, counted one by one; 0 if it does not fit.
Index counted_steps(const AxisProblem& a, Index result) {
  Index steps = 0;
  const Index reach = (a.kernel - 1) * a.dilation;
  for (Index at = -a.leading; at + reach < result + a.trailing; at += a.stride) ++steps;
  return steps;
}

TEST(range_holds_exactly_the_sizes_that_map_back) {
  for (const Problem& problem : class_problems()) {
    for_each_layout(problem, [&](const Problem& p) {
      const Context context(text(p));
      const auto range =
          output_shape_range(permuted(p.source(), p.data_layout),
                             permuted(p.weights(), p.weights_layout), p.descriptor());
      const auto size = [&](Index y, Index x) {
        return permuted({p.batch, p.groups * p.result_channels, y, x}, p.data_layout);
      };
      const auto bounds = [](const AxisProblem& a) {
        std::pair<Index, Index> found{-1, -1};
        for (Index result = 0; result < 200; ++result) {
          if (counted_steps(a, result) != a.source) continue;
          if (found.first < 0) found.first = result;
          found.second = result;
        }
        return found;
      };
      const auto y = bounds(p.y), x = bounds(p.x);
      CHECK_EQUAL(text(range.smallest), text(size(y.first, x.first)));
      CHECK_EQUAL(text(range.largest), text(size(y.second, x.second)));
    });
  }
}

TEST(convolution_maps_every_size_in_range_back) {
  for (const Problem& p : class_problems()) {
    const Context context(text(p));
    CHECK_EQUAL(text(convolution_2d_output_shape(p.result(), p.weights(), p.descriptor())),
                text(p.source()));
  }
}

TEST(same_styles_span_one_stride) {
  for (const PaddingStyle style : {PaddingStyle::TfSame, PaddingStyle::OnnxSameLower}) {
    Convolution2DOpDescriptor d;
    d.stride_in_x = 3;
    d.padding_style = style;
    const auto range = output_shape_range({1, 1, 4, 4}, {1, 1, 5, 5}, d);
    CHECK_EQUAL(text(range.smallest), "(1, 1, 4, 10)");
    CHECK_EQUAL(text(range.largest), "(1, 1, 4, 12)");
    CHECK_EQUAL(text(convolution_2d_output_shape({1, 1, 4, 11}, {1, 1, 5, 5}, d)), "(1, 1, 4, 4)");
  }
}

TEST(smallest_size_is_never_negative) {
  Convolution2DOpDescriptor d;
  d.set_explicit_padding(2, 2, 0, 0);
  d.stride_in_x = 4;
  const auto range = output_shape_range({1, 1, 1, 1}, {1, 1, 1, 1}, d);
  CHECK_EQUAL(text(range.smallest), "(1, 1, 1, 0)");
  CHECK_EQUAL(text(range.largest), "(1, 1, 1, 0)");
}

TEST(errors_name_the_function) {
  const auto range_error = [](const Convolution2DOpDescriptor& d, Shape source, Shape weights) {
    return message_of<std::invalid_argument>([&] { output_shape_range(source, weights, d); });
  };
  Convolution2DOpDescriptor d;
  CHECK_EQUAL(range_error(d, {1, 2, 1, 1}, {3, 1, 1, 1}),
              "output_shape_range: source_shape: expected as many channels as weights_shape has on "
              "its O axis, 3 (OIHW (3, 1, 1, 1)), got 2 channels in NCHW (1, 2, 1, 1)");
  CHECK_EQUAL(
      range_error(d, {1, 1, 0, 1}, {1, 1, 1, 1}),
      "output_shape_range: source_shape: expected a height and width of at least 1, got (1, "
      "1, 0, 1)");
  d.set_explicit_padding(5, 5, 0, 0);
  CHECK_EQUAL(range_error(d, {1, 1, 1, 2}, {1, 1, 1, 2}),
              "output_shape_range: padding_left: expected paddings that leave a result of at least "
              "0, at most 3 in all, got 5 + 5");
  const Convolution2DOpDescriptor plain;
  CHECK_EQUAL(
      message_of<std::invalid_argument>(
          [&] { convolution_2d_output_shape({1, 1, 2, 5}, {1, 1, 3, 3}, plain, "encoder"); }),
      "encoder: source: expected a padded height and width of at least the dilated kernel's, "
      "3 and 3, got (1, 1, 2, 5)");
}

}  // namespace
}  // namespace testing
