// SPDX-License-Identifier: MIT
#include "geometry.hpp"

#include <algorithm>

#include "checked.hpp"

namespace convtranspose {
namespace {

using Layout = TensorNamedDataLayout;

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

/// The channel axes of source and weights, which every operation shares.
void check_channels(std::string_view operation, const NamedShape& source, const Extents& s,
                    const NamedShape& weights, const Extents& w,
                    const Convolution2DOpDescriptor& d) {
  if (w.n % d.groups != 0) {
    fail(operation, weights.argument,
         "an O axis that groups = " + std::to_string(d.groups) + " divides (" +
             layout_text(d.weights_layout) + ")",
         std::to_string(w.n) + " in " + to_string(weights.shape));
  }
  if (s.c != w.n) {
    fail(operation, source.argument,
         "as many channels as " + std::string(weights.argument) + " has on its O axis, " +
             std::to_string(w.n) + " (" + layout_text(d.weights_layout) + " " +
             to_string(weights.shape) + ")",
         std::to_string(s.c) + " channels in " + layout_text(d.data_layout) + " " +
             to_string(source.shape));
  }
}

Index result_channels(std::string_view operation, const NamedShape& weights, const Extents& w,
                      const Convolution2DOpDescriptor& d) {
  const Checked channels = Checked(w.c) * d.groups;
  if (!channels.valid()) {
    fail(operation, "groups", "groups times the weights' I axis below 2**63",
         std::to_string(d.groups) + " with " + to_string(weights.shape));
  }
  return channels.value();
}

}  // namespace

void check_descriptor(std::string_view operation, const Convolution2DOpDescriptor& d) {
  const auto at_least = [&](const char* field, Index value, Index least) {
    if (value < least)
      fail(operation, field, "at least " + std::to_string(least), std::to_string(value));
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
         std::to_string(style));
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
         "the batch of " + std::string(t.source.argument) + ", " + std::to_string(s.n),
         std::to_string(r.n) + " in " + to_string(t.result.shape));
  }
  const Index channels = result_channels(operation, t.weights, w, d);
  if (r.c != channels) {
    fail(operation, t.result.argument,
         std::to_string(channels) + " channels (groups " + std::to_string(d.groups) +
             " times the I axis, " + std::to_string(w.c) + ", of " + layout_text(d.weights_layout) +
             " " + to_string(t.weights.shape) + ")",
         std::to_string(r.c) + " channels in " + layout_text(d.data_layout) + " " +
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
  const SizeRange ry = y.range(source, s.y), rx = x.range(source, s.x);
  if (ry.largest < 0 || rx.largest < 0) {
    const bool in_y = ry.largest < 0;
    fail(operation, in_y ? kY.leading : kX.leading,
         "paddings that leave a result of at least 0, at most " +
             std::to_string(in_y ? (s.y - 1) * d.stride_in_y + y.effective() + d.stride_in_y - 1
                                 : (s.x - 1) * d.stride_in_x + x.effective() + d.stride_in_x - 1) +
             " in all",
         in_y ? std::to_string(d.padding_top) + " + " + std::to_string(d.padding_bottom)
              : std::to_string(d.padding_left) + " + " + std::to_string(d.padding_right));
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
         "a padded height and width of at least the dilated kernel's, " +
             std::to_string(y.effective()) + " and " + std::to_string(x.effective()),
         to_string(result.shape));
  }
  return data_shape({r.n, w.n, sy, sx}, d.data_layout);
}

}  // namespace convtranspose
