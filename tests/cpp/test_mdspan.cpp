// SPDX-License-Identifier: MIT
// An mdspan of any strided layout becomes the view of the same elements.
#include <mdspan>

#include "support/operation.hpp"
#include <convtranspose/mdspan.hpp>

namespace testing {
namespace {

using Extents = std::dextents<std::size_t, 4>;

TEST(layouts) {
  float data[2 * 3 * 4 * 5] = {};
  const auto right = convtranspose::tensor_view(std::mdspan(data, Extents{2, 3, 4, 5}));
  CHECK(right.data == data);
  CHECK_EQUAL(text(right.shape), "(2, 3, 4, 5)");
  CHECK_EQUAL(text(right.strides), "(60, 20, 5, 1)");
  const std::mdspan<float, Extents, std::layout_left> left(data, 2, 3, 4, 5);
  CHECK_EQUAL(text(convtranspose::tensor_view(left).strides), "(1, 2, 6, 24)");
  const std::layout_stride::mapping mapping(Extents{2, 1, 2, 2}, std::array{60, 20, 10, 2});
  CHECK_EQUAL(text(convtranspose::tensor_view(std::mdspan(data, mapping)).strides),
              "(60, 20, 10, 2)");
  const std::mdspan<const float, std::extents<int, 1, 3, 4, 5>> fixed(data);
  static_assert(std::is_same_v<decltype(convtranspose::tensor_view(fixed)),
                               convtranspose::TensorView<const float>>);
  CHECK_EQUAL(text(convtranspose::tensor_view(fixed).shape), "(1, 3, 4, 5)");
}

TEST(operation) {
  const float source[] = {1, 2, 3}, weights[] = {1, 10};
  float result[2 * 6] = {};  // every second element is one of the result's
  Convolution2DOpDescriptor descriptor;
  descriptor.stride_in_x = 2;
  const std::layout_stride::mapping every_second(Extents{1, 1, 1, 6}, std::array{12, 12, 12, 2});
  convtranspose::convolution_transpose_2d<float>(
      convtranspose::tensor_view(std::mdspan(source, Extents{1, 1, 1, 3})),
      convtranspose::tensor_view(std::mdspan(weights, Extents{1, 1, 1, 2})),
      convtranspose::tensor_view(std::mdspan(result, every_second)), descriptor);
  const float expected[] = {1, 0, 10, 0, 2, 0, 20, 0, 3, 0, 30, 0};
  CHECK(std::equal(expected, expected + 12, result));
}

}  // namespace
}  // namespace testing
