// SPDX-License-Identifier: MIT
// upsampler IN.ppm OUT.ppm FACTOR: enlarges an image by bilinear interpolation, which is a
// transposed convolution: every source pixel adds a tent to the result.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <convtranspose/convtranspose.hpp>

using convtranspose::Index;

namespace {

struct Image {
  Index height, width;
  std::vector<float> pixels;  // rows of red, green, blue from 0 to 255
};

Image read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::string magic;
  Index width = 0, height = 0, most = 0;
  file >> magic >> width >> height >> most;
  file.get();
  if (!file || magic != "P6" || width < 1 || height < 1 || most != 255) {
    throw std::runtime_error(std::string(path) + ": expected a PPM image (P6, 8 bits)");
  }
  std::vector<unsigned char> bytes(static_cast<std::size_t>(height * width * 3));
  if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<long>(bytes.size()))) {
    throw std::runtime_error(std::string(path) + ": the image ends early");
  }
  return {height, width, {bytes.begin(), bytes.end()}};
}

void write(const char* path, const Image& image) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n" << image.width << ' ' << image.height << "\n255\n";
  for (const float value : image.pixels) file.put(static_cast<char>(std::lround(value)));
  if (!file) throw std::runtime_error(std::string(path) + ": cannot be written");
}

/// The image with its outermost pixels repeated once, so that its edges keep their brightness.
Image with_border(const Image& from) {
  Image to{from.height + 2, from.width + 2, {}};
  const auto inside = [](Index at, Index size) {
    return at < 1 ? 0 : at > size ? size - 1 : at - 1;
  };
  for (Index y = 0; y < to.height; ++y) {
    for (Index x = 0; x < to.width; ++x) {
      const Index pixel = inside(y, from.height) * from.width + inside(x, from.width);
      const float* rgb = from.pixels.data() + 3 * pixel;
      to.pixels.insert(to.pixels.end(), rgb, rgb + 3);
    }
  }
  return to;
}

Image enlarged(const Image& image, Index factor) {
  const Image source = with_border(image);
  const Index kernel = 2 * factor - factor % 2;

  // One channel a group: weights are (height, width, 1, 3) in HWIO order.
  std::vector<float> weights;
  const auto tent = [&](Index at) {
    const double center = static_cast<double>(kernel - 1) / 2;
    return 1 - std::fabs(static_cast<double>(at) - center) / static_cast<double>(factor);
  };
  for (Index y = 0; y < kernel; ++y) {
    for (Index x = 0; x < kernel; ++x) {
      weights.insert(weights.end(), 3, static_cast<float>(tent(y) * tent(x)));
    }
  }

  convtranspose::Convolution2DOpDescriptor descriptor;
  descriptor.stride_in_x = descriptor.stride_in_y = factor;
  descriptor.groups = 3;
  descriptor.data_layout = convtranspose::TensorNamedDataLayout::NHWC;
  descriptor.weights_layout = convtranspose::TensorNamedDataLayout::HWIO;
  const Index padding = (kernel - factor) / 2 + factor;  // the border is cut off again
  descriptor.set_explicit_padding(padding, padding, padding, padding);

  Image result{image.height * factor, image.width * factor, {}};
  result.pixels.resize(static_cast<std::size_t>(result.height * result.width * 3));
  convtranspose::CallOptions options;
  options.executor = &convtranspose::default_executor();
  convtranspose::convolution_transpose_2d<float>(
      {source.pixels.data(), {1, source.height, source.width, 3}},
      {weights.data(), {kernel, kernel, 1, 3}},
      {result.pixels.data(), {1, result.height, result.width, 3}}, descriptor, options);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const Index factor = argc == 4 ? std::atoi(argv[3]) : 0;
  if (factor < 1 || factor > 64) {
    std::fprintf(stderr, "usage: upsampler IN.ppm OUT.ppm FACTOR, with a factor from 1 to 64\n");
    return 2;
  }
  try {
    const Image image = read(argv[1]);
    write(argv[2], enlarged(image, factor));
    std::printf("%lld x %lld -> %lld x %lld\n", static_cast<long long>(image.width),
                static_cast<long long>(image.height), static_cast<long long>(image.width * factor),
                static_cast<long long>(image.height * factor));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
