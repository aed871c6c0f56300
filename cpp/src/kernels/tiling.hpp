// SPDX-License-Identifier: MIT
// Integer helpers for cutting work up.
#pragma once

#include "isa_unit.hpp"

namespace convtranspose {
namespace {

constexpr Index min_of(Index a, Index b) { return a < b ? a : b; }
constexpr Index max_of(Index a, Index b) { return a < b ? b : a; }
constexpr Index clamp_to(Index value, Index low, Index high) {
  return max_of(low, min_of(value, high));
}
/// a * b, or the largest number that is safe to go on with; a and b not negative.
constexpr Index saturated(Index a, Index b) {
  constexpr Index most = Index{1} << 60;
  return a != 0 && b > most / a ? most : a * b;
}
/// Rounded up; a and b not negative.
constexpr Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }
constexpr Index round_up(Index a, Index b) { return ceil_div(a, b) * b; }
/// Rounded down, also for a < 0.
constexpr Index floor_div(Index a, Index b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
/// a - b * floor_div(a, b)
constexpr Index modulo(Index a, Index b) { return a - b * floor_div(a, b); }

struct Span {
  Index begin, end;
  constexpr Index size() const { return end - begin; }
};

/// Part number `part` of `count` things cut into pieces of `size`.
constexpr Span piece(Index part, Index size, Index count) {
  return {part * size, min_of((part + 1) * size, count)};
}

/// The source positions that meet results in [begin, end).
constexpr Span sources_of(const Axis& a, Index begin, Index end) {
  const Index reach = (a.kernel - 1) * a.dilation;
  const Index first = max_of(0, -floor_div(-(begin + a.pad - reach), a.stride));
  const Index last = min_of(a.source, floor_div(end - 1 + a.pad, a.stride) + 1);
  return {first, max_of(first, last)};
}

/// A kernel's own numbers in a schedule.
template <class Tile>
Tile& tile_of(Schedule& s) {
  static_assert(sizeof(Tile) <= sizeof s.tile);
  return *reinterpret_cast<Tile*>(s.tile);
}
template <class Tile>
const Tile& tile_of(const Schedule& s) {
  return *reinterpret_cast<const Tile*>(s.tile);
}

/// Memory handed out piece by piece, each on a cache line of its own.
class Arena {
 public:
  explicit Arena(void* memory) : next_(static_cast<char*>(memory)) {}
  template <class S>
  S* take(Index count) {
    S* p = reinterpret_cast<S*>(next_);
    next_ += round_up(count * static_cast<Index>(sizeof(S)), 64);
    return p;
  }

 private:
  char* next_;
};
template <class S>
constexpr Index arena_bytes(Index count) {
  return round_up(count * static_cast<Index>(sizeof(S)), 64);
}

}  // namespace
}  // namespace convtranspose
