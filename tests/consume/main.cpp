// SPDX-License-Identifier: MIT
// Uses the library between two uses of another Eigen: neither may change the other.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <convtranspose/convtranspose.h>
#include <convtranspose/convtranspose.hpp>

#if defined(EIGEN_WORLD_VERSION)
#error "Eigen leaks from the library's headers"
#endif
#if defined(__AVX__)
#error "compiler flags leak from the library"
#endif

#if defined(CONSUME_EIGEN)
#include <Eigen/Dense>

namespace {
/// Large enough for Eigen's blocked product, whose code has the same names in every version.
bool product_is_right() {
  constexpr int kSize = 96;
  const Eigen::MatrixXf a = Eigen::MatrixXf::Constant(kSize, kSize, 2.0F);
  const Eigen::MatrixXf c = a * (a + Eigen::MatrixXf::Identity(kSize, kSize));
  return (c.array() == 2.0F * 2.0F * kSize + 2.0F).all();
}
}  // namespace
#else
namespace {
bool product_is_right() { return true; }
}  // namespace
#endif

int main() {
  using namespace convtranspose;
  Convolution2DOpDescriptor descriptor;
  descriptor.stride_in_x = descriptor.stride_in_y = 2;
  descriptor.padding_style = PaddingStyle::TfSame;
  // 64 channels of ones: enough for every algorithm, and sums that are easy to tell.
  const std::vector<float> source(64 * 8 * 8, 1.0F), weights(64 * 64 * 2 * 2, 1.0F);
  bool good = product_is_right();
  for (const auto isa : available_isas()) {
    set_isa(isa);
    std::vector<float> result(64 * 16 * 16);
    CallOptions options;
    options.executor = &default_executor();
    convolution_transpose_2d<float>({source.data(), {1, 64, 8, 8}},
                                    {weights.data(), {64, 64, 2, 2}},
                                    {result.data(), {1, 64, 16, 16}}, descriptor, options);
    for (const float value : result) good = good && value == 64.0F;
    good = good && product_is_right();
  }
  good = good && convtranspose_version() == std::string(CONVTRANSPOSE_VERSION);
  try {
    set_isa("unheard of");
    good = false;
  } catch (const std::invalid_argument&) {
  }
#if defined(EIGEN_PATCH_VERSION)  // since 5.0, whose world is still 3
  std::printf("Eigen %d.%d.%d here, ", EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION,
              EIGEN_PATCH_VERSION);
#elif defined(CONSUME_EIGEN)
  std::printf("Eigen %d.%d.%d here, ", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION,
              EIGEN_MINOR_VERSION);
#endif
  const BuildInfo info = build_info();
  std::printf("convtranspose %.*s with Eigen %.*s: %s\n", static_cast<int>(info.version.size()),
              info.version.data(), static_cast<int>(info.eigen.size()), info.eigen.data(),
              good ? "right" : "WRONG");
  return good ? 0 : 1;
}
