// SPDX-License-Identifier: MIT
// main() of every test program. Arguments select tests by parts of their names.
#include "runner.hpp"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace testing {
namespace {

std::vector<std::pair<const char*, Body>>& tests() {
  static std::vector<std::pair<const char*, Body>> list;
  return list;
}

constexpr int kMostPrinted = 20;

thread_local std::vector<std::string> contexts;
std::mutex printing;
std::atomic<long> checks{0}, failures{0};

bool selected(const char* name, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strstr(name, argv[i]) != nullptr) return true;
  }
  return argc < 2;
}

}  // namespace

Registration::Registration(const char* name, Body body) { tests().emplace_back(name, body); }

Context::Context(std::string text) { contexts.push_back(std::move(text)); }
Context::~Context() { contexts.pop_back(); }

void check(bool good, const char* file, int line, const std::string& text) {
  ++checks;
  if (good || failures++ >= kMostPrinted) return;
  const std::lock_guard<std::mutex> lock(printing);
  std::printf("%s:%d: failed: %s\n", file, line, text.c_str());
  for (const std::string& context : contexts) std::printf("    %s\n", context.c_str());
  std::fflush(stdout);
}

}  // namespace testing

int main(int argc, char** argv) {
  int run = 0;
  for (const auto& [name, body] : testing::tests()) {
    if (!testing::selected(name, argc, argv)) continue;
    ++run;
    const long before = testing::failures;
    try {
      body();
    } catch (const std::exception& e) {
      testing::check(false, name, 0, std::string("unexpected exception: ") + e.what());
    }
    std::printf("%s %s\n", testing::failures == before ? "ok    " : "FAILED", name);
    std::fflush(stdout);
  }
  std::printf("%d tests, %ld checks, %ld failures\n", run, testing::checks.load(),
              testing::failures.load());
  return run == 0 || testing::failures != 0 ? 1 : 0;
}
