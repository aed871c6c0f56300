// SPDX-License-Identifier: MIT
// Every argument error, word for word, raised before anything is written.
#include <functional>
#include <limits>

#include "support/operation.hpp"

namespace testing {
namespace {

using convtranspose::Activation;
using convtranspose::PaddingStyle;
using convtranspose::TensorView;

constexpr Index kHuge = std::numeric_limits<Index>::max();

/// A good call whose parts a test spoils: source 2x4x5x6, weights 4x3x3x3, groups 2.
struct Arguments {
  Convolution2DOpDescriptor descriptor;
  Shape source{2, 4, 5, 6}, weights{4, 3, 3, 3}, result{2, 6, 7, 8};
  Shape strides = convtranspose::dense_strides(result);
  CallOptions options;

  Arguments() { descriptor.groups = 2; }
};

std::string error_of(const std::function<void(Arguments&)>& spoil) {
  Arguments a;
  spoil(a);
  std::vector<float> source(1000), weights(1000), result(1000, -1.0F);
  const std::string message = message_of<std::invalid_argument>([&] {
    convtranspose::convolution_transpose_2d<float>(
        {source.data(), a.source}, {weights.data(), a.weights},
        {result.data(), a.result, a.strides}, a.descriptor, a.options);
  });
  CHECK(std::all_of(result.begin(), result.end(), [](float v) { return v == -1.0F; }));
  a.options.check_only = true;
  CHECK_EQUAL(message_of<std::invalid_argument>([&] {
                convtranspose::convolution_transpose_2d<float>(
                    {nullptr, a.source}, {nullptr, a.weights}, {nullptr, a.result, a.strides},
                    a.descriptor, a.options);
              }),
              message);
  return message;
}

#define CHECK_ERROR(spoil, text)                                      \
  CHECK_EQUAL(error_of([]([[maybe_unused]] Arguments& a) { spoil; }), \
              "convolution_transpose_2d: " text)

TEST(a_good_call_is_no_error) {
  std::vector<float> source(2 * 4 * 5 * 6, 1.0F), weights(4 * 3 * 3 * 3, 1.0F),
      result(2 * 6 * 7 * 8);
  const Arguments a;
  convtranspose::convolution_transpose_2d<float>({source.data(), a.source},
                                                 {weights.data(), a.weights},
                                                 {result.data(), a.result}, a.descriptor);
  CHECK_EQUAL(result[0], 2.0F);
}

TEST(a_check_writes_nothing) {
  std::vector<float> result(2 * 6 * 7 * 8, -1.0F);
  Arguments a;
  a.options.check_only = true;
  convtranspose::convolution_transpose_2d<float>({nullptr, a.source}, {nullptr, a.weights},
                                                 {result.data(), a.result}, a.descriptor,
                                                 a.options);
  CHECK(std::all_of(result.begin(), result.end(), [](float v) { return v == -1.0F; }));
}

TEST(descriptor_fields) {
  CHECK_ERROR(a.descriptor.stride_in_x = 0, "stride_in_x: expected at least 1, got 0");
  CHECK_ERROR(a.descriptor.stride_in_y = -2, "stride_in_y: expected at least 1, got -2");
  CHECK_ERROR(a.descriptor.dilation_rate_in_x = 0,
              "dilation_rate_in_x: expected at least 1, got 0");
  CHECK_ERROR(a.descriptor.dilation_rate_in_y = 0,
              "dilation_rate_in_y: expected at least 1, got 0");
  CHECK_ERROR(a.descriptor.groups = 0, "groups: expected at least 1, got 0");
  CHECK_ERROR(a.descriptor.padding_left = -1, "padding_left: expected at least 0, got -1");
  CHECK_ERROR(a.descriptor.padding_right = -1, "padding_right: expected at least 0, got -1");
  CHECK_ERROR(a.descriptor.padding_top = -1, "padding_top: expected at least 0, got -1");
  CHECK_ERROR(a.descriptor.padding_bottom = -1, "padding_bottom: expected at least 0, got -1");
}

TEST(descriptor_enumerations) {
  CHECK_ERROR(a.descriptor.padding_style = PaddingStyle::ExplicitOffset,
              "padding_style: expected EXPLICIT, TF_VALID, TF_SAME or ONNX_SAME_LOWER, got "
              "EXPLICIT_OFFSET, whose offsets a convolution descriptor has no field for");
  CHECK_ERROR(a.descriptor.padding_style = static_cast<PaddingStyle>(9),
              "padding_style: expected EXPLICIT, TF_VALID, TF_SAME or ONNX_SAME_LOWER, got 9");
  CHECK_ERROR(a.descriptor.data_layout = Layout::OIHW,
              "data_layout: expected NCHW or NHWC, got OIHW");
  CHECK_ERROR(a.descriptor.data_layout = Layout::CHW,
              "data_layout: expected NCHW or NHWC, got layout number 4");
  CHECK_ERROR(a.descriptor.weights_layout = Layout::NHWC,
              "weights_layout: expected OIHW or HWIO, got NHWC");
}

TEST(channels_and_batch) {
  CHECK_ERROR(a.source[1] = 5,
              "source: expected as many channels as weights has on its O axis, 4 (OIHW (4, 3, 3, "
              "3)), got 5 channels in NCHW (2, 5, 5, 6)");
  CHECK_ERROR(a.weights[0] = 5,
              "weights: expected an O axis that groups = 2 divides (OIHW), got 5 in (5, 3, 3, 3)");
  CHECK_ERROR(a.result[1] = 7,
              "output_shape: expected 6 channels (groups 2 times the I axis, 3, of OIHW (4, 3, 3, "
              "3)), got 7 channels in NCHW (2, 7, 7, 8)");
  CHECK_ERROR(a.result[0] = 3,
              "output_shape: expected the batch of source, 2, got 3 in (3, 6, 7, 8)");
  CHECK_ERROR(a.descriptor.data_layout = Layout::NHWC,
              "source: expected as many channels as weights has on its O axis, 4 (OIHW (4, 3, 3, "
              "3)), got 6 channels in NHWC (2, 4, 5, 6)");
}

TEST(extents) {
  CHECK_ERROR(a.source[3] = -1, "source: expected extents of at least 0, got (2, 4, 5, -1)");
  CHECK_ERROR(a.source[2] = 0,
              "source: expected a height and width of at least 1, got (2, 4, 0, 6)");
  CHECK_ERROR(a.weights[3] = 0, "weights: expected a kernel width of at least 1, got (4, 3, 3, 0)");
  CHECK_ERROR(a.weights[2] = 0,
              "weights: expected a kernel height of at least 1, got (4, 3, 0, 3)");
}

TEST(size_relation) {
  CHECK_ERROR(a.result[2] = 8,
              "output_shape: expected a height from 7 to 7 ((source - 1) * stride + (kernel - 1) * "
              "dilation + 1 <= result + padding <= the same + stride - 1, with source height 5, "
              "stride 1, dilated kernel 3, padding 0 + 0), got height 8 in (2, 6, 8, 8); "
              "strict=False crops or zero-fills the end instead");
  CHECK_ERROR(
      (a.descriptor.stride_in_x = 2, a.descriptor.padding_left = 1, a.result[3] = 11),
      "output_shape: expected a width from 12 to 13 ((source - 1) * stride + (kernel - 1) * "
      "dilation + 1 <= result + padding <= the same + stride - 1, with source width 6, "
      "stride 2, dilated kernel 3, padding 1 + 0), got width 11 in (2, 6, 7, 11); "
      "strict=False crops or zero-fills the end instead");
  CHECK_ERROR((a.descriptor.padding_style = PaddingStyle::TfSame),
              "output_shape: expected a height from 5 to 5 (ceil(result / stride) = source, with "
              "source height 5, stride 1, dilated kernel 3, padding 0 + 0), got height 7 in (2, 6, "
              "7, 8); strict=False crops or zero-fills the end instead");
  CHECK_ERROR((a.descriptor.padding_top = 9, a.result[2] = 0),
              "output_shape: expected a height that the paddings leave something of: (5 - 1) * "
              "stride + (kernel - 1) * dilation + 1 = 7 < padding 9, got height 0 in (2, 6, 0, 8); "
              "strict=False crops or zero-fills the end instead");
}

TEST(absurd_sizes) {
  CHECK_ERROR((a.source = {kHuge, 4, 5, 6}),
              "source: expected a size below 2**63 bytes, got (9223372036854775807, 4, 5, 6)");
  CHECK_ERROR((a.weights = {4, Index{1} << 32, Index{1} << 32, 3}),
              "weights: expected a size below 2**63 bytes, got (4, 4294967296, 4294967296, 3)");
  CHECK_ERROR(a.descriptor.dilation_rate_in_x = kHuge,
              "dilation_rate_in_x: expected a dilated kernel width below 2**63, got "
              "9223372036854775807");
  CHECK_ERROR((a.descriptor.padding_left = a.descriptor.padding_right = kHuge),
              "padding_left: expected paddings whose sum is below 2**63, got 9223372036854775807 "
              "and 9223372036854775807");
  CHECK_ERROR(a.descriptor.stride_in_y = kHuge,
              "source: expected a height whose result stays below 2**63, got (2, 4, 5, 6) with "
              "stride_in_y 9223372036854775807 and dilation_rate_in_y 1");
  CHECK_ERROR((a.descriptor.groups = kHuge, a.weights = {0, 3, 3, 3}, a.source = {2, 0, 5, 6}),
              "groups: expected groups times the weights' I axis below 2**63, got "
              "9223372036854775807 with (0, 3, 3, 3)");
  CHECK_ERROR((a.options.strict = false, a.descriptor.padding_top = kHuge),
              "output_shape: expected a height whose sum with the paddings is below 2**63, got (2, "
              "6, 7, 8)");
}

TEST(views) {
  CHECK_ERROR((a.strides = {336, 56, 0, 1}),
              "out: expected a tensor whose elements do not share memory, got strides (336, 56, 0, "
              "1) (in elements) for shape (2, 6, 7, 8)");
  CHECK_ERROR((a.strides = {336, 56, 7, 1}),
              "out: expected a tensor whose elements do not share memory, got strides (336, 56, 7, "
              "1) (in elements) for shape (2, 6, 7, 8)");
}

TEST(operation_name_leads) {
  CHECK_EQUAL(error_of([](Arguments& a) {
                a.options.name = "decoder/up1";
                a.descriptor.groups = 0;
              }),
              "decoder/up1: groups: expected at least 1, got 0");
}

TEST(algorithm_that_is_none) {
  CHECK_ERROR(a.options.algorithm = static_cast<Algorithm>(99),
              "algorithm: expected one that can do this problem, got unknown: it has no kernel for "
              "this operation and dtype");
}

std::string error_of_plan_with(const Activation& activation) {
  const Arguments a;
  const std::vector<float> weights(1000, 1.0F);
  convtranspose::PlanOptions options;
  options.activation = activation;
  return message_of<std::invalid_argument>([&] {
    convtranspose::ConvolutionTranspose2DPlan<float>(a.source, {weights.data(), a.weights},
                                                     a.result, a.descriptor, nullptr, options);
  });
}

TEST(activations) {
  const std::string who = "convolution_transpose_2d: activation: expected ";
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_EQUAL(error_of_plan_with(Activation::leaky_relu(infinity)),
              who + "a leaky_relu with a finite slope, got inf");
  CHECK_EQUAL(error_of_plan_with(Activation::leaky_relu(nan)),
              who + "a leaky_relu with a finite slope, got nan");
  CHECK_EQUAL(error_of_plan_with(Activation::clamp(2, 1)),
              who + "a clamp with low <= high, got 2.000000 and 1.000000");
  CHECK_EQUAL(error_of_plan_with(Activation::clamp(nan, 1)),
              who + "a clamp with low <= high, got nan and 1.000000");
  CHECK_EQUAL(error_of_plan_with({static_cast<convtranspose::ActivationKind>(9), 0, 0}),
              who + "none, relu, leaky_relu, sigmoid, tanh or clamp, got kind number 9");
  CHECK_EQUAL(error_of_plan_with(Activation::clamp(-infinity, 1)), "");
}

/// Each function calls the tensors what its own parameters are called.
TEST(every_function_names_its_own_arguments) {
  Problem p;
  p.source_channels = 2;
  p.x.kernel = 2;
  const char* wrong_channels[] = {"source", "output_shape",      "source",
                                  "result", "incoming_gradient", "incoming_gradient"};
  for (const Function f : kFunctions) {
    const auto i = static_cast<std::size_t>(f);
    Tensor<float> source({1, 3, 1, 1}, Layout::NCHW), weights(p.weights(), Layout::OIHW),
        result(p.result(), Layout::NCHW);
    const std::string message = message_of<std::invalid_argument>(
        [&] { call<float>(f, source.view(), weights.view(), result.view(), p.descriptor(), {}); });
    CHECK_EQUAL(message.substr(0, message.find(": expected")),
                name_of(f) + ": " + wrong_channels[i]);
    CHECK(source.untouched() && weights.untouched() && result.untouched());
  }
}

}  // namespace
}  // namespace testing
