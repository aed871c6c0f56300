// SPDX-License-Identifier: MIT
// Stencils: groups of so few channels that a matrix multiplication has nothing to hold on to.
#include "depthwise_channels.hpp"
#include "depthwise_channels_weights.hpp"
#include "depthwise_planar.hpp"
#include "depthwise_planar_weights.hpp"

namespace convtranspose::CONVTRANSPOSE_ISA {
namespace {

constexpr Index kMaxPairs = 64, kMaxWeights = 1 << 16;  // of a group
constexpr Index kMaxStaged = 1 << 21;                   // numbers: bounds the workspace

template <class T>
bool channels_can(const Request& r) {
  switch (r.operation) {
    case Operation::Forward:
      return ChannelStencil<T, true>::can(r);
    case Operation::DataGradient:
      return ChannelStencil<T, false>::can(r);
    case Operation::WeightsGradient:
      return ChannelWeights<T>::can(r);
  }
  return false;
}

/// About the numbers that one output row, or the smallest tile of one, has staged.
Index least_staged(const Request& r) {
  const Problem& p = r.problem;
  const bool forward = r.operation == Operation::Forward;
  const Index rows = min_of((p.y.kernel - 1) * p.y.dilation / (forward ? p.y.stride : 1) + 1,
                            forward ? p.y.source : p.y.result);
  const Index together = r.source.c == 1 || r.result.c == 1 ? 16 : 1;
  constexpr Index tile = 128;
  return rows * Columns::slots(p.x, forward) * (tile + Columns::most_span(p.x)) *
         max_of(together, max_of(p.source_channels, p.result_channels));
}

template <class T>
const char* refusal(const Request& r) noexcept {
  const Problem& p = r.problem;
  if (p.batch == 0 || p.source_channels == 0 || p.result_channels == 0 || p.y.result == 0 ||
      p.x.result == 0) {
    return "a sum or result of no elements";
  }
  if (p.source_channels > kMaxPairs / p.result_channels) return "too many channels in a group";
  if (p.y.kernel > kMaxKernel || p.x.kernel > kMaxKernel || p.y.stride > kMaxStride ||
      p.x.stride > kMaxStride) {
    return "a kernel or stride too large for a stencil";
  }
  if (p.y.kernel * p.x.kernel * p.source_channels * p.result_channels > kMaxWeights) {
    return "too many weights in a group";
  }
  if (p.y.dilation > kMaxSpan || p.x.dilation > kMaxSpan ||
      (p.y.kernel - 1) * p.y.dilation > kMaxSpan || (p.x.kernel - 1) * p.x.dilation > kMaxSpan ||
      (!channels_can<T>(r) && least_staged(r) > kMaxStaged)) {
    return "a kernel that reaches too far for a stencil";
  }
  return nullptr;
}

/// The first number of every schedule here says which way it is for.
bool lanes_are_channels(const Schedule& s) { return s.tile[0] != 0; }

template <class T, bool kForward>
struct Stencil {
  using Channels = ChannelStencil<T, kForward>;
  using Pixels = Planar<T, kForward>;

  static void prepare(const Request& r, Schedule& s) noexcept {
    if (Channels::can(r)) {
      Channels::prepare(r, s);
    } else {
      Pixels::prepare(r, s);
    }
  }
  static void pack(const Request& r, const Schedule&, const void* weights, void* packed, Index,
                   Index task) noexcept {
    Channels::pack(r, weights, packed, task);
  }
  static void run(const Request& r, const Schedule& s, const Tensors& tensors, const void* packed,
                  void*, Index, Index job, void* workspace) noexcept {
    if (lanes_are_channels(s)) {
      Channels::run(r, s, tensors, packed, job, workspace);
    } else {
      Pixels::run(r, s, tensors, job, workspace);
    }
  }
};

template <class T>
struct StencilWeights {
  using Channels = ChannelWeights<T>;
  using Pixels = PlanarWeights<T>;

  static void prepare(const Request& r, Schedule& s) noexcept {
    if (Channels::can(r)) {
      Channels::prepare(r, s);
    } else {
      Pixels::prepare(r, s);
    }
  }
  static void run(const Request& r, const Schedule& s, const Tensors& tensors, const void*,
                  void* shared, Index, Index job, void* workspace) noexcept {
    if (lanes_are_channels(s)) {
      Channels::run(r, s, tensors, shared, job, workspace);
    } else {
      Pixels::run(r, s, tensors, shared, job, workspace);
    }
  }
  static void finish(const Request& r, const Schedule& s, const Tensors& tensors,
                     const void* shared, Index task) noexcept {
    if (lanes_are_channels(s)) {
      Channels::finish(r, s, tensors, shared, task);
    } else {
      Pixels::finish(r, s, tensors, shared, task);
    }
  }
};

template <class T, bool kForward>
constexpr Kernel kStencil{refusal<T>, Stencil<T, kForward>::prepare, Stencil<T, kForward>::pack,
                          Stencil<T, kForward>::run, nullptr};
template <class T>
constexpr Kernel kWeights{refusal<T>, StencilWeights<T>::prepare, nullptr, StencilWeights<T>::run,
                          StencilWeights<T>::finish};

}  // namespace

extern const KernelTable depthwise_table;
const KernelTable depthwise_table{{
    {kStencil<float, true>, kStencil<double, true>, kStencil<Float16, true>,
     kStencil<BFloat16, true>},
    {kStencil<float, false>, kStencil<double, false>, kStencil<Float16, false>,
     kStencil<BFloat16, false>},
    {kWeights<float>, kWeights<double>, kWeights<Float16>, kWeights<BFloat16>},
}};

}  // namespace convtranspose::CONVTRANSPOSE_ISA
