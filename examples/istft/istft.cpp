// SPDX-License-Identifier: MIT
// istft IN.wav OUT.wav: a sound's short-time Fourier transform and back. The transform is a
// convolution of one row with windowed sines and cosines, (1, 1, 1, samples) to
// (1, 1026, 1, frames); the inverse with its overlap and add is the transposed convolution, with
// weights (1026, 1, 1, 1024) and stride 256. istft --sweep OUT.wav makes a sound to try it on.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "wav.hpp"
#include <convtranspose/convtranspose.hpp>

using convtranspose::Index;
using convtranspose::Shape;

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr Index kWindow = 1024, kHop = 256, kBins = kWindow / 2 + 1;

/// Rows of cos and of -sin of every frequency, under a Hann window. Synthesis counts every
/// frequency twice but the first and the last, which the whole spectrum has once, and divides by
/// what four overlapping squares of the window add up to.
std::vector<float> basis(bool synthesis) {
  std::vector<float> rows(static_cast<std::size_t>(2 * kBins * kWindow));
  for (Index bin = 0; bin < kBins; ++bin) {
    for (Index t = 0; t < kWindow; ++t) {
      // The product is reduced to a whole turn first, where a double has its best precision.
      const double angle = 2 * kPi * static_cast<double>(bin * t % kWindow) / kWindow;
      double weight = 0.5 - 0.5 * std::cos(2 * kPi * static_cast<double>(t) / kWindow);
      if (synthesis) weight *= (bin == 0 || bin == kBins - 1 ? 1.0 : 2.0) / kWindow / 1.5;
      const auto at = static_cast<std::size_t>(bin * kWindow + t);
      rows[at] = static_cast<float>(weight * std::cos(angle));
      rows[at + static_cast<std::size_t>(kBins * kWindow)] =
          static_cast<float>(-weight * std::sin(angle));
    }
  }
  return rows;
}

Sound sweep() {
  Sound sound{16000, {}};
  for (int i = 0; i < 32000; ++i) {
    const double t = i / 16000.0;
    const double fade = std::min({1.0, 20 * t, 20 * (2 - t)});
    sound.samples.push_back(
        static_cast<float>(0.8 * fade * std::sin(2 * kPi * (100 + 1500 * t) * t)));
  }
  return sound;
}

int there_and_back(const std::string& from, const std::string& to) {
  Sound sound = wav::read(from);
  const std::size_t length = sound.samples.size();
  sound.samples.resize((length + kHop - 1) / kHop * kHop);
  const std::vector<float> original = sound.samples;
  const auto samples = static_cast<Index>(original.size());

  // Every sample lies in four frames: those of the ends reach beyond the sound.
  convtranspose::Convolution2DOpDescriptor descriptor;
  descriptor.stride_in_x = kHop;
  descriptor.set_explicit_padding(kWindow - kHop, kWindow - kHop, 0, 0);
  const Shape signal{1, 1, 1, samples}, weights{2 * kBins, 1, 1, kWindow};
  const Shape spectrum = convtranspose::convolution_2d_output_shape(signal, weights, descriptor);

  const std::vector<float> analysis = basis(false), synthesis = basis(true);
  std::vector<float> frames(static_cast<std::size_t>(spectrum[1] * spectrum[3]));
  convtranspose::CallOptions options;
  options.executor = &convtranspose::default_executor();
  convtranspose::convolution_2d<float>({original.data(), signal}, {analysis.data(), weights},
                                       {frames.data(), spectrum}, descriptor, options);
  const auto start = std::chrono::steady_clock::now();
  convtranspose::convolution_transpose_2d<float>(
      {frames.data(), spectrum}, {synthesis.data(), weights}, {sound.samples.data(), signal},
      descriptor, options);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  double noise = 0, power = 0;
  for (std::size_t i = 0; i < original.size(); ++i) {
    noise += std::pow(sound.samples[i] - original[i], 2);
    power += std::pow(original[i], 2);
  }
  const double ratio = 10 * std::log10(power / std::max(noise, 1e-300));
  std::printf("%lld frames back to %.2f s of sound in %.1f ms; it differs by %.0f dB\n",
              static_cast<long long>(spectrum[3]), static_cast<double>(samples) / sound.rate,
              1e3 * elapsed.count(), -ratio);
  sound.samples.resize(length);
  wav::write(to, sound);
  return ratio > 100 ? 0 : 1;  // sums of 1026 floats leave about -125 dB
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: istft IN.wav OUT.wav | istft --sweep OUT.wav\n");
    return 2;
  }
  try {
    if (std::string(argv[1]) == "--sweep") {
      wav::write(argv[2], sweep());
      return 0;
    }
    return there_and_back(argv[1], argv[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
