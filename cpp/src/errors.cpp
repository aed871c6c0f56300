// SPDX-License-Identifier: MIT
#include "errors.hpp"

#include <stdexcept>

namespace convtranspose {

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

}  // namespace convtranspose
