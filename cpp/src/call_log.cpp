// SPDX-License-Identifier: MIT
#include "call_log.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace convtranspose {
namespace {

bool enabled() noexcept {
  static const bool value = [] {
    const char* text = std::getenv("CONVTRANSPOSE_VERBOSE");
    return text != nullptr && *text != '\0' && std::string_view(text) != "0";
  }();
  return value;
}

std::string pair(Index y, Index x) { return std::to_string(y) + "x" + std::to_string(x); }

/// The padding after the end that the sizes need.
Index trailing(const Axis& a) {
  return std::max<Index>(
      0, (a.source - 1) * a.stride + (a.kernel - 1) * a.dilation + 1 - a.result - a.pad);
}

std::string problem_string(const Problem& p) {
  std::string text = "n" + std::to_string(p.batch);
  text += "_c" + std::to_string(p.groups * p.source_channels) + "x" + pair(p.y.source, p.x.source);
  text += "_o" + std::to_string(p.groups * p.result_channels) + "x" + pair(p.y.result, p.x.result);
  text += "_k" + pair(p.y.kernel, p.x.kernel) + "_s" + pair(p.y.stride, p.x.stride);
  text += "_p" + std::to_string(p.x.pad) + "," + std::to_string(trailing(p.x)) + "," +
          std::to_string(p.y.pad) + "," + std::to_string(trailing(p.y));
  if (p.y.dilation != 1 || p.x.dilation != 1) text += "_d" + pair(p.y.dilation, p.x.dilation);
  if (p.groups != 1) text += "_g" + std::to_string(p.groups);
  return text;
}

/// On one line, whatever the caller chose as the operation's name.
std::string printable(std::string_view name) {
  std::string text(name);
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c == 0x7F; }, '_');
  return text;
}

constexpr const char* kOperations[] = {"forward", "data_gradient", "weights_gradient"};
constexpr const char* kDTypes[] = {"float32", "float64", "float16", "bfloat16"};

}  // namespace

CallLog::CallLog(std::string_view name, const Execution& execution, int workers) noexcept
    : name_(name), execution_(execution), workers_(workers) {
  if (enabled()) start_ = std::chrono::steady_clock::now();
}

CallLog::~CallLog() {
  if (!enabled()) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const Request& r = execution_.request;
  const std::string name = printable(name_), problem = problem_string(r.problem);
  const std::string algorithm(to_string(execution_.choice.algorithm));
  std::fprintf(stderr,
               "convtranspose: op=%s name=%s problem=%s dtype=%s algorithm=%s isa=%s threads=%d "
               "ms=%.4f gflops=%.2f\n",
               kOperations[static_cast<int>(r.operation)], name.c_str(), problem.c_str(),
               kDTypes[static_cast<int>(r.dtype)], algorithm.c_str(), execution_.isa->name,
               workers_, elapsed.count() * 1e3, flops_of(r.problem) / elapsed.count() * 1e-9);
}

}  // namespace convtranspose
