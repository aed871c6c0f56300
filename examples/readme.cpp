// SPDX-License-Identifier: MIT
#include <cstdio>
#include <vector>

#include <convtranspose/convtranspose.hpp>

int main() {
  convtranspose::Convolution2DOpDescriptor descriptor;
  descriptor.stride_in_x = descriptor.stride_in_y = 2;
  descriptor.padding_style = convtranspose::PaddingStyle::TfSame;

  const std::vector<float> source{1, 2, 3, 4};
  const std::vector<float> weights{1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<float> result(16);
  convtranspose::convolution_transpose_2d<float>({source.data(), {1, 1, 2, 2}},
                                                 {weights.data(), {1, 1, 3, 3}},
                                                 {result.data(), {1, 1, 4, 4}}, descriptor);
  for (const float value : result) std::printf("%g ", value);
}
