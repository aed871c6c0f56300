// SPDX-License-Identifier: MIT
// Sums of exactly the terms that exist, one number at a time: for weights or data that are not
// finite, where a padding zero would make a NaN that is not in the definition.
#pragma once

#include "tiling.hpp"

namespace convtranspose {
namespace {

/// One number of the result (forward) or of the source's gradient.
template <class T, bool kForward>
class CarefulStencil {
  using S = Sum<T>;

 public:
  CarefulStencil(const Request& r, const Tensors& t) : r_(r), p_(r.problem), t_(t) {}

  void store(Index n, Index group, Index output, Index y, Index x) const {
    const Index outputs = kForward ? p_.result_channels : p_.source_channels;
    const Index inputs = kForward ? p_.source_channels : p_.result_channels;
    const DataStrides& in = kForward ? r_.source : r_.result;
    const DataStrides& out = kForward ? r_.result : r_.source;
    const Index channel = group * outputs + output;
    const Epilogue& e = t_.epilogue;
    S sum = e.bias == nullptr ? S{0} : static_cast<const S*>(e.bias)[channel];
    for (Index ky = 0; ky < p_.y.kernel; ++ky) {
      const Index row = input(p_.y, y, ky);
      if (row < 0) continue;
      for (Index kx = 0; kx < p_.x.kernel; ++kx) {
        const Index column = input(p_.x, x, kx);
        if (column < 0) continue;
        for (Index k = 0; k < inputs; ++k) {
          const T* from = static_cast<const T*>(kForward ? t_.source : t_.result) + n * in.n +
                          (group * inputs + k) * in.c + row * in.y + column * in.x;
          const Index o = group * p_.source_channels + (kForward ? k : output);
          const T* w = static_cast<const T*>(t_.weights) + o * r_.weights.o +
                       (kForward ? output : k) * r_.weights.i + ky * r_.weights.y +
                       kx * r_.weights.x;
          sum += widen(*from) * widen(*w);
        }
      }
    }
    static_cast<T*>(t_.output)[n * out.n + channel * out.c + y * out.y + x * out.x] =
        round_to<T>(activate(sum, e));
  }

 private:
  /// The input that an output meets through a tap, or -1.
  static Index input(const Axis& a, Index output, Index tap) {
    if (kForward) {
      const Index at = output + a.pad - tap * a.dilation;
      return at >= 0 && at % a.stride == 0 && at / a.stride < a.source ? at / a.stride : -1;
    }
    const Index at = output * a.stride + tap * a.dilation - a.pad;
    return at < a.result ? max_of(at, -1) : -1;
  }

  const Request& r_;
  const Problem& p_;
  const Tensors& t_;
};

/// One weight's gradient.
template <class T>
T careful_weight(const Request& r, const Tensors& t, Index o, Index i, Index ky, Index kx) {
  using S = Sum<T>;
  const Problem& p = r.problem;
  const Index channel = o / p.source_channels * p.result_channels + i;
  S total{0};
  for (Index n = 0; n < p.batch; ++n) {
    for (Index sy = 0; sy < p.y.source; ++sy) {
      const Index y = sy * p.y.stride + ky * p.y.dilation - p.y.pad;
      if (y < 0 || y >= p.y.result) continue;
      const T* source =
          static_cast<const T*>(t.source) + n * r.source.n + o * r.source.c + sy * r.source.y;
      const T* result =
          static_cast<const T*>(t.result) + n * r.result.n + channel * r.result.c + y * r.result.y;
      S sum{0};
      for (Index sx = 0; sx < p.x.source; ++sx) {
        const Index x = sx * p.x.stride + kx * p.x.dilation - p.x.pad;
        if (x < 0 || x >= p.x.result) continue;
        sum += widen(source[sx * r.source.x]) * widen(result[x * r.result.x]);
      }
      total += sum;
    }
  }
  return round_to<T>(total);
}

}  // namespace
}  // namespace convtranspose
