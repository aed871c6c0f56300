// SPDX-License-Identifier: MIT
// Eigen's GEMM with 16-float packets against a scalar loop, on integers so that sums are exact.
#include <Eigen/Core>

#include <cstdint>
#include <cstdio>

int main() {
  static_assert(Eigen::internal::packet_traits<float>::size == 16, "compile for AVX-512");
  constexpr int kSize = 64;
  Eigen::MatrixXf a(kSize, kSize), b(kSize, kSize);
  uint32_t seed = 1;
  for (auto* matrix : {&a, &b})
    for (float& value : matrix->reshaped())
      value = static_cast<float>((seed = seed * 1664525u + 1013904223u) >> 28) - 8.0f;
  const Eigen::MatrixXf product = a * b;
  int wrong = 0;
  for (int row = 0; row < kSize; row++)
    for (int column = 0; column < kSize; column++) {
      float sum = 0.0f;
      for (int k = 0; k < kSize; k++) sum += a(row, k) * b(k, column);
      wrong += sum != product(row, column);
    }
  std::printf("gemm: %d of %d elements wrong\n", wrong, kSize * kSize);
  return wrong != 0;
}
