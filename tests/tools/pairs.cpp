// SPDX-License-Identifier: MIT
// Every tool on every pair of ends: the bytes arrive whole, or the tool refuses and has touched nothing.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"

using namespace iobench::testing;

// What a tool does not promise a newer kernel may still do, as sendfile from a socket to a pipe: whole, or refused.
static void check_pair(const CopyTool& tool, const std::string& input, const std::string& output,
                       const std::string& bytes) {
  INFO(tool.name << " from " << input << " to " << output << ", " << bytes.size() << " bytes");
  const Copied copied = copy(command(tool), input, output, bytes);
  const bool served = tool.serves(input == "tcp" ? "socket" : input, output == "tcp" ? "socket" : output);
  if (served || copied.ended.status == 0) {
    CHECK(copied.ended.status == 0);
    CHECK(copied.ended.err == "");
    CHECK((output == "null" || copied.bytes == bytes));
  } else {
    CHECK(copied.ended.status == 77);
    CHECK(is_one_line_of(tool.name, copied.ended.err));
    CHECK(copied.bytes == "");
  }
}

// Every pair for every loop with more than a pipe holds; for the other ten arrays of the one loop in buffered.cpp, and
// for the sizes at which nothing depends on the other end, each kind of end with a file opposite.
TEST_CASE("every pair of ends") {
  const std::string bytes = some_bytes(150001);
  for (const CopyTool& tool : copy_tools()) {
    const bool same_loop = tool.name.rfind("buffered", 0) == 0 && tool.name != "buffered-8K";
    for (const std::string input : {"file", "pipe", "fifo", "socket", "tcp", "null"})
      for (const std::string output : {"file", "append", "pipe", "fifo", "socket", "tcp", "tty", "null"})
        for (const std::size_t size : {std::size_t{0}, std::size_t{1}, bytes.size()}) {
          const bool file_opposite = input == "file" || output == "file";
          if (input == "null" ? size == 0 : file_opposite || (!same_loop && size > 1))
            check_pair(tool, input, output, bytes.substr(0, size));
        }
  }
}

TEST_CASE("a refusal consumes nothing") {
  for (const CopyTool& tool : copy_tools()) {
    if (tool.serves("pipe", "file")) continue;
    INFO(tool.name);
    const Scratch scratch;
    Pair pipe = pipe_pair();
    REQUIRE(feed(std::move(pipe.writer), "still here"));
    Sink sink("file", scratch);
    CHECK(run(command(tool), {.in = pipe.reader.get(), .out = sink.fd()}).status == 77);
    CHECK(drain(pipe.reader.get()) == "still here");
  }
}

TEST_CASE("an append target keeps what it had") {
  const std::string bytes = some_bytes(100000);
  for (const CopyTool& tool : copy_tools()) {
    INFO(tool.name);
    const Scratch scratch;
    Source source("file", scratch, bytes);
    Sink sink("append", scratch, "old");
    const Ended ended = run(command(tool), {.in = source.fd(), .out = sink.fd()});
    const bool served = tool.serves("file", "append");
    CHECK(ended.status == (served ? 0 : 77));
    CHECK((sink.collect() == (served ? "old" + bytes : "old")));
  }
}
