// SPDX-License-Identifier: MIT
// The inner loop of stencils whose lanes are channels.
#pragma once

#include "depthwise_lanes.hpp"
#include "depthwise_registers.hpp"

namespace convtranspose {
namespace {

/// The input of place 0 and the weights of one tap, at channel 0.
template <class S>
struct ChannelTap {
  const S* data;
  const S* weights;
};

template <class S>
struct ChannelSums {
  const ChannelTap<S>* taps;
  Index count;
  const S* first;  // what sums start from, at channel 0; nullptr for 0
  bool add;        // to what the output holds
  bool around;     // stores go around the caches
};

/// P pixels x W vectors of channels.
template <class S, int P, int W>
struct PixelSums {
  Vectors<S, W> head;
  PixelSums<S, P - 1, W> tail;

  EIGEN_ALWAYS_INLINE void set(const Vectors<S, W>& value) {
    head = value;
    tail.set(value);
  }
  EIGEN_ALWAYS_INLINE void fma(const Vectors<S, W>& w, const S* data, Index step) {
    head.fma_each(w, data);
    tail.fma(w, data + step, step);
  }
  EIGEN_ALWAYS_INLINE void add(const S* p, Index step) {
    head.add(p);
    tail.add(p + step, step);
  }
  EIGEN_ALWAYS_INLINE void store(S* p, Index step) const {
    head.store(p);
    tail.store(p + step, step);
  }
  EIGEN_ALWAYS_INLINE void stream_to(S* p, Index step) const {
    head.stream_to(p);
    tail.stream_to(p + step, step);
  }
};
template <class S, int W>
struct PixelSums<S, 0, W> {
  EIGEN_ALWAYS_INLINE void set(const Vectors<S, W>&) {}
  EIGEN_ALWAYS_INLINE void fma(const Vectors<S, W>&, const S*, Index) {}
  EIGEN_ALWAYS_INLINE void add(const S*, Index) {}
  EIGEN_ALWAYS_INLINE void store(S*, Index) const {}
  EIGEN_ALWAYS_INLINE void stream_to(S*, Index) const {}
};

template <class S, int P, int W>
EIGEN_ALWAYS_INLINE void channel_block(const ChannelSums<S>& s, Index c, Index in, Index in_step,
                                       S* out, Index out_step) {
  Vectors<S, W> first;
  if (s.first != nullptr) {
    first.load(s.first + c);
  } else {
    first.set(S{0});
  }
  PixelSums<S, P, W> sums;
  sums.set(first);
  const ChannelTap<S>* const end = s.taps + s.count;
  for (const ChannelTap<S>* tap = s.taps; tap != end; ++tap) {
    Vectors<S, W> w;
    w.load(tap->weights + c);
    sums.fma(w, tap->data + in + c, in_step);
  }
  if (s.around) {
    sums.stream_to(out + c, out_step);
  } else {
    if (s.add) sums.add(out + c, out_step);
    sums.store(out + c, out_step);
  }
}

/// All channels, at least one vector of them: by twos, then one, then the last ones once more.
template <class S, int P>
void channel_blocks(const ChannelSums<S>& s, Index channels, Index in, Index in_step, S* out,
                    Index out_step) {
  constexpr Index n = Vec<S>::kSize;
  Index c = 0;
  for (; c + 2 * n <= channels; c += 2 * n) {
    channel_block<S, P, 2>(s, c, in, in_step, out, out_step);
  }
  if (c + n <= channels) {
    channel_block<S, P, 1>(s, c, in, in_step, out, out_step);
    c += n;
  }
  if (c < channels) {
    // Channels that are done already get the same values again; sums that are added up would not.
    S rest[P * n];
    ChannelSums<S> fresh = s;
    fresh.add = false;
    fresh.around = false;
    const Index last = channels - n;
    channel_block<S, P, 1>(fresh, last, in, in_step, rest - last, n);
    for (int i = 0; i < P; ++i) {
      for (Index k = c; k < channels; ++k) {
        S& to = out[i * out_step + k];
        to = s.add ? to + rest[i * n + k - last] : rest[i * n + k - last];
      }
    }
  }
}

}  // namespace
}  // namespace convtranspose
