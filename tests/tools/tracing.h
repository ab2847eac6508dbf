// SPDX-License-Identifier: MIT
// strace, which watches and injects what cannot be staged otherwise. Where it is missing or may not trace, can_trace()
// says so, and the test skips.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "process.h"

namespace iobench::testing {

bool can_trace();

// Under strace with these options of its own, "-e", "inject=…".
Ended run_traced(const std::vector<std::string>& argv, const std::vector<std::string>& options, Launch launch);

struct Traced {
  Ended ended;
  std::string bytes;
  std::string calls;  // a line each, of the calls on the watched path
};

// From a file to a file, or another kind of output, under strace, watching calls on `path` ("in", "out") only; the injection is on those, "" is none.
Traced trace(const std::vector<std::string>& argv, const std::string& bytes, const std::string& path,
             const std::string& injection, const std::string& output = "file");

// "read 4096", "writev 2", …: what moved data on that end, with the last argument, which is the size or the count.
using Calls = std::set<std::string>;
Calls data_calls(const std::string& calls);

}  // namespace iobench::testing
