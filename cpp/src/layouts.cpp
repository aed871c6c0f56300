// SPDX-License-Identifier: MIT
#include "layouts.hpp"

namespace convtranspose {
namespace {

using Layout = TensorNamedDataLayout;

constexpr Layout kLayoutNames[] = {Layout::NCHW, Layout::NHWC, Layout::OIHW, Layout::HWIO};
constexpr const char* kLayoutText[] = {"NCHW", "NHWC", "OIHW", "HWIO"};

}  // namespace

Extents data_extents(const Shape& s, Layout layout) noexcept {
  return layout == Layout::NHWC ? Extents{s[0], s[3], s[1], s[2]} : Extents{s[0], s[1], s[2], s[3]};
}

Extents weights_extents(const Shape& s, Layout layout) noexcept {
  return layout == Layout::HWIO ? Extents{s[3], s[2], s[0], s[1]} : Extents{s[0], s[1], s[2], s[3]};
}

Shape data_shape(const Extents& e, Layout layout) noexcept {
  return layout == Layout::NHWC ? Shape{e.n, e.y, e.x, e.c} : Shape{e.n, e.c, e.y, e.x};
}

DataStrides data_strides(const Shape& s, Layout layout) noexcept {
  return layout == Layout::NHWC ? DataStrides{s[0], s[3], s[1], s[2]}
                                : DataStrides{s[0], s[1], s[2], s[3]};
}

WeightsStrides weights_strides(const Shape& s, Layout layout) noexcept {
  return layout == Layout::HWIO ? WeightsStrides{s[3], s[2], s[0], s[1]}
                                : WeightsStrides{s[0], s[1], s[2], s[3]};
}

std::string layout_text(Layout layout) {
  for (int i = 0; i < 4; ++i) {
    if (kLayoutNames[i] == layout) return kLayoutText[i];
  }
  return "layout number " + std::to_string(static_cast<int>(layout));
}

}  // namespace convtranspose
