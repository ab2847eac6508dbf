// SPDX-License-Identifier: MIT
// Which system calls a tool makes, and what it does when they fail in ways that cannot be staged otherwise: strace
// watches and injects. Where strace is missing or may not trace, these tests say so and skip.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"

#include <fcntl.h>

#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>

using namespace iobench::testing;
using iobench::Descriptor;
using iobench::open_file;

namespace {

// The leak check of address-sanitized tools cannot run under a tracer.
const std::vector<std::string> traced = {"ASAN_OPTIONS=detect_leaks=0", "LSAN_OPTIONS=detect_leaks=0"};

bool can_trace() {
  static const bool can = [] {
    const bool works = has_program("strace") && run({"strace", "-qq", "-o", "/dev/null", "true"}, {}).status == 0;
    if (!works) std::cout << "SKIP: strace is missing or may not trace\n";
    return works;
  }();
  return can;
}

struct Traced {
  Ended ended;
  std::string bytes;
  std::string calls;  // "read(4096)" per line, of the calls on the input and the output
};

// File to file under strace, with the injection on calls on `path` ("in", "out") only.
Traced trace(const std::vector<std::string>& argv, const std::string& bytes, const std::string& path,
             const std::string& injection) {
  const Scratch scratch;
  Source source("file", scratch, bytes);
  Sink sink("file", scratch);
  std::vector<std::string> all = {"strace", "-f", "-qq", "-o", scratch / "trace", "-P", scratch / path};
  if (!injection.empty()) all.insert(all.end(), {"-e", "inject=" + injection});
  all.insert(all.end(), argv.begin(), argv.end());
  Traced result;
  result.ended = run(all, {.in = source.fd(), .out = sink.fd(), .environment = traced});
  result.bytes = sink.collect();
  result.calls = iobench::read_file(scratch / "trace");
  return result;
}

// "read 4096", "writev 2", … : what moved data on that end, with the last argument, which is the size or the count.
using Calls = std::set<std::string>;
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

std::string reading_call(const CopyTool& tool) {
  if (tool.name == "sendfile-copy") return "sendfile 1048576";
  // libstdc++ fills its buffer of 8,192 but for one byte; arrays from 8,191 on are read straight into.
  if (tool.name.rfind("buffered", 0) == 0 && tool.block_bytes < 8191) return "read 8191";
  // glibc reads whole multiples of its 4,096-byte buffer straight into a larger block.
  return "read " + std::to_string(tool.block_bytes);
}

}  // namespace

TEST_CASE("every tool reads in the way its name says, and in no other") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(4 << 20);
  for (const CopyTool& tool : copy_tools()) {
    const Traced copied = trace(command(tool), bytes, "in", "");
    INFO(tool.name << "\n" << copied.calls.substr(0, 1000));
    CHECK(data_calls(copied.calls) == Calls{reading_call(tool)});
  }
}

TEST_CASE("-b is the size of the calls") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(1 << 20);
  for (const std::string block : {"512", "4096", "65536", "262144"}) {
    const std::vector<std::string> readwrite = {tool_path("readwrite"), "-b", block};
    const std::vector<std::string> sendfile = {tool_path("sendfile-copy"), "-b", block};
    CHECK(data_calls(trace(readwrite, bytes, "in", "").calls) == Calls{"read " + block});
    CHECK(data_calls(trace(readwrite, bytes, "out", "").calls) == Calls{"write " + block});
    CHECK(data_calls(trace(sendfile, bytes, "in", "").calls) == Calls{"sendfile " + block});
  }
}

TEST_CASE("interrupted reads go on") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(300000);
  for (const CopyTool& tool : copy_tools()) {
    const std::string call = tool.name == "sendfile-copy" ? "sendfile" : "read";
    for (const std::string when : {"1+2", "2", "1"}) {
      const Traced copied = trace(command(tool), bytes, "in", call + ":error=EINTR:when=" + when);
      INFO(tool.name << " when=" << when << ": " << copied.ended.err);
      CHECK(copied.ended.status == 0);
      CHECK((copied.bytes == bytes));
    }
  }
}

TEST_CASE("interrupted writes go on, or end loudly where stdio has dropped its buffer") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(300000);
  for (const CopyTool& tool : copy_tools()) {
    if (tool.name == "sendfile-copy") continue;
    const Traced copied = trace(command(tool), bytes, "out", "write,writev:error=EINTR:when=2");
    INFO(tool.name << ": " << copied.ended.err);
    if (copied.ended.status == 0) {
      CHECK((copied.bytes == bytes));
    } else {
      CHECK(tool.name != "readwrite");
      CHECK(copied.ended.status == 1);
      CHECK(copied.ended.err == tool.name + ": write standard output: Interrupted system call\n");
    }
  }
}

TEST_CASE("a read error is not the end, and what was read before it is written") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(3 << 20);
  for (const CopyTool& tool : copy_tools()) {
    const bool is_sendfile = tool.name == "sendfile-copy";
    const std::string call = is_sendfile ? "sendfile" : "read";
    const Traced copied = trace(command(tool), bytes, "in", call + ":error=EIO:when=2+");
    const std::string failed = call + (is_sendfile ? " standard input to standard output" : " standard input");
    INFO(tool.name << ": " << copied.ended.err);
    CHECK(copied.ended.status == 1);
    CHECK(copied.ended.err == tool.name + ": " + failed + ": Input/output error\n");
    CHECK((bytes.compare(0, copied.bytes.size(), copied.bytes) == 0));
    CHECK(!copied.bytes.empty());
  }
}

TEST_CASE("a write of nothing is an error") {
  if (!can_trace()) return;
  const Traced copied = trace({tool_path("readwrite")}, some_bytes(5000), "out", "write:retval=0:when=2+");
  CHECK(copied.ended.status == 1);
  CHECK(copied.ended.err == "readwrite: write standard output: no byte was taken\n");
}

TEST_CASE("a failing close counts") {
  if (!can_trace()) return;
  for (const CopyTool& tool : copy_tools()) {
    const Traced copied = trace(command(tool), some_bytes(5000), "out", "close:error=EIO");
    INFO(tool.name << ": " << copied.ended.err);
    CHECK(copied.ended.status == 1);
    CHECK(copied.ended.err == tool.name + ": close standard output: Input/output error\n");
  }
}

TEST_CASE("sendfile refused by the kernel: 77 before the first byte, 1 after it") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(100000);
  const std::vector<std::string> argv = {tool_path("sendfile-copy"), "-b", "4K"};
  for (const std::string error : {"EINVAL", "ENOSYS", "EOPNOTSUPP", "EPERM"})
    for (const bool first : {true, false}) {
      const Traced copied = trace(argv, bytes, "in", "sendfile:error=" + error + ":when=" + (first ? "1" : "2"));
      INFO(error << ": " << copied.ended.err);
      CHECK(copied.ended.status == (first ? 77 : 1));
      CHECK(is_one_line_of("sendfile-copy", copied.ended.err));
      CHECK((copied.bytes == bytes.substr(0, first ? 0 : 4096)));
    }
  const Traced lied = trace(argv, bytes, "in", "sendfile:retval=0:when=1");
  CHECK(lied.ended.status == 77);
  CHECK(lied.bytes == "");
  const Traced again = trace(argv, bytes, "in", "sendfile:error=EAGAIN:when=1+2");
  CHECK(again.ended.status == 0);
  CHECK((again.bytes == bytes));
}
