// SPDX-License-Identifier: MIT
// WAV files of one channel and 16 bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Sound {
  std::uint32_t rate = 0;
  std::vector<float> samples;  // from -1 to 1
};

namespace wav {

inline void put(std::ofstream& file, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) file.put(static_cast<char>(value >> (8 * i) & 0xFF));
}

inline std::uint32_t get(std::ifstream& file, int bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    value |= static_cast<std::uint32_t>(file.get() & 0xFF) << (8 * i);
  }
  return value;
}

inline void write(const std::string& path, const Sound& sound) {
  std::ofstream file(path, std::ios::binary);
  const auto bytes = static_cast<std::uint32_t>(2 * sound.samples.size());
  file << "RIFF";
  put(file, 36 + bytes, 4);
  file << "WAVEfmt ";
  put(file, 16, 4);  // bytes of the format
  put(file, 1, 2);   // PCM
  put(file, 1, 2);   // channels
  put(file, sound.rate, 4);
  put(file, 2 * sound.rate, 4);  // bytes a second
  put(file, 2, 2);               // bytes a sample
  put(file, 16, 2);              // bits a sample
  file << "data";
  put(file, bytes, 4);
  for (const float sample : sound.samples) {
    const long value = std::lround(std::clamp(sample, -1.0F, 1.0F) * 32767.0F);
    put(file, static_cast<std::uint32_t>(value), 2);
  }
  if (!file) throw std::runtime_error(path + ": cannot be written");
}

inline Sound read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string id(4, ' ');
  const auto next = [&] { return static_cast<bool>(file.read(id.data(), 4)); };
  Sound sound;
  if (!next() || id != "RIFF") throw std::runtime_error(path + ": expected a WAV file");
  get(file, 4);
  next();  // WAVE
  while (next()) {
    const std::uint32_t bytes = get(file, 4);
    if (id == "data") {
      for (std::uint32_t i = 0; i < bytes / 2 && file.peek() != EOF; ++i) {
        const auto value = static_cast<std::int16_t>(get(file, 2));
        sound.samples.push_back(static_cast<float>(value) / 32767.0F);
      }
      break;
    }
    if (id == "fmt ") {
      const std::uint32_t kind = get(file, 2), channels = get(file, 2);
      sound.rate = get(file, 4);
      get(file, 6);
      if (kind != 1 || channels != 1 || get(file, 2) != 16) {
        throw std::runtime_error(path + ": expected one channel of 16-bit samples");
      }
      file.ignore(bytes - 16);
    } else {
      file.ignore(bytes + bytes % 2);
    }
  }
  if (sound.rate == 0 || sound.samples.empty()) {
    throw std::runtime_error(path + ": expected a format and samples");
  }
  return sound;
}

}  // namespace wav
