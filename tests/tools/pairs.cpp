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

// Every pair for every loop with more than a pipe holds. Each kind of end with a file opposite only: for the other ten
// arrays of the one loop in buffered.cpp, for a FIFO, which is a pipe with a name, and for inputs of nothing and of a byte.
TEST_CASE("every pair of ends") {
  const std::string bytes = some_bytes(150001);
  for (const CopyTool& tool : copy_tools()) {
    const bool same_loop = tool.name.rfind("buffered", 0) == 0 && tool.name != "buffered-8K";
    for (const std::string input : {"file", "pipe", "fifo", "socket", "tcp", "null"})
      for (const std::string output : {"file", "append", "pipe", "fifo", "socket", "tcp", "tty", "null"})
        for (const std::size_t size : {std::size_t{0}, std::size_t{1}, bytes.size()}) {
          const bool large = size > 1;
          const bool file_opposite = input == "file" || output == "file";
          const bool any_opposite = large && !same_loop && input != "fifo" && output != "fifo";
          if (input == "null" ? size == 0 && !same_loop : any_opposite || (file_opposite && (large || !same_loop)))
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
    const int status = run(command(tool), {.in = pipe.reader.get(), .out = sink.fd()}).status;
    CHECK((status == 77 || status == 0));  // what is not promised may still be done
    CHECK(drain(pipe.reader.get()) == (status == 0 ? "" : "still here"));
    CHECK(sink.collect() == (status == 0 ? "still here" : ""));
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
