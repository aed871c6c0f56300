// SPDX-License-Identifier: MIT
// The descriptor's defaults, equality and numbers, which are MPSGraph's.
#include <type_traits>

#include "support/problem.hpp"
#include "support/runner.hpp"

namespace testing {
namespace {

using convtranspose::PaddingStyle;

TEST(defaults) {
  const Convolution2DOpDescriptor d;
  for (const Index one :
       {d.stride_in_x, d.stride_in_y, d.dilation_rate_in_x, d.dilation_rate_in_y, d.groups}) {
    CHECK_EQUAL(one, 1);
  }
  for (const Index zero : {d.padding_left, d.padding_right, d.padding_top, d.padding_bottom}) {
    CHECK_EQUAL(zero, 0);
  }
  CHECK(d.padding_style == PaddingStyle::Explicit);
  CHECK(d.data_layout == Layout::NCHW);
  CHECK(d.weights_layout == Layout::OIHW);
  static_assert(std::is_aggregate_v<Convolution2DOpDescriptor>);
}

TEST(numbers_are_those_of_mpsgraph) {
  static_assert(static_cast<int>(PaddingStyle::Explicit) == 0);
  static_assert(static_cast<int>(PaddingStyle::TfValid) == 1);
  static_assert(static_cast<int>(PaddingStyle::TfSame) == 2);
  static_assert(static_cast<int>(PaddingStyle::ExplicitOffset) == 3);
  static_assert(static_cast<int>(PaddingStyle::OnnxSameLower) == 4);
  int value = 0;
  for (const Layout layout :
       {Layout::NCHW, Layout::NHWC, Layout::OIHW, Layout::HWIO, Layout::CHW, Layout::HWC,
        Layout::HW, Layout::NCDHW, Layout::NDHWC, Layout::OIDHW, Layout::DHWIO}) {
    CHECK_EQUAL(static_cast<int>(layout), value++);
  }
}

TEST(set_explicit_padding_sets_the_style_too) {
  Convolution2DOpDescriptor d;
  d.padding_style = PaddingStyle::TfSame;
  d.set_explicit_padding(1, 2, 3, 4);
  CHECK_EQUAL(d.padding_left, 1);
  CHECK_EQUAL(d.padding_right, 2);
  CHECK_EQUAL(d.padding_top, 3);
  CHECK_EQUAL(d.padding_bottom, 4);
  CHECK(d.padding_style == PaddingStyle::Explicit);
}

TEST(every_field_takes_part_in_equality) {
  using D = Convolution2DOpDescriptor;
  const D d;
  CHECK(d == D{});
  CHECK(!(d != D{}));
  for (Index D::* field :
       {&D::stride_in_x, &D::stride_in_y, &D::dilation_rate_in_x, &D::dilation_rate_in_y,
        &D::groups, &D::padding_left, &D::padding_right, &D::padding_top, &D::padding_bottom}) {
    D other;
    other.*field = 7;
    CHECK(d != other);
  }
  D style, data, weights;
  style.padding_style = PaddingStyle::TfSame;
  data.data_layout = Layout::NHWC;
  weights.weights_layout = Layout::HWIO;
  CHECK(d != style && d != data && d != weights);
}

TEST(names_of_algorithms) {
#define CONVTRANSPOSE_ROW(enumerator, name, value)                    \
  CHECK_EQUAL(to_string(convtranspose::Algorithm::enumerator), name); \
  CHECK_EQUAL(static_cast<int>(convtranspose::Algorithm::enumerator), value);
  CONVTRANSPOSE_ALGORITHMS(CONVTRANSPOSE_ROW)
#undef CONVTRANSPOSE_ROW
  CHECK_EQUAL(to_string(static_cast<convtranspose::Algorithm>(-1)), "unknown");
}

}  // namespace
}  // namespace testing
