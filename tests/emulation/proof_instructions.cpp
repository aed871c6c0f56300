// SPDX-License-Identifier: MIT
// Prints a hash of what AVX-512 and AVX512_BF16 instructions compute, or, with "scalar", of what
// plain C++ makes of the same inputs: run.sh compares an emulated run with a native scalar one.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <immintrin.h>
#include <initializer_list>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define AVX512_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))

namespace {

constexpr int kRounds = 2000;

struct Hash {
  uint64_t value = 14695981039346656037u;
  void add(const void* bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
      value = (value ^ static_cast<const uint8_t*>(bytes)[i]) * 1099511628211u;
  }
};

struct Inputs {
  uint32_t seed = 1;
  uint32_t next() {
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8 ^ seed << 11;
  }
  // Exponents near one, so that sums round; every eighth round arbitrary bits but NaN.
  void fill(float* values, bool arbitrary) {
    for (int i = 0; i < 16; i++) {
      uint32_t bits = next();
      if (!arbitrary) bits = (bits & 0x807fffff) | (120 + (bits >> 23) % 12) << 23;
      if ((bits & 0x7f800000) == 0x7f800000) bits &= 0xff800000;
      std::memcpy(values + i, &bits, 4);
    }
  }
};

struct Round {
  float a[16], b[16], c[16];
  uint16_t mask;
};

uint32_t bits_of(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

float from_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

// All NaNs are alike here: which operand's payload survives is not what this proves.
float canonical(float value) { return std::isnan(value) ? from_bits(0x7fc00000) : value; }

float without_denormals(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

uint16_t to_bf16(float value) {
  const uint32_t bits = bits_of(without_denormals(value));
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float from_bf16(uint16_t value) { return without_denormals(from_bits(uint32_t{value} << 16)); }

void scalar(const Round& r, float* fused, float* masked, uint16_t* narrow, float* dot) {
  for (int i = 0; i < 16; i++) {
    fused[i] = std::fma(r.a[i], r.b[i], r.c[i]);
    masked[i] = r.mask >> i & 1 ? r.a[i] : 0.0f;
    narrow[i] = to_bf16(r.a[i]);
    narrow[16 + i] = to_bf16(r.b[i]);
  }
  for (int i = 0; i < 16; i++) {
    const float high = from_bf16(narrow[2 * i + 1]), low = from_bf16(narrow[2 * i]);
    float sum = without_denormals(std::fma(high, high, without_denormals(r.c[i])));
    dot[i] = without_denormals(std::fma(low, low, sum));
  }
}

AVX512 void vector_float(const Round& r, float* fused, float* masked) {
  const __m512 a = _mm512_loadu_ps(r.a), b = _mm512_loadu_ps(r.b), c = _mm512_loadu_ps(r.c);
  _mm512_storeu_ps(fused, _mm512_fmadd_ps(a, b, c));
  std::memset(masked, 0, 64);
  _mm512_mask_storeu_ps(masked, r.mask, _mm512_maskz_loadu_ps(r.mask, r.a));
}

AVX512_BF16 void vector_bf16(const Round& r, uint16_t* narrow, float* dot) {
  const __m512 a = _mm512_loadu_ps(r.a), b = _mm512_loadu_ps(r.b), c = _mm512_loadu_ps(r.c);
  const __m512bh both = _mm512_cvtne2ps_pbh(b, a);
  std::memcpy(narrow, &both, 64);
  const __m256bh first = _mm512_cvtneps_pbh(a);
  if (std::memcmp(narrow, &first, 32) != 0) std::puts("vcvtneps2bf16 and vcvtne2ps2bf16 differ");
  _mm512_storeu_ps(dot, _mm512_dpbf16_ps(c, both, both));
}

}  // namespace

int main(int argc, char** argv) {
  const bool is_scalar = argc > 1 && std::strcmp(argv[1], "scalar") == 0;
  Inputs inputs;
  Hash float_hash, bf16_hash;
  for (int i = 0; i < kRounds; i++) {
    Round round;
    for (float* values : {round.a, round.b, round.c}) inputs.fill(values, i % 8 == 7);
    round.mask = static_cast<uint16_t>(inputs.next());
    float fused[16], masked[16], dot[16];
    uint16_t narrow[32];
    if (is_scalar) {
      scalar(round, fused, masked, narrow, dot);
    } else {
      vector_float(round, fused, masked);
      vector_bf16(round, narrow, dot);
    }
    for (int k = 0; k < 16; k++) fused[k] = canonical(fused[k]), dot[k] = canonical(dot[k]);
    float_hash.add(fused, sizeof fused);
    float_hash.add(masked, sizeof masked);
    bf16_hash.add(narrow, sizeof narrow);
    bf16_hash.add(dot, sizeof dot);
  }
  std::printf("float %016llx\nbf16 %016llx\n", static_cast<unsigned long long>(float_hash.value),
              static_cast<unsigned long long>(bf16_hash.value));
}
