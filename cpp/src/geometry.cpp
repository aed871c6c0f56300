// SPDX-License-Identifier: MIT
#include "geometry.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "checked.hpp"

namespace convtranspose {
namespace {

using Layout = TensorNamedDataLayout;

constexpr Layout kLayoutNames[] = {Layout::NCHW, Layout::NHWC, Layout::OIHW, Layout::HWIO};
constexpr const char* kLayoutText[] = {"NCHW", "NHWC", "OIHW", "HWIO"};

std::string layout_text(Layout layout) {
  for (int i = 0; i < 4; ++i) {
    if (kLayoutNames[i] == layout) return kLayoutText[i];
  }
  return "layout number " + std::to_string(static_cast<int>(layout));
}

struct Extents {
  Index n, c, y, x;  // weights: o, i, y, x
};

Extents data_extents(const Shape& s, Layout layout) {
  return layout == Layout::NHWC ? Extents{s[0], s[3], s[1], s[2]} : Extents{s[0], s[1], s[2], s[3]};
}

Extents weights_extents(const Shape& s, Layout layout) {
  return layout == Layout::HWIO ? Extents{s[3], s[2], s[0], s[1]} : Extents{s[0], s[1], s[2], s[3]};
}

Shape data_shape(const Extents& e, Layout layout) {
  return layout == Layout::NHWC ? Shape{e.n, e.y, e.x, e.c} : Shape{e.n, e.c, e.y, e.x};
}

std::string number(Index value) { return std::to_string(value); }

/// What the error messages of one axis need.
struct AxisNames {
  const char* extent;    // height
  const char* letter;    // y
  const char* leading;   // padding_top
  const char* trailing;  // padding_bottom
};
constexpr AxisNames kY{"height", "y", "padding_top", "padding_bottom"};
constexpr AxisNames kX{"width", "x", "padding_left", "padding_right"};

/// One axis of the descriptor.
struct AxisParameters {
  Index stride, dilation, leading, trailing;
  PaddingStyle style;
};

AxisParameters parameters_y(const Convolution2DOpDescriptor& d) {
  return {d.stride_in_y, d.dilation_rate_in_y, d.padding_top, d.padding_bottom, d.padding_style};
}
AxisParameters parameters_x(const Convolution2DOpDescriptor& d) {
  return {d.stride_in_x, d.dilation_rate_in_x, d.padding_left, d.padding_right, d.padding_style};
}

bool is_same(PaddingStyle style) {
  return style == PaddingStyle::TfSame || style == PaddingStyle::OnnxSameLower;
}

struct Range {
  Index smallest, largest;
};

/// Sizes of one axis, every step checked for overflow.
class AxisSizes {
 public:
  AxisSizes(std::string_view operation, const AxisNames& names, const NamedShape& weights,
            Index kernel, const AxisParameters& p)
      : operation_(operation), names_(names), p_(p) {
    if (kernel < 1) {
      fail(operation, weights.argument, std::string("a kernel ") + names.extent + " of at least 1",
           to_string(weights.shape));
    }
    const Checked effective = (Checked(kernel) - 1) * p.dilation + 1;
    if (!effective.valid()) {
      fail(operation, std::string("dilation_rate_in_") + names.letter,
           std::string("a dilated kernel ") + names.extent + " below 2**63", number(p.dilation));
    }
    effective_ = effective.value();
    if (p.style != PaddingStyle::Explicit) p_.leading = p_.trailing = 0;
    const Checked padding = Checked(p_.leading) + p_.trailing;
    if (!padding.valid()) {
      fail(operation, names.leading, "paddings whose sum is below 2**63",
           number(p_.leading) + " and " + number(p_.trailing));
    }
    padding_ = padding.value();
  }

  Index effective() const { return effective_; }

  /// The result sizes whose forward convolution gives back `source`.
  Range range(const NamedShape& source_shape, Index source) const {
    const Checked span = (Checked(source) - 1) * p_.stride;
    const Checked largest = span + effective_ + p_.stride - 1;
    if (!span.valid() || !largest.valid()) {
      fail(operation_, source_shape.argument,
           std::string("a ") + names_.extent + " whose result stays below 2**63",
           to_string(source_shape.shape) + " with stride_in_" + names_.letter + " " +
               number(p_.stride) + " and dilation_rate_in_" + names_.letter + " " +
               number(p_.dilation));
    }
    if (is_same(p_.style)) return {span.value() + 1, span.value() + p_.stride};
    const Index smallest = span.value() + effective_ - padding_;
    return {std::max<Index>(smallest, 0), smallest + p_.stride - 1};
  }

