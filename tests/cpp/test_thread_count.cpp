// SPDX-License-Identifier: MIT
// How many threads the pool starts with. CMakeLists.txt sets the environment and the argument.
#include <cstdlib>
#include <thread>

#include "support/runner.hpp"
#include <convtranspose/threads.hpp>

namespace testing {
namespace {

TEST(as_the_environment_says) {
  const char* wanted = std::getenv("CONVTRANSPOSE_TEST_THREADS");
  const int count = convtranspose::get_num_threads();
  if (wanted != nullptr) {
    CHECK_EQUAL(count, std::atoi(wanted));
  } else {
    CHECK(count >= 1);
    CHECK(count <= static_cast<int>(std::thread::hardware_concurrency()));
  }
  CHECK_EQUAL(convtranspose::default_executor().concurrency(), count);
  CHECK_EQUAL(convtranspose::serial_executor().concurrency(), 1);
}

}  // namespace
}  // namespace testing
