// SPDX-License-Identifier: MIT
#include "reference.hpp"

#include "chooser.hpp"
#include "convtranspose/half.hpp"
#include "number.hpp"

namespace convtranspose {
namespace {

/// The half-open range of taps t for which position - t * dilation + pad is a source position.
template <class Body>
void for_each_source_of(const Axis& a, Index position, const Body& body) {
  for (Index tap = 0; tap < a.kernel; ++tap) {
    const Index at = position + a.pad - tap * a.dilation;
    if (at >= 0 && at % a.stride == 0 && at / a.stride < a.source) body(tap, at / a.stride);
  }
}

/// The taps of a source position that land inside the result.
template <class Body>
void for_each_result_of(const Axis& a, Index position, const Body& body) {
  for (Index tap = 0; tap < a.kernel; ++tap) {
    const Index at = position * a.stride + tap * a.dilation - a.pad;
    if (at >= 0 && at < a.result) body(tap, at);
  }
}

template <class T>
struct Accessor {
  const Request& r;
  const Tensors& t;

  double source(Index n, Index c, Index y, Index x) const {
    const DataStrides& s = r.source;
    return to_double(static_cast<const T*>(t.source)[n * s.n + c * s.c + y * s.y + x * s.x]);
  }
  double result(Index n, Index c, Index y, Index x) const {
    const DataStrides& s = r.result;
    return to_double(static_cast<const T*>(t.result)[n * s.n + c * s.c + y * s.y + x * s.x]);
  }
  double weight(Index o, Index i, Index y, Index x) const {
    const WeightsStrides& s = r.weights;
    return to_double(static_cast<const T*>(t.weights)[o * s.o + i * s.i + y * s.y + x * s.x]);
  }
};

template <class T>
double bias_of(const Epilogue& e, Index channel) {
  return e.bias == nullptr ? 0.0 : double{static_cast<const Sum<T>*>(e.bias)[channel]};
}

/// One task: one channel of one batch item.
template <class T>
void forward(const Request& r, const Schedule&, const Tensors& t, const void*, void*, Index,
             Index job, void*) noexcept {
  const Problem& p = r.problem;
  const Accessor<T> a{r, t};
  const Index channels = p.groups * p.result_channels;
  const Index n = job / channels, c = job % channels;
  const Index group = c / p.result_channels, i = c % p.result_channels;
  T* out = static_cast<T*>(t.output) + n * r.result.n + c * r.result.c;
  const bool has_terms = !has_no_terms(r);
  for (Index y = 0; y < p.y.result; ++y) {
    for (Index x = 0; x < p.x.result; ++x) {
      double sum = bias_of<T>(t.epilogue, c);
      if (has_terms) {
        for_each_source_of(p.y, y, [&](Index ky, Index sy) {
          for_each_source_of(p.x, x, [&](Index kx, Index sx) {
            for (Index o = group * p.source_channels; o < (group + 1) * p.source_channels; ++o) {
              sum += a.source(n, o, sy, sx) * a.weight(o, i, ky, kx);
            }
          });
        });
      }
      out[y * r.result.y + x * r.result.x] = from_double<T>(activate(sum, t.epilogue));
    }
  }
}

template <class T>
void data_gradient(const Request& r, const Schedule&, const Tensors& t, const void*, void*, Index,
                   Index job, void*) noexcept {
  const Problem& p = r.problem;
  const Accessor<T> a{r, t};
  const Index channels = p.groups * p.source_channels;
  const Index n = job / channels, o = job % channels;
  const Index first = o / p.source_channels * p.result_channels;
  T* out = static_cast<T*>(t.output) + n * r.source.n + o * r.source.c;
  const bool has_terms = !has_no_terms(r);
  for (Index y = 0; y < p.y.source; ++y) {
    for (Index x = 0; x < p.x.source; ++x) {
      double sum = bias_of<T>(t.epilogue, o);
      if (has_terms) {
        for_each_result_of(p.y, y, [&](Index ky, Index ry) {
          for_each_result_of(p.x, x, [&](Index kx, Index rx) {
            for (Index i = 0; i < p.result_channels; ++i) {
              sum += a.result(n, first + i, ry, rx) * a.weight(o, i, ky, kx);
            }
          });
        });
      }
      out[y * r.source.y + x * r.source.x] = from_double<T>(activate(sum, t.epilogue));
    }
  }
}

/// One task: the taps of one pair of channels.
template <class T>
void weights_gradient(const Request& r, const Schedule&, const Tensors& t, const void*, void*,
                      Index, Index job, void*) noexcept {
  const Problem& p = r.problem;
  const Accessor<T> a{r, t};
  const Index o = job / p.result_channels, i = job % p.result_channels;
  const Index c = o / p.source_channels * p.result_channels + i;
  T* out = static_cast<T*>(t.output) + o * r.weights.o + i * r.weights.i;
  for (Index ky = 0; ky < p.y.kernel; ++ky) {
    for (Index kx = 0; kx < p.x.kernel; ++kx) {
      double sum = 0;
      for (Index n = 0; n < p.batch; ++n) {
        for (Index sy = 0; sy < p.y.source; ++sy) {
          const Index y = sy * p.y.stride + ky * p.y.dilation - p.y.pad;
          if (y < 0 || y >= p.y.result) continue;
          for (Index sx = 0; sx < p.x.source; ++sx) {
            const Index x = sx * p.x.stride + kx * p.x.dilation - p.x.pad;
            if (x >= 0 && x < p.x.result) sum += a.result(n, c, y, x) * a.source(n, o, sy, sx);
          }
        }
      }
      out[ky * r.weights.y + kx * r.weights.x] = from_double<T>(sum);
    }
  }
}

const char* never(const Request&) noexcept { return nullptr; }

void prepare(const Request& r, Schedule& s) noexcept {
  const Problem& p = r.problem;
  switch (r.operation) {
    case Operation::Forward:
      s.jobs = p.batch * p.groups * p.result_channels;
      break;
    case Operation::DataGradient:
      s.jobs = p.batch * p.groups * p.source_channels;
      break;
    case Operation::WeightsGradient:
      s.jobs = p.groups * p.source_channels * p.result_channels;
      break;
  }
}

template <class T>
constexpr Kernel kForward{never, prepare, nullptr, forward<T>, nullptr};
template <class T>
constexpr Kernel kDataGradient{never, prepare, nullptr, data_gradient<T>, nullptr};
template <class T>
constexpr Kernel kWeightsGradient{never, prepare, nullptr, weights_gradient<T>, nullptr};

constexpr KernelTable kTable{{
    {kForward<float>, kForward<double>, kForward<Float16>, kForward<BFloat16>},
    {kDataGradient<float>, kDataGradient<double>, kDataGradient<Float16>, kDataGradient<BFloat16>},
    {kWeightsGradient<float>, kWeightsGradient<double>, kWeightsGradient<Float16>,
     kWeightsGradient<BFloat16>},
}};

}  // namespace

const KernelTable& reference_table() noexcept { return kTable; }

}  // namespace convtranspose