  /// The size of a forward convolution of `result`, or -1 where the kernel does not fit.
  Index forward_size(Index result) const {
    if (is_same(p_.style)) return result == 0 ? 0 : (result - 1) / p_.stride + 1;
    const Checked room = Checked(result) + padding_ - effective_;
    return !room.valid() || room.value() < 0 ? -1 : room.value() / p_.stride + 1;
  }

  /// The leading padding; that of the SAME styles depends on the result's size.
  Index leading(Index result) const {
    if (!is_same(p_.style)) return p_.leading;
    // (ceil(result / stride) - 1) * stride + effective - result, written so that it cannot
    // overflow.
    const Index total =
        result == 0 ? 0 : std::max<Index>(0, effective_ - 1 - (result - 1) % p_.stride);
    return p_.style == PaddingStyle::TfSame ? total / 2 : total - total / 2;
  }

  /// That no position overflows, whatever the relation.
  void check_positions(const NamedShape& source_shape, Index source, const NamedShape& result_shape,
                       Index result) const {
    range(source_shape, source);
    if ((Checked(result) + padding_ + p_.stride).valid()) return;
    fail(operation_, result_shape.argument,
         std::string("a ") + names_.extent + " whose sum with the paddings is below 2**63",
         to_string(result_shape.shape));
  }

  void check_relation(const NamedShape& source_shape, Index source, const NamedShape& result_shape,
                      Index result) const {
    const Range r = range(source_shape, source);
    if (r.smallest <= result && result <= r.largest) return;
    const std::string got =
        std::string(names_.extent) + " " + number(result) + " in " + to_string(result_shape.shape);
    const std::string hint = "; strict=False crops or zero-fills the end instead";
    if (r.largest < 0) {
      fail(operation_, result_shape.argument,
           std::string("a ") + names_.extent + " that the paddings leave something of: (" +
               number(source) + " - 1) * stride + (kernel - 1) * dilation + 1 = " +
               number((source - 1) * p_.stride + effective_) + " < padding " + number(padding_),
           got + hint);
    }
    const std::string relation =
        is_same(p_.style)
            ? "ceil(result / stride) = source"
            : "(source - 1) * stride + (kernel - 1) * dilation + 1 <= result + padding <= the same "
              "+ stride - 1";
    fail(operation_, result_shape.argument,
         std::string("a ") + names_.extent + " from " + number(r.smallest) + " to " +
             number(r.largest) + " (" + relation + ", with " + source_shape.argument + " " +
             names_.extent + " " + number(source) + ", stride " + number(p_.stride) +
             ", dilated kernel " + number(effective_) + ", padding " + number(p_.leading) + " + " +
             number(p_.trailing) + ")",
         got + hint);
  }

