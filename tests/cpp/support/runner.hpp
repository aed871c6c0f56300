// SPDX-License-Identifier: MIT
// Just enough of a test framework, so that a C++ compiler is all the tests need: TEST registers a
// function, CHECK counts and goes on, and whatever a Context says is printed beside a failure.
#pragma once

#include <sstream>
#include <string>

namespace testing {

using Body = void (*)();

/// A place in the table of tests; made by TEST.
struct Registration {
  Registration(const char* name, Body body);
};

/// Says what is being done, for as long as it lives.
class Context {
 public:
  explicit Context(std::string text);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

void check(bool good, const char* file, int line, const std::string& text);

template <class A, class B>
void check_equal(const A& a, const B& b, const char* file, int line, const char* what) {
  if (a == b) return check(true, file, line, {});
  std::ostringstream text;
  text << what << ": got " << a << ", expected " << b;
  check(false, file, line, text.str());
}

/// The message of the E that `body` throws, "" if it throws none.
template <class E, class Body>
std::string message_of(const Body& body) {
  try {
    body();
  } catch (const E& e) {
    return e.what();
  }
  return {};
}

}  // namespace testing

#define TESTING_JOIN2(a, b) a##b
#define TESTING_JOIN(a, b) TESTING_JOIN2(a, b)
#define TEST(name)                                                                     \
  static void name();                                                                  \
  static const ::testing::Registration TESTING_JOIN(registration_, name){#name, name}; \
  static void name()
#define CHECK(condition) ::testing::check((condition), __FILE__, __LINE__, #condition)
#define CHECK_EQUAL(got, expected) \
  ::testing::check_equal((got), (expected), __FILE__, __LINE__, #got)
