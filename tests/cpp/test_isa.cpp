// SPDX-License-Identifier: MIT
// The instruction set in use: the best one, the one of CONVTRANSPOSE_ISA, or the one asked for.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "support/runner.hpp"
#include <convtranspose/isa.hpp>
#include <convtranspose/version.hpp>

namespace testing {
namespace {

using convtranspose::active_isa;
using convtranspose::available_isas;
using convtranspose::set_isa;

std::string list() {
  std::string names;
  for (const std::string_view isa : available_isas()) {
    names.append(names.empty() ? "" : ", ").append(isa);
  }
  return names;
}

/// Must be the first test: set_isa() makes the environment forgotten.
TEST(first_choice) {
  const char* wanted = std::getenv("CONVTRANSPOSE_ISA");
  const auto isas = available_isas();
  if (wanted == nullptr || *wanted == '\0') {
    CHECK_EQUAL(active_isa(), isas.back());
  } else if (std::find(isas.begin(), isas.end(), wanted) != isas.end()) {
    CHECK_EQUAL(active_isa(), wanted);
  } else {
    CHECK_EQUAL(message_of<std::invalid_argument>([] { active_isa(); }),
                "CONVTRANSPOSE_ISA: expected one of " + list() + ", got '" + wanted + "'");
  }
}

TEST(known_names_in_order) {
  const std::string known[] = {"baseline", "avx2", "avx512", "neon"};
  auto place = std::begin(known);
  for (const std::string_view isa : available_isas()) {
    place = std::find(place, std::end(known), isa);
    CHECK(place != std::end(known));
  }
}

TEST(every_one_can_be_set) {
  for (const std::string_view isa : available_isas()) {
    set_isa(isa);
    CHECK_EQUAL(active_isa(), isa);
  }
}

TEST(unknown_names_change_nothing) {
  set_isa(available_isas().front());
  for (const char* name : {"", "avx", "AVX2", "avx9000"}) {
    CHECK_EQUAL(message_of<std::invalid_argument>([&] { set_isa(name); }),
                "set_isa: name: expected one of " + list() + ", got '" + name + "'");
  }
  CHECK_EQUAL(active_isa(), available_isas().front());
}

TEST(build_info_is_filled_in) {
  const convtranspose::BuildInfo info = convtranspose::build_info();
  CHECK_EQUAL(info.version, CONVTRANSPOSE_VERSION);
  CHECK(!info.compiler.empty());
  CHECK(!info.eigen.empty());
}

}  // namespace
}  // namespace testing
