// SPDX-License-Identifier: MIT
// Whether tests and tools are built with the address sanitizer: then they start ten times as slowly, and run neither
// under valgrind nor, where leaks are looked for, under strace.
#pragma once

namespace iobench::testing {

#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

}  // namespace iobench::testing
