// SPDX-License-Identifier: MIT
// One axis of a transposed convolution as phases with few taps each, cut into tiles. With s the
// stride and p the padding, phase r has the taps r, r + s, r + 2 s, ...
//   forward        results o = q s + r - p; taps meet the sources q, q - 1, q - 2, ...
//   data gradient  results q; taps meet the positions q s + r - p, (q + 1) s + r - p, ...; the sum
//                  over the phases is the result
// Either way phase r filters inputs (q + shift + t) step + base, t = 0, 1, ..., taps - 1.
#pragma once

#include "tiling.hpp"
#include "winograd_transform.hpp"

namespace convtranspose {
namespace {

constexpr Index kMostPhases = 16;

struct WinogradPhase {
  Index taps, set;
  Span q;  // its results
};

/// Phases of one set read the same transformed tiles.
struct WinogradInputSet {
  Index taps, origin, shift, base;  // origin: the first tile's first q
};

struct WinogradAxis {
  bool forward;
  Index results, inputs, kernel, stride, pad;
  Index m;  // results of a tile
  Index tiles;
  Index phases, sets;
  bool shared;  // the phases' tiles have one origin
  WinogradPhase phase[kMostPhases];
  WinogradInputSet set[kMostPhases];

  Index input_step() const { return forward ? 1 : stride; }
  Index elements(Index r) const { return elements_of(m, phase[r].taps); }
  Index elements_before(Index r) const {
    Index sum = 0;
    for (Index i = 0; i < r; ++i) sum += elements(i);
    return sum;
  }
  Index elements_of_set(Index i) const { return elements_of(m, set[i].taps); }
  /// Tap number t of a phase, in the order of the inputs.
  Index tap(Index r, Index t) const { return r + (forward ? phase[r].taps - 1 - t : t) * stride; }
  /// Where a phase's result is.
  Index result(Index r, Index q) const { return forward ? q * stride + r - pad : q; }
  /// First input of a set's tile.
  Index first_input(Index i, Index tile) const {
    return (set[i].origin + tile * m + set[i].shift) * input_step() + set[i].base;
  }
  /// Results of the tiles, over all phases.
  Span results_of(Span t) const {
    Index begin = 0;
    if (forward && shared) begin = set[0].origin * stride - pad;
    const Index step = m * (forward ? stride : 1);
    return {clamp_to(begin + t.begin * step, 0, results),
            t.end == tiles ? results : clamp_to(begin + t.end * step, 0, results)};
  }
  /// Inputs of the tiles, over all sets; some may lie outside.
  Span inputs_of(Span t) const {
    Index begin = first_input(0, t.begin), end = begin;
    for (Index i = 0; i < sets; ++i) {
      begin = min_of(begin, first_input(i, t.begin));
      end = max_of(end, first_input(i, t.end - 1) + (elements_of_set(i) - 1) * input_step() + 1);
    }
    return {begin, end};
  }
};

/// Why an axis cannot be done so, or nullptr.
inline const char* winograd_refusal(const Axis& a) {
  if (a.dilation != 1 && a.kernel != 1) return "a dilation other than 1";
  if (a.kernel < a.stride) return "results that no tap reaches";
  if (a.stride > kMostPhases) return "a stride above 16";
  if (ceil_div(a.kernel, a.stride) > kMostTaps) return "phases of more than 3 taps";
  return nullptr;
}

/// The axis with tiles of m results.
inline WinogradAxis winograd_axis(const Axis& a, bool forward, Index m) {
  WinogradAxis w{};
  w.forward = forward;
  w.results = forward ? a.result : a.source;
  w.inputs = forward ? a.source : a.result;
  w.kernel = a.kernel;
  w.stride = a.stride;
  w.pad = a.pad;
  w.m = m;
  w.phases = a.stride;
  Index least = 0, most = 0;
  Index longest = 0;
  for (Index r = 0; r < w.phases; ++r) {
    WinogradPhase& phase = w.phase[r];
    phase.taps = ceil_div(a.kernel - r, a.stride);
    phase.q = {0, w.results};
    if (forward) {
      phase.q = {-floor_div(r - a.pad, a.stride),
                 floor_div(w.results - 1 + a.pad - r, a.stride) + 1};
      phase.q.end = max_of(phase.q.end, phase.q.begin);
    }
    least = r == 0 ? phase.q.begin : min_of(least, phase.q.begin);
    most = r == 0 ? phase.q.end : max_of(most, phase.q.end);
    longest = max_of(longest, phase.q.size());
  }
  w.tiles = ceil_div(longest, m);
  w.shared = ceil_div(most - least, m) <= w.tiles;
  for (Index r = 0; r < w.phases; ++r) {
    WinogradPhase& phase = w.phase[r];
    const WinogradInputSet set{phase.taps, w.shared ? least : phase.q.begin,
                               forward ? 1 - phase.taps : 0, forward ? 0 : r - a.pad};
    Index i = 0;
    while (i < w.sets && (w.set[i].taps != set.taps || w.set[i].origin != set.origin ||
                          w.set[i].base != set.base)) {
      ++i;
    }
    w.set[i] = set;
    w.sets = max_of(w.sets, i + 1);
    phase.set = i;
  }
  return w;
}

/// Multiplications of one row of results, over all phases.
inline Index multiplications(const WinogradAxis& w) {
  Index sum = 0;
  for (Index r = 0; r < w.phases; ++r) sum += w.elements(r) * w.tiles;
  return sum;
}

/// Largest tiles of a level, by the taps of the longest phase. F(3, 3), F(4, 2) and F(4, 3) have
/// points besides 0, 1 and -1, and several times the error.
constexpr Index largest_tile(Index taps, FastMath level) {
  if (taps == 1) return 1;
  if (level == FastMath::Aggressive) return 4;
  return taps == 2 ? 3 : 2;
}

/// The axis with the tiles that multiply least.
inline WinogradAxis best_winograd_axis(const Axis& a, bool forward, FastMath level) {
  const Index taps = ceil_div(a.kernel, a.stride);
  WinogradAxis best = winograd_axis(a, forward, 1);
  for (Index m = 2; m <= largest_tile(taps, level); ++m) {
    const WinogradAxis other = winograd_axis(a, forward, m);
    if (multiplications(other) <= multiplications(best)) best = other;
  }
  return best;
}

}  // namespace
}  // namespace convtranspose
