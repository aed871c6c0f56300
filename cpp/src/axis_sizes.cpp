// SPDX-License-Identifier: MIT
#include "axis_sizes.hpp"

#include <algorithm>

#include "checked.hpp"
#include "errors.hpp"

namespace convtranspose {
namespace {

bool is_same(PaddingStyle style) {
  return style == PaddingStyle::TfSame || style == PaddingStyle::OnnxSameLower;
}

}  // namespace

AxisParameters parameters_y(const Convolution2DOpDescriptor& d) noexcept {
  return {d.stride_in_y, d.dilation_rate_in_y, d.padding_top, d.padding_bottom, d.padding_style};
}
AxisParameters parameters_x(const Convolution2DOpDescriptor& d) noexcept {
  return {d.stride_in_x, d.dilation_rate_in_x, d.padding_left, d.padding_right, d.padding_style};
}

AxisSizes::AxisSizes(std::string_view operation, const AxisNames& names, const NamedShape& weights,
                     Index kernel, const AxisParameters& p)
    : operation_(operation), names_(names), p_(p) {
  if (kernel < 1) {
    fail(operation, weights.argument, std::string("a kernel ") + names.extent + " of at least 1",
         to_string(weights.shape));
  }
  const Checked effective = (Checked(kernel) - 1) * p.dilation + 1;
  if (!effective.valid()) {
    fail(operation, std::string("dilation_rate_in_") + names.letter,
         std::string("a dilated kernel ") + names.extent + " below 2**63",
         std::to_string(p.dilation));
  }
  effective_ = effective.value();
  if (p.style != PaddingStyle::Explicit) p_.leading = p_.trailing = 0;
  const Checked padding = Checked(p_.leading) + p_.trailing;
  if (!padding.valid()) {
    fail(operation, names.leading, "paddings whose sum is below 2**63",
         std::to_string(p_.leading) + " and " + std::to_string(p_.trailing));
  }
  padding_ = padding.value();
}

SizeRange AxisSizes::range(const NamedShape& source_shape, Index source) const {
  const Checked span = (Checked(source) - 1) * p_.stride;
  const Checked largest = span + effective_ + p_.stride - 1;
  if (!span.valid() || !largest.valid()) {
    fail(operation_, source_shape.argument,
         std::string("a ") + names_.extent + " whose result stays below 2**63",
         to_string(source_shape.shape) + " with stride_in_" + names_.letter + " " +
             std::to_string(p_.stride) + " and dilation_rate_in_" + names_.letter + " " +
             std::to_string(p_.dilation));
  }
  if (is_same(p_.style)) return {span.value() + 1, span.value() + p_.stride};
  const Index smallest = span.value() + effective_ - padding_;
  return {std::max<Index>(smallest, 0), smallest + p_.stride - 1};
}

Index AxisSizes::forward_size(Index result) const noexcept {
  if (is_same(p_.style)) return result == 0 ? 0 : (result - 1) / p_.stride + 1;
  const Checked room = Checked(result) + padding_ - effective_;
  return !room.valid() || room.value() < 0 ? -1 : room.value() / p_.stride + 1;
}

Index AxisSizes::leading(Index result) const noexcept {
  if (!is_same(p_.style)) return p_.leading;
  // (ceil(result / stride) - 1) * stride + effective - result, written so that it cannot
  // overflow.
  const Index total =
      result == 0 ? 0 : std::max<Index>(0, effective_ - 1 - (result - 1) % p_.stride);
  return p_.style == PaddingStyle::TfSame ? total / 2 : total - total / 2;
}

void AxisSizes::check_positions(const NamedShape& source_shape, Index source,
                                const NamedShape& result_shape, Index result) const {
  range(source_shape, source);
  if ((Checked(result) + padding_ + p_.stride).valid()) return;
  fail(operation_, result_shape.argument,
       std::string("a ") + names_.extent + " whose sum with the paddings is below 2**63",
       to_string(result_shape.shape));
}

void AxisSizes::check_relation(const NamedShape& source_shape, Index source,
                               const NamedShape& result_shape, Index result) const {
  const SizeRange r = range(source_shape, source);
  if (r.smallest <= result && result <= r.largest) return;
  const std::string got = std::string(names_.extent) + " " + std::to_string(result) + " in " +
                          to_string(result_shape.shape);
  const std::string hint = "; strict=False crops or zero-fills the end instead";
  if (r.largest < 0) {
    fail(operation_, result_shape.argument,
         std::string("a ") + names_.extent + " that the paddings leave something of: (" +
             std::to_string(source) + " - 1) * stride + (kernel - 1) * dilation + 1 = " +
             std::to_string((source - 1) * p_.stride + effective_) + " < padding " +
             std::to_string(padding_),
         got + hint);
  }
  const std::string relation =
      is_same(p_.style)
          ? "ceil(result / stride) = source"
          : "(source - 1) * stride + (kernel - 1) * dilation + 1 <= result + padding <= the same "
            "+ stride - 1";
  fail(operation_, result_shape.argument,
       std::string("a ") + names_.extent + " from " + std::to_string(r.smallest) + " to " +
           std::to_string(r.largest) + " (" + relation + ", with " + source_shape.argument + " " +
           names_.extent + " " + std::to_string(source) + ", stride " + std::to_string(p_.stride) +
           ", dilated kernel " + std::to_string(effective_) + ", padding " +
           std::to_string(p_.leading) + " + " + std::to_string(p_.trailing) + ")",
       got + hint);
}

Axis simplified(Axis a) noexcept {
  // With more padding every position would lie before the result, as it does then too.
  a.pad = std::min(a.pad, (a.source - 1) * a.stride + (a.kernel - 1) * a.dilation + 1);
  // Steps beyond the result lead outside whatever their length.
  const Index beyond = a.result + a.pad + 1;
  a.stride = std::min(a.stride, beyond);
  a.dilation = std::min(a.dilation, beyond);
  return a;
}

}  // namespace convtranspose