 private:
  std::string_view operation_;
  const AxisNames& names_;
  AxisParameters p_;
  Index effective_ = 0, padding_ = 0;
};

void check_shape(std::string_view operation, const NamedShape& s) {
  Checked elements = 8;  // bytes of the largest element
  for (Index extent : s.shape) {
    if (extent < 0) fail(operation, s.argument, "extents of at least 0", to_string(s.shape));
    elements = elements * std::max<Index>(extent, 1);
  }
  if (!elements.valid()) {
    fail(operation, s.argument, "a size below 2**63 bytes", to_string(s.shape));
  }
}

/// The same relation between source, taps and result in smaller numbers, so that kernels need not
/// fear a stride of 2**62 that no second source position makes use of.
Axis simplified(Axis a) {
  // With more padding every position would lie before the result, as it does then too.
  a.pad = std::min(a.pad, (a.source - 1) * a.stride + (a.kernel - 1) * a.dilation + 1);
  // Steps beyond the result lead outside whatever their length.
  const Index beyond = a.result + a.pad + 1;
  a.stride = std::min(a.stride, beyond);
  a.dilation = std::min(a.dilation, beyond);
  return a;
}

/// The channel axes of source and weights, which every operation shares.
void check_channels(std::string_view operation, const NamedShape& source, const Extents& s,
                    const NamedShape& weights, const Extents& w,
                    const Convolution2DOpDescriptor& d) {
  if (w.n % d.groups != 0) {
    fail(operation, weights.argument,
         "an O axis that groups = " + number(d.groups) + " divides (" +
             layout_text(d.weights_layout) + ")",
         number(w.n) + " in " + to_string(weights.shape));
  }
  if (s.c != w.n) {
    fail(
        operation, source.argument,
        "as many channels as " + std::string(weights.argument) + " has on its O axis, " +
            number(w.n) + " (" + layout_text(d.weights_layout) + " " + to_string(weights.shape) +
            ")",
        number(s.c) + " channels in " + layout_text(d.data_layout) + " " + to_string(source.shape));
  }
}

Index result_channels(std::string_view operation, const NamedShape& weights, const Extents& w,
                      const Convolution2DOpDescriptor& d) {
  const Checked channels = Checked(w.c) * d.groups;
  if (!channels.valid()) {
    fail(operation, "groups", "groups times the weights' I axis below 2**63",
         number(d.groups) + " with " + to_string(weights.shape));
  }
  return channels.value();
}

}  // namespace

void fail(std::string_view operation, std::string_view argument, const std::string& expected,
          const std::string& got) {
  std::string text(operation);
  text.append(": ").append(argument).append(": expected ").append(expected);
  text.append(", got ").append(got);
  throw std::invalid_argument(text);
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < 4; ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + ")";
}

void check_descriptor(std::string_view operation, const Convolution2DOpDescriptor& d) {
  const auto at_least = [&](const char* field, Index value, Index least) {
    if (value < least) fail(operation, field, "at least " + number(least), number(value));
  };
  at_least("stride_in_x", d.stride_in_x, 1);
  at_least("stride_in_y", d.stride_in_y, 1);
  at_least("dilation_rate_in_x", d.dilation_rate_in_x, 1);
  at_least("dilation_rate_in_y", d.dilation_rate_in_y, 1);
  at_least("groups", d.groups, 1);
  at_least("padding_left", d.padding_left, 0);
  at_least("padding_right", d.padding_right, 0);
  at_least("padding_top", d.padding_top, 0);
  at_least("padding_bottom", d.padding_bottom, 0);
  if (d.padding_style == PaddingStyle::ExplicitOffset) {
    fail(operation, "padding_style", "EXPLICIT, TF_VALID, TF_SAME or ONNX_SAME_LOWER",
         "EXPLICIT_OFFSET, whose offsets a convolution descriptor has no field for");
  }
  const int style = static_cast<int>(d.padding_style);
  if (style < 0 || style > 4) {
    fail(operation, "padding_style", "EXPLICIT, TF_VALID, TF_SAME or ONNX_SAME_LOWER",
         number(style));
  }
  if (d.data_layout != Layout::NCHW && d.data_layout != Layout::NHWC) {
    fail(operation, "data_layout", "NCHW or NHWC", layout_text(d.data_layout));
  }
  if (d.weights_layout != Layout::OIHW && d.weights_layout != Layout::HWIO) {
    fail(operation, "weights_layout", "OIHW or HWIO", layout_text(d.weights_layout));
  }
}

Problem resolve(std::string_view operation, const Tensors3& t, const Convolution2DOpDescriptor& d,
                bool strict) {
  check_descriptor(operation, d);
  for (const NamedShape* s : {&t.source, &t.weights, &t.result}) check_shape(operation, *s);
  const Extents s = data_extents(t.source.shape, d.data_layout);
  const Extents w = weights_extents(t.weights.shape, d.weights_layout);
  const Extents r = data_extents(t.result.shape, d.data_layout);
  check_channels(operation, t.source, s, t.weights, w, d);
  if (r.n != s.n) {
    fail(operation, t.result.argument,
         "the batch of " + std::string(t.source.argument) + ", " + number(s.n),
         number(r.n) + " in " + to_string(t.result.shape));
  }
  const Index channels = result_channels(operation, t.weights, w, d);
  if (r.c != channels) {
    fail(operation, t.result.argument,
         number(channels) + " channels (groups " + number(d.groups) + " times the I axis, " +
             number(w.c) + ", of " + layout_text(d.weights_layout) + " " +
             to_string(t.weights.shape) + ")",
         number(r.c) + " channels in " + layout_text(d.data_layout) + " " +
             to_string(t.result.shape));
  }
  if (s.y < 1 || s.x < 1) {
    fail(operation, t.source.argument, "a height and width of at least 1",
         to_string(t.source.shape));
  }
  const AxisSizes y(operation, kY, t.weights, w.y, parameters_y(d));
  const AxisSizes x(operation, kX, t.weights, w.x, parameters_x(d));
  if (strict) {
    y.check_relation(t.source, s.y, t.result, r.y);
    x.check_relation(t.source, s.x, t.result, r.x);
  } else {
    y.check_positions(t.source, s.y, t.result, r.y);
    x.check_positions(t.source, s.x, t.result, r.x);
  }
  return {s.n,
          d.groups,
          w.n / d.groups,
          w.c,
          simplified({s.y, r.y, w.y, d.stride_in_y, d.dilation_rate_in_y, y.leading(r.y)}),
          simplified({s.x, r.x, w.x, d.stride_in_x, d.dilation_rate_in_x, x.leading(r.x)})};
}

ShapeRange result_range(std::string_view operation, const NamedShape& source,
                        const NamedShape& weights, const Convolution2DOpDescriptor& d) {
  check_descriptor(operation, d);
  check_shape(operation, source);
  check_shape(operation, weights);
  const Extents s = data_extents(source.shape, d.data_layout);
  const Extents w = weights_extents(weights.shape, d.weights_layout);
  check_channels(operation, source, s, weights, w, d);
  if (s.y < 1 || s.x < 1) {
    fail(operation, source.argument, "a height and width of at least 1", to_string(source.shape));
  }
  const Index channels = result_channels(operation, weights, w, d);
  const AxisSizes y(operation, kY, weights, w.y, parameters_y(d));
  const AxisSizes x(operation, kX, weights, w.x, parameters_x(d));
  const Range ry = y.range(source, s.y), rx = x.range(source, s.x);
  if (ry.largest < 0 || rx.largest < 0) {
    const bool in_y = ry.largest < 0;
    fail(operation, in_y ? kY.leading : kX.leading,
         "paddings that leave a result of at least 0, at most " +
             number(in_y ? (s.y - 1) * d.stride_in_y + y.effective() + d.stride_in_y - 1
                         : (s.x - 1) * d.stride_in_x + x.effective() + d.stride_in_x - 1) +
             " in all",
         in_y ? number(d.padding_top) + " + " + number(d.padding_bottom)
              : number(d.padding_left) + " + " + number(d.padding_right));
  }
  return {data_shape({s.n, channels, ry.smallest, rx.smallest}, d.data_layout),
          data_shape({s.n, channels, ry.largest, rx.largest}, d.data_layout)};
}

Shape source_shape(std::string_view operation, const NamedShape& weights, const NamedShape& result,
                   const Convolution2DOpDescriptor& d) {
  check_descriptor(operation, d);
  check_shape(operation, weights);
  check_shape(operation, result);
  const Extents w = weights_extents(weights.shape, d.weights_layout);
  const Extents r = data_extents(result.shape, d.data_layout);
  const AxisSizes y(operation, kY, weights, w.y, parameters_y(d));
  const AxisSizes x(operation, kX, weights, w.x, parameters_x(d));
  const Index sy = y.forward_size(r.y), sx = x.forward_size(r.x);
  if (sy < 1 || sx < 1) {
    fail(operation, result.argument,
         "a padded height and width of at least the dilated kernel's, " + number(y.effective()) +
             " and " + number(x.effective()),
         to_string(result.shape));
  }
  return data_shape({r.n, w.n, sy, sx}, d.data_layout);
}

DataStrides data_strides(const Shape& s, Layout layout) noexcept {
  return layout == Layout::NHWC ? DataStrides{s[0], s[3], s[1], s[2]}
                                : DataStrides{s[0], s[1], s[2], s[3]};
}

WeightsStrides weights_strides(const Shape& s, Layout layout) noexcept {
  return layout == Layout::HWIO ? WeightsStrides{s[3], s[2], s[0], s[1]}
                                : WeightsStrides{s[0], s[1], s[2], s[3]};
}

}  // namespace convtranspose
