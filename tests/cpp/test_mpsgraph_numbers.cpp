// SPDX-License-Identifier: MIT
// Numbers that MPSGraph, or a published example of the same operation, is known to give.
#include "support/operation.hpp"
#include "support/same.hpp"

namespace testing {
namespace {

using convtranspose::PaddingStyle;

struct Example {
  const char* name;
  Convolution2DOpDescriptor descriptor;
  Shape source_shape, weights_shape, result_shape;  // NCHW, OIHW
  Numbers source, weights, result;
  bool strict = true;
};

template <class T>
void check_example(const Example& e) {
  EveryIsa{}([&] {
    for (const Layout layout : {Layout::NCHW, Layout::NHWC}) {
      for (const Layout weights_layout : {Layout::OIHW, Layout::HWIO}) {
        const Context context(std::string(e.name) + " " + kTypeName<T>);
        Convolution2DOpDescriptor d = e.descriptor;
        d.data_layout = layout;
        d.weights_layout = weights_layout;
        Tensor<T> source(e.source_shape, layout, e.source);
        Tensor<T> weights(e.weights_shape, weights_layout, e.weights);
        Tensor<T> result(e.result_shape, layout);
        CallOptions options;
        options.strict = e.strict;
        call<T>(Function::ConvolutionTranspose2D, source.view(), weights.view(), result.view(), d,
                options);
        CHECK_SAME(result.numbers(), e.result);
      }
    }
  });
}

void check_all(const std::vector<Example>& examples) {
  for (const Example& e : examples) {
    check_example<float>(e);
    check_example<double>(e);
  }
}

Convolution2DOpDescriptor strided(Index stride, PaddingStyle style = PaddingStyle::Explicit) {
  Convolution2DOpDescriptor d;
  d.stride_in_x = d.stride_in_y = stride;
  d.padding_style = style;
  return d;
}

Convolution2DOpDescriptor along_x(Index stride, Index dilation, Index left) {
  Convolution2DOpDescriptor d;
  d.stride_in_x = stride;
  d.dilation_rate_in_x = dilation;
  d.padding_left = left;
  return d;
}

Convolution2DOpDescriptor grouped(Index groups) {
  Convolution2DOpDescriptor d;
  d.groups = groups;
  return d;
}

TEST(tensorflow_published_example) {
  const Numbers source{-67, -77, -117, -127}, weights{-1, 2, -3, 4, -5, 6, -7, 8, -9};
  for (const PaddingStyle style : {PaddingStyle::Explicit, PaddingStyle::TfValid}) {
    Tensor<double> s({1, 1, 2, 2}, Layout::NCHW, source), w({1, 1, 3, 3}, Layout::OIHW, weights);
    Tensor<double> r({1, 1, 5, 5}, Layout::NCHW);
    call<double>(Function::ConvolutionTranspose2D, s.view(), w.view(), r.view(), strided(2, style),
                 {});
    const Numbers all = r.numbers();
    CHECK_SAME(Numbers(all.begin(), all.begin() + 5), (Numbers{67, -134, 278, -154, 231}));
    CHECK_SAME(Numbers(all.end() - 5, all.end()), (Numbers{819, -936, 1942, -1016, 1143}));
  }
}

TEST(same_padding_styles) {
  const Shape source{1, 1, 2, 2}, weights{1, 1, 3, 3};
  const Numbers ones_to_four{1, 2, 3, 4}, ones_to_nine{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Numbers upper{1, 2, 5, 4, 4, 5, 14, 10, 10, 14, 36, 24, 12, 15, 34, 20};
  const Numbers lower{5, 14, 10, 12, 14, 36, 24, 30, 15, 34, 20, 24, 24, 55, 32, 36};
  const Numbers odd{5, 14, 10, 14, 36, 24, 15, 34, 20};
  const auto upper_style = strided(2, PaddingStyle::TfSame);
  const auto lower_style = strided(2, PaddingStyle::OnnxSameLower);
  check_all({
      {"upper 4", upper_style, source, weights, {1, 1, 4, 4}, ones_to_four, ones_to_nine, upper},
      {"lower 4", lower_style, source, weights, {1, 1, 4, 4}, ones_to_four, ones_to_nine, lower},
      {"upper 3", upper_style, source, weights, {1, 1, 3, 3}, ones_to_four, ones_to_nine, odd},
      {"lower 3", lower_style, source, weights, {1, 1, 3, 3}, ones_to_four, ones_to_nine, odd},
  });
}

TEST(one_row) {
  const Shape source{1, 1, 1, 3}, weights{1, 1, 1, 3};
  const Numbers s{1, 2, 3}, w{1, 10, 100};
  check_all({
      {"7", along_x(2, 1, 0), source, weights, {1, 1, 1, 7}, s, w, {1, 10, 102, 20, 203, 30, 300}},
      {"8",
       along_x(2, 1, 0),
       source,
       weights,
       {1, 1, 1, 8},
       s,
       w,
       {1, 10, 102, 20, 203, 30, 300, 0}},
      {"padded",
       along_x(2, 1, 1),
       source,
       weights,
       {1, 1, 1, 6},
       s,
       w,
       {10, 102, 20, 203, 30, 300}},
      {"dilated",
       along_x(2, 2, 0),
       source,
       weights,
       {1, 1, 1, 9},
       s,
       w,
       {1, 0, 12, 0, 123, 0, 230, 0, 300}},
  });
}

TEST(groups_and_the_order_of_channels) {
  check_all({
      {"4 to 2",
       grouped(2),
       {1, 4, 1, 1},
       {4, 1, 1, 1},
       {1, 2, 1, 1},
       {1, 2, 3, 4},
       {1, 10, 100, 1000},
       {21, 4300}},
      {"2 to 4",
       grouped(2),
       {1, 2, 1, 1},
       {2, 2, 1, 1},
       {1, 4, 1, 1},
       {1, 2},
       {1, 10, 100, 1000},
       {1, 10, 200, 2000}},
  });
}

// Seen on a device (PyTorch #82711): a result beyond the relation is filled with zeros.
TEST(result_larger_than_the_relation) {
  check_all({{"oversize",
              Convolution2DOpDescriptor{},
              {1, 1, 1, 2},
              {1, 1, 1, 2},
              {1, 1, 1, 4},
              {1, 1},
              {1, 1},
              {1, 2, 1, 0},
              false}});
}

}  // namespace
}  // namespace testing
