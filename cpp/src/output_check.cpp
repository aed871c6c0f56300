// SPDX-License-Identifier: MIT
#include "output_check.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "errors.hpp"

namespace convtranspose {

void check_output(std::string_view operation, const Shape& shape, const Shape& strides) {
  std::array<std::pair<Index, Index>, 4> axes;  // stride's size and extent, smallest stride first
  for (std::size_t i = 0; i < 4; ++i) axes[i] = {std::abs(strides[i]), shape[i]};
  std::sort(axes.begin(), axes.end());
  Index reach = 0;
  for (const auto& [stride, extent] : axes) {
    if (extent < 2) continue;
    if (stride <= reach) {
      fail(operation, "out", "a tensor whose elements do not share memory",
           "strides " + to_string(strides) + " (in elements) for shape " + to_string(shape));
    }
    reach += stride * (extent - 1);
  }
}

bool is_empty(const Shape& shape) noexcept {
  return shape[0] == 0 || shape[1] == 0 || shape[2] == 0 || shape[3] == 0;
}

}  // namespace convtranspose
