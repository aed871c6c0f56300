// SPDX-License-Identifier: MIT
// One convolution in plain numbers, named as the transposed operation names them, with the shapes
// and the descriptor that follow from it.
#pragma once

#include <ostream>
#include <sstream>
#include <string>

#include <convtranspose/convtranspose.hpp>

namespace testing {

using convtranspose::Convolution2DOpDescriptor;
using convtranspose::Index;
using convtranspose::Shape;
using Layout = convtranspose::TensorNamedDataLayout;

struct AxisProblem {
  Index source = 1, kernel = 1, stride = 1, dilation = 1, leading = 0, trailing = 0;
  Index extra = 0;  // results beyond the smallest that the relation allows, at most stride - 1

  Index result() const {
    return (source - 1) * stride + (kernel - 1) * dilation + 1 - leading - trailing + extra;
  }
};

struct Problem {
  Index batch = 1, groups = 1;
  Index source_channels = 1, result_channels = 1;  // of one group
  AxisProblem y, x;
  Layout data_layout = Layout::NCHW, weights_layout = Layout::OIHW;

  /// In the orders NCHW and OIHW, whatever the layouts.
  Shape source() const { return {batch, groups * source_channels, y.source, x.source}; }
  Shape weights() const { return {groups * source_channels, result_channels, y.kernel, x.kernel}; }
  Shape result() const { return {batch, groups * result_channels, y.result(), x.result()}; }

  Convolution2DOpDescriptor descriptor() const {
    Convolution2DOpDescriptor d;
    d.stride_in_x = x.stride;
    d.stride_in_y = y.stride;
    d.dilation_rate_in_x = x.dilation;
    d.dilation_rate_in_y = y.dilation;
    d.groups = groups;
    d.set_explicit_padding(x.leading, x.trailing, y.leading, y.trailing);
    d.data_layout = data_layout;
    d.weights_layout = weights_layout;
    return d;
  }
};

inline Index count(const Shape& s) { return s[0] * s[1] * s[2] * s[3]; }

/// A shape or strides in NCHW (OIHW) order as `layout` orders them.
inline Shape permuted(const Shape& s, Layout layout) {
  if (layout == Layout::NHWC) return {s[0], s[2], s[3], s[1]};
  if (layout == Layout::HWIO) return {s[2], s[3], s[1], s[0]};
  return s;
}

inline std::ostream& operator<<(std::ostream& out, const AxisProblem& a) {
  return out << a.source << "k" << a.kernel << "s" << a.stride << "d" << a.dilation << "p"
             << a.leading << "," << a.trailing << "+" << a.extra;
}

inline std::ostream& operator<<(std::ostream& out, const Problem& p) {
  return out << "n" << p.batch << " g" << p.groups << " c" << p.source_channels << ">"
             << p.result_channels << " y" << p.y << " x" << p.x
             << (p.data_layout == Layout::NHWC ? " NHWC" : " NCHW")
             << (p.weights_layout == Layout::HWIO ? " HWIO" : " OIHW");
}

inline std::string text(const Shape& s) {
  std::ostringstream out;
  out << "(" << s[0] << ", " << s[1] << ", " << s[2] << ", " << s[3] << ")";
  return out.str();
}

inline std::string text(const Problem& p) {
  std::ostringstream out;
  out << p;
  return out.str();
}

}  // namespace testing
