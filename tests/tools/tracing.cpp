// SPDX-License-Identifier: MIT
#include "tracing.h"

#include <iostream>
#include <sstream>

#include "ends.h"

namespace iobench::testing {

bool can_trace() {
  static const bool can = [] {
    const bool works = has_program("strace") && run({"strace", "-qq", "-o", "/dev/null", "true"}, {}).status == 0;
    if (!works) std::cout << "SKIP: strace is missing or may not trace\n";
    return works;
  }();
  return can;
}

Ended run_traced(const std::vector<std::string>& argv, const std::vector<std::string>& options, Launch launch) {
  std::vector<std::string> all = {"strace", "-f", "-qq"};
  all.insert(all.end(), options.begin(), options.end());
  all.insert(all.end(), argv.begin(), argv.end());
  // The leak check of address-sanitized tools cannot run under a tracer.
  launch.environment = {"ASAN_OPTIONS=detect_leaks=0", "LSAN_OPTIONS=detect_leaks=0"};
  return run(all, launch);
}

Traced trace(const std::vector<std::string>& argv, const std::string& bytes, const std::string& path,
             const std::string& injection, const std::string& output) {
  const Scratch scratch;
  Source source("file", scratch, bytes);
  Sink sink(output, scratch);
  std::vector<std::string> options = {"-o", scratch / "trace", "-P", scratch / path};
  if (!injection.empty()) options.insert(options.end(), {"-e", "inject=" + injection});
  Traced result;
  result.ended = run_traced(argv, options, {.in = source.fd(), .out = sink.fd()});
  result.bytes = sink.collect();
  result.calls = read_file(scratch / "trace");
  return result;
}

Calls data_calls(const std::string& calls) {
  static const std::set<std::string> harmless = {"fcntl", "fstat", "newfstatat", "lseek", "close", "pread64"};
  Calls found;
  std::istringstream lines(calls);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t name = line.find_first_not_of("0123456789 ");
    const std::size_t open = line.find('(');
    const std::size_t close = line.rfind(") ");
    if (name == std::string::npos || open == std::string::npos || close == std::string::npos) continue;
    const std::string call = line.substr(name, open - name);
    const std::size_t comma = line.rfind(", ", close);
    if (!harmless.count(call)) found.insert(call + " " + line.substr(comma + 2, close - comma - 2));
  }
  return found;
}

}  // namespace iobench::testing
