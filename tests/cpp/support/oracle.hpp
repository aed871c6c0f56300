// SPDX-License-Identifier: MIT
// The three sums, written as MPSGraph's definition reads: a loop over all products, each added
// where it belongs. Tensors are dense in NCHW (weights: OIHW) order.
#pragma once

#include "numbers.hpp"
#include "problem.hpp"

namespace testing {

/// body(source index, weights index, result index) of every product.
template <class Body>
void for_each_product(const Problem& p, const Body& body) {
  const Shape s = p.source(), w = p.weights(), r = p.result();
  const auto at = [](const Shape& shape, Index a, Index b, Index c, Index d) {
    return static_cast<std::size_t>(((a * shape[1] + b) * shape[2] + c) * shape[3] + d);
  };
  for (Index n = 0; n < p.batch; ++n) {
    for (Index o = 0; o < s[1]; ++o) {
      for (Index i = 0; i < p.result_channels; ++i) {
        const Index c = o / p.source_channels * p.result_channels + i;
        for (Index y = 0; y < s[2]; ++y) {
          for (Index ky = 0; ky < w[2]; ++ky) {
            const Index ry = y * p.y.stride + ky * p.y.dilation - p.y.leading;
            if (ry < 0 || ry >= r[2]) continue;
            for (Index x = 0; x < s[3]; ++x) {
              for (Index kx = 0; kx < w[3]; ++kx) {
                const Index rx = x * p.x.stride + kx * p.x.dilation - p.x.leading;
                if (rx < 0 || rx >= r[3]) continue;
                body(at(s, n, o, y, x), at(w, o, i, ky, kx), at(r, n, c, ry, rx));
              }
            }
          }
        }
      }
    }
  }
}

inline Numbers zeros(const Shape& shape) {
  return Numbers(static_cast<std::size_t>(count(shape)), 0.0);
}

inline Numbers result_of(const Problem& p, const Numbers& source, const Numbers& weights) {
  Numbers result = zeros(p.result());
  for_each_product(
      p, [&](std::size_t s, std::size_t w, std::size_t r) { result[r] += source[s] * weights[w]; });
  return result;
}

inline Numbers source_gradient_of(const Problem& p, const Numbers& result, const Numbers& weights) {
  Numbers source = zeros(p.source());
  for_each_product(
      p, [&](std::size_t s, std::size_t w, std::size_t r) { source[s] += result[r] * weights[w]; });
  return source;
}

inline Numbers weights_gradient_of(const Problem& p, const Numbers& result, const Numbers& source) {
  Numbers weights = zeros(p.weights());
  for_each_product(
      p, [&](std::size_t s, std::size_t w, std::size_t r) { weights[w] += result[r] * source[s]; });
  return weights;
}

}  // namespace testing
