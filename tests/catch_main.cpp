// SPDX-License-Identifier: MIT
// Catch2 3 brings its own main; Catch2 2 makes one here.
#if !__has_include(<catch2/catch_test_macros.hpp>)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
