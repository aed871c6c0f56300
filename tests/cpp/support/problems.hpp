// SPDX-License-Identifier: MIT
// Problems that tests go through: one of every class, and as many random ones as wanted.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "problem.hpp"

namespace testing {

/// One axis of each kind: plain, strided with overlap, without, with gaps; dilated; padded more on
/// one side than the other, beyond the kernel; with results that no tap reaches.
inline std::vector<AxisProblem> axis_classes() {
  return {
      // source, kernel, stride, dilation, leading, trailing, extra
      {5, 1, 1, 1, 0, 0, 0}, {6, 3, 1, 1, 1, 1, 0}, {5, 3, 2, 1, 1, 1, 1}, {4, 2, 2, 1, 0, 0, 0},
      {5, 4, 2, 1, 1, 1, 0}, {3, 2, 4, 1, 0, 0, 3}, {4, 3, 1, 2, 2, 1, 0}, {3, 3, 2, 3, 0, 4, 1},
      {4, 5, 3, 2, 3, 0, 2}, {1, 4, 3, 1, 0, 2, 2}, {7, 2, 1, 5, 5, 0, 0}, {3, 1, 3, 1, 0, 0, 2},
      {9, 7, 1, 1, 6, 6, 0}, {2, 9, 8, 1, 4, 4, 5},
  };
}

struct Channels {
  Index groups, source, result;
};
inline std::vector<Channels> channel_classes() {
  return {{1, 1, 1}, {1, 3, 2}, {2, 2, 3}, {5, 1, 1}, {3, 1, 4}, {1, 17, 9}, {1, 8, 16}};
}

/// Every class of axis as height and as width, with classes of channels in turn.
inline std::vector<Problem> class_problems() {
  const auto axes = axis_classes();
  const auto channels = channel_classes();
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    for (std::size_t j = 0; j < channels.size(); ++j) {
      Problem p;
      p.batch = static_cast<Index>(1 + (i + j) % 3);
      p.groups = channels[j].groups;
      p.source_channels = channels[j].source;
      p.result_channels = channels[j].result;
      p.y = axes[(i + 5 * j) % axes.size()];
      p.x = axes[i];
      problems.push_back(p);
    }
  }
  return problems;
}

inline Problem random_problem(std::mt19937& generator) {
  const auto draw = [&](Index low, Index high) {
    return low + static_cast<Index>(generator() % static_cast<unsigned>(high - low + 1));
  };
  const auto axis = [&](Index longest) {
    AxisProblem a;
    a.source = draw(1, longest);
    a.kernel = draw(1, 5);
    a.stride = draw(1, 4);
    a.dilation = draw(1, 3);
    const Index all = (a.source - 1) * a.stride + (a.kernel - 1) * a.dilation + 1;
    a.leading = draw(0, std::min<Index>(all - 1, 4));
    a.trailing = draw(0, std::min<Index>(all - 1 - a.leading, 4));
    a.extra = draw(0, a.stride - 1);
    return a;
  };
  Problem p;
  p.batch = draw(1, 3);
  p.groups = draw(1, 3);
  p.source_channels = draw(1, 12);
  p.result_channels = draw(1, 12);
  p.y = axis(6);
  p.x = axis(20);
  p.data_layout = draw(0, 1) == 0 ? Layout::NCHW : Layout::NHWC;
  p.weights_layout = draw(0, 1) == 0 ? Layout::OIHW : Layout::HWIO;
  return p;
}

/// body(problem) for each pair of layouts.
template <class Body>
void for_each_layout(Problem p, const Body& body) {
  for (const Layout data : {Layout::NCHW, Layout::NHWC}) {
    for (const Layout weights : {Layout::OIHW, Layout::HWIO}) {
      p.data_layout = data;
      p.weights_layout = weights;
      body(p);
    }
  }
}

}  // namespace testing
