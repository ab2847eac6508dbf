// SPDX-License-Identifier: MIT
// Catch2 3 brings its own main; Catch2 2 makes one here.
#if !__has_include(<catch2/catch_test_macros.hpp>)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif

#include <csignal>

// Whoever runs the tests in the background, or under nohup, has these ignored, and every program they start would too.
namespace {
const bool as_at_a_terminal = [] {
  std::signal(SIGHUP, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGQUIT, SIG_DFL);
  return true;
}();
}  // namespace
