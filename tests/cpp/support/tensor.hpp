// SPDX-License-Identifier: MIT
// A tensor in memory of its own, laid out in one of several ways. Its numbers go in and come out as
// doubles in NCHW (weights: OIHW) order.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "memory.hpp"
#include "numbers.hpp"
#include "problem.hpp"

namespace testing {

enum class Placement {
  Dense,
  Gaps,      // no stride is 1, rows and planes are apart by odd distances
  Reversed,  // the layout's last two axes run backwards
  Turned,    // dense, but the layout's last axis is the slowest of an item
};
constexpr Placement kPlacements[] = {Placement::Dense, Placement::Gaps, Placement::Reversed,
                                     Placement::Turned};

inline Shape placed_strides(const Shape& shape, Placement placement) {
  switch (placement) {
    case Placement::Dense:
      break;
    case Placement::Gaps: {
      Shape strides{0, 0, 0, 2};
      for (std::size_t i = 3; i > 0; --i) strides[i - 1] = strides[i] * shape[i] + 5;
      return strides;
    }
    case Placement::Reversed: {
      Shape strides = convtranspose::dense_strides(shape);
      return {strides[0], strides[1], -strides[2], -strides[3]};
    }
    case Placement::Turned:
      return {shape[1] * shape[2] * shape[3], shape[2], 1, shape[1] * shape[2]};
  }
  return convtranspose::dense_strides(shape);
}

template <class T>
class Tensor {
 public:
  /// `shape` in NCHW or OIHW order.
  Tensor(const Shape& shape, Layout layout, Placement placement = Placement::Dense,
         Where where = Where::Heap)
      : shape_(shape),
        laid_out_(permuted(shape, layout)),
        laid_out_strides_(placed_strides(laid_out_, placement)),
        memory_(bytes(), where, sizeof(T)) {
    // Where each axis of the layout is in NCHW order.
    const Shape axes = permuted({0, 1, 2, 3}, layout);
    for (std::size_t i = 0; i < 4; ++i) {
      strides_[static_cast<std::size_t>(axes[i])] = laid_out_strides_[i];
    }
  }
  Tensor(const Shape& shape, Layout layout, const Numbers& numbers,
         Placement placement = Placement::Dense, Where where = Where::Heap)
      : Tensor(shape, layout, placement, where) {
    for_each([&](std::size_t i, T& element) { element = to_storage<T>(numbers[i]); });
  }

  convtranspose::TensorView<T> view() { return {first(), laid_out_, laid_out_strides_}; }

  Numbers numbers() {
    Numbers values(static_cast<std::size_t>(count(shape_)));
    for_each([&](std::size_t i, T& element) { values[i] = from_storage(element); });
    return values;
  }

  /// Nothing but the elements was written, in the gaps and around.
  bool surroundings_intact() {
    std::vector<bool> element(memory_.size(), false);
    for_each([&](std::size_t, T& e) {
      const auto at = reinterpret_cast<unsigned char*>(&e) - memory_.data();
      std::fill_n(element.begin() + at, sizeof(T), true);
    });
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if (!element[i] && memory_.data()[i] != Memory::kFill) return false;
    }
    return memory_.surroundings_intact();
  }

  /// No element was written either.
  bool untouched() {
    return surroundings_intact() &&
           std::all_of(memory_.data(), memory_.data() + memory_.size(),
                       [](unsigned char byte) { return byte == Memory::kFill; });
  }

 private:
  /// Elements before and after the first one.
  std::pair<Index, Index> reach() const {
    std::pair<Index, Index> r{0, 0};
    for (std::size_t i = 0; i < 4; ++i) {
      const Index step = laid_out_strides_[i] * (laid_out_[i] - 1);
      (step < 0 ? r.first : r.second) += std::abs(step);
    }
    return r;
  }
  std::size_t bytes() const {
    if (count(shape_) == 0) return 0;
    const auto [before, after] = reach();
    return static_cast<std::size_t>(before + after + 1) * sizeof(T);
  }
  T* first() const {
    return reinterpret_cast<T*>(memory_.data()) + (count(shape_) == 0 ? 0 : reach().first);
  }

  template <class Body>
  void for_each(const Body& body) {
    std::size_t i = 0;
    for (Index a = 0; a < shape_[0]; ++a) {
      for (Index b = 0; b < shape_[1]; ++b) {
        for (Index c = 0; c < shape_[2]; ++c) {
          for (Index d = 0; d < shape_[3]; ++d) {
            body(i++,
                 first()[a * strides_[0] + b * strides_[1] + c * strides_[2] + d * strides_[3]]);
          }
        }
      }
    }
  }

  Shape shape_, laid_out_, laid_out_strides_, strides_{};
  Memory memory_;
};

}  // namespace testing
