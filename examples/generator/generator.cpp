// SPDX-License-Identifier: MIT
// generator OUT.ppm: a generator of the DCGAN kind, with random weights: a chain of plans that have
// bias and activation built in, on memory that is allocated once.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <new>
#include <random>
#include <vector>

#include <convtranspose/convtranspose.hpp>

using convtranspose::Activation;
using convtranspose::Index;
using convtranspose::Shape;

namespace {

using Plan = convtranspose::ConvolutionTranspose2DPlan<float>;
using Memory = std::vector<float>;

struct Layer {
  Index channels_in, channels_out, size_in, size_out, stride, padding;
};
constexpr Layer kLayers[] = {
    {100, 512, 1, 4, 1, 0},  {512, 256, 4, 8, 2, 1}, {256, 128, 8, 16, 2, 1},
    {128, 64, 16, 32, 2, 1}, {64, 3, 32, 64, 2, 1},
};
constexpr Index kKernel = 4;

std::size_t count(const Shape& s) { return static_cast<std::size_t>(s[0] * s[1] * s[2] * s[3]); }

Shape source_shape(const Layer& l) { return {1, l.channels_in, l.size_in, l.size_in}; }
Shape result_shape(const Layer& l) { return {1, l.channels_out, l.size_out, l.size_out}; }

/// Numbers that keep a layer's result about as large as its source.
Memory random(std::mt19937& generator, std::size_t size, double deviation) {
  std::normal_distribution<double> normal(0, deviation);
  Memory numbers(size);
  for (float& n : numbers) n = static_cast<float>(normal(generator));
  return numbers;
}

std::vector<Plan> generator(convtranspose::Algorithm algorithm) {
  std::mt19937 numbers(1);
  std::vector<Plan> plans;
  for (const Layer& l : kLayers) {
    const bool last = l.channels_out == 3;
    const Shape weights_shape{l.channels_in, l.channels_out, kKernel, kKernel};
    // A result element sums about channels_in * (kernel / stride)^2 products.
    const double products = static_cast<double>(l.channels_in) * 16.0 /
                            static_cast<double>(l.stride == 1 ? 16 : l.stride * l.stride);
    const Memory weights = random(numbers, count(weights_shape), std::sqrt(2 / products));
    const Memory bias = random(numbers, static_cast<std::size_t>(l.channels_out), 0.1);
    convtranspose::Convolution2DOpDescriptor descriptor;
    descriptor.stride_in_x = descriptor.stride_in_y = l.stride;
    descriptor.set_explicit_padding(l.padding, l.padding, l.padding, l.padding);
    convtranspose::PlanOptions options;
    options.activation = last ? Activation::tanh() : Activation::relu();
    options.algorithm = algorithm;
    plans.emplace_back(source_shape(l),
                       convtranspose::TensorView<const float>(weights.data(), weights_shape),
                       result_shape(l), descriptor, bias.data(), options);
  }
  return plans;
}

/// All that a run needs besides the plans.
class Arena {
 public:
  Arena(const std::vector<Plan>& plans, convtranspose::Executor& executor) {
    for (const Plan& plan : plans) {
      maps_.emplace_back(count(plan.output_shape()));
      bytes_ = std::max(bytes_, plan.workspace_bytes(&executor));
    }
    options_.executor = &executor;
    workspace_.reset(::operator new(static_cast<std::size_t>(bytes_), kAlignment));
    options_.workspace = workspace_.get();
    options_.workspace_bytes = bytes_;
  }

  /// Allocates nothing, and does not throw.
  const Memory& run(const std::vector<Plan>& plans, const Memory& latent) {
    const Memory* source = &latent;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      plans[i]({source->data(), source_shape(kLayers[i])},
               {maps_[i].data(), plans[i].output_shape()}, options_);
      source = &maps_[i];
    }
    return *source;
  }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Free {
    void operator()(void* p) const noexcept { ::operator delete(p, kAlignment); }
  };
  std::vector<Memory> maps_;
  Index bytes_ = 1;
  std::unique_ptr<void, Free> workspace_;
  convtranspose::RunOptions options_;
};

void write(const char* path, const Memory& image) {
  std::ofstream file(path, std::ios::binary);
  file << "P6\n64 64\n255\n";
  for (std::size_t pixel = 0; pixel < 64 * 64; ++pixel) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const float value = image[channel * 64 * 64 + pixel];
      file.put(static_cast<char>(std::lround(127.5F * (value + 1))));
    }
  }
}

int run(const char* path) {
  const std::vector<Plan> plans = generator(convtranspose::Algorithm::Auto);
  Arena arena(plans, convtranspose::default_executor());
  std::mt19937 numbers(2);
  const Memory latent = random(numbers, 100, 1);
  const Memory image = arena.run(plans, latent);
  write(path, image);

  constexpr int kRuns = 10;
  double flops = 0;
  for (const Plan& plan : plans) {
    flops += plan.flops();
    const auto name = to_string(plan.algorithm());
    std::printf("%-9.*s %5.0f MFLOP\n", static_cast<int>(name.size()), name.data(),
                plan.flops() / 1e6);
  }
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kRuns; ++i) arena.run(plans, latent);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("%.2f ms an image, %.0f GFLOP/s\n", 1e3 * elapsed.count() / kRuns,
              flops * kRuns / elapsed.count() / 1e9);

  // The textbook loops in double make the same picture.
  const std::vector<Plan> slow = generator(convtranspose::Algorithm::Reference);
  Arena slow_arena(slow, convtranspose::default_executor());
  const Memory& reference = slow_arena.run(slow, latent);
  double error = 0;
  for (std::size_t i = 0; i < image.size(); ++i) {
    error = std::max(error, std::fabs(static_cast<double>(image[i]) - reference[i]));
  }
  std::printf("largest difference from the textbook loops: %.1e\n", error);
  return error < 1e-4 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: generator OUT.ppm\n");
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
