// SPDX-License-Identifier: MIT
// A request as the few-output algorithm sees it, and its rows: an output of a position (channel and
// residues) is a row of the matrix product; panels of at most kMostRows rows are summed together.
#pragma once

#include "few_output_axis.hpp"

namespace convtranspose {
namespace {

// Sums of a panel stay in L2 beside the inputs.
constexpr Index kMostRows = 48;
// Products of a row that are summed while their inputs are in L2; with one panel a group the inputs
// of no more channels are packed at a time.
constexpr Index kPackedProducts = 128;
constexpr Index kPackedTogether = 16;  // channels: a line of the tensor, if they lie side by side

/// A panel: channels of a group and residues, all combinations of them.
struct FewPanel {
  Index group;
  Span y, x, c;
  Index rows() const { return y.size() * x.size() * c.size(); }
};

struct FewShape {
  bool forward;
  FewAxis y, x;
  Index inputs, outputs;  // channels of one group
  Index batch, groups;
  DataStrides in, out;
  WeightsStrides weights;  // o, i are strides of input and output channels here
  Index weights_group;     // stride of groups of weights
  bool channels_inside;    // rows of a position: channels of a residue side by side, else residues
  Index y_residues, x_residues, channels;  // of one panel at most
  Index block;                             // input channels packed at a time

  explicit FewShape(const Request& r) {
    const Problem& p = r.problem;
    forward = r.operation == Operation::Forward;
    // A column is turned into a row, along which vectors lie.
    const bool turned = p.x.source == 1 && p.x.result == 1 && p.x.kernel == 1;
    y = FewAxis::make(turned ? p.x : p.y, forward);
    x = FewAxis::make(turned ? p.y : p.x, forward);
    inputs = forward ? p.source_channels : p.result_channels;
    outputs = forward ? p.result_channels : p.source_channels;
    batch = p.batch;
    groups = p.groups;
    in = forward ? r.source : r.result;
    out = forward ? r.result : r.source;
    weights =
        forward ? r.weights : WeightsStrides{r.weights.i, r.weights.o, r.weights.y, r.weights.x};
    weights_group = p.source_channels * r.weights.o;
    if (turned) {
      turn(in);
      turn(out);
      const Index stride = weights.y;
      weights.y = weights.x;
      weights.x = stride;
    }
    channels_inside = magnitude(out.c) < magnitude(out.x);
    cut();
    // Several panels share the inputs of a box, which are then packed once for all channels.
    block = inputs;
    if (panels() == groups && inputs > 0) {
      const Index most = max_of(1, kPackedProducts / saturated(y.most_taps(), x.most_taps()));
      block = ceil_div(inputs, ceil_div(inputs, most));
      if (block < inputs) block = min_of(inputs, round_up(block, kPackedTogether));
    }
  }

  Index panels() const {
    return groups * ceil_div(y.residues(), y_residues) * ceil_div(x.residues(), x_residues) *
           ceil_div(outputs, channels);
  }
  FewPanel panel(Index number) const {
    const Index c_pieces = ceil_div(outputs, channels);
    const Index x_pieces = ceil_div(x.residues(), x_residues);
    const Index y_pieces = ceil_div(y.residues(), y_residues);
    FewPanel panel{};
    panel.c = piece(number % c_pieces, channels, outputs);
    number /= c_pieces;
    panel.x = piece(number % x_pieces, x_residues, x.residues());
    number /= x_pieces;
    panel.y = piece(number % y_pieces, y_residues, y.residues());
    panel.group = number / y_pieces;
    return panel;
  }
  /// Place of a row among its panel's: those that are side by side in the result follow each other.
  Index place(const FewPanel& p, Index y_residue, Index x_residue, Index channel) const {
    const Index j = y_residue - p.y.begin, i = x_residue - p.x.begin, c = channel - p.c.begin;
    return channels_inside ? (j * p.x.size() + i) * p.c.size() + c
                           : (j * p.c.size() + c) * p.x.size() + i;
  }

 private:
  static Index magnitude(Index a) { return a < 0 ? -a : a; }
  static void turn(DataStrides& s) {
    const Index stride = s.y;
    s.y = s.x;
    s.x = stride;
  }

  void cut() {
    const Index s = x.residues();
    if (channels_inside) {
      channels = ceil_div(outputs, ceil_div(outputs, kMostRows));
      x_residues = ceil_div(s, ceil_div(s, max_of(1, kMostRows / channels)));
    } else {
      x_residues = min_of(s, kMostRows);
      const Index most = max_of(1, kMostRows / x_residues);
      channels = ceil_div(outputs, ceil_div(outputs, most));
    }
    y_residues = 1;
    if (x_residues == s && channels == outputs) {
      y_residues = clamp_to(kMostRows / (x_residues * channels), 1, y.residues());
    }
  }
};

}  // namespace
}  // namespace convtranspose
