// SPDX-License-Identifier: MIT
// Ends that are slow, give little at a time or say "not now", and signals in between: the bytes arrive whole, or the
// tool says loudly that they did not. Tools that make the calls themselves always go on.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"

#include <fcntl.h>
#include <signal.h>

using namespace iobench::testing;
using iobench::Descriptor;
using iobench::open_file;

namespace {

bool makes_the_calls_itself(const CopyTool& tool) { return tool.through == Through::calls; }
bool is_cpp_stream(const CopyTool& tool) { return tool.through == Through::stream; }

// Sends the halves with a pause before each, and another before the end.
struct LateFeeder {
  LateFeeder(Descriptor fd, const std::string& bytes)
      : thread([fd = std::move(fd), &bytes] {
          for (const std::string& half : {bytes.substr(0, bytes.size() / 2), bytes.substr(bytes.size() / 2)}) {
            sleep_s(0.05);
            if (write(fd.get(), half.data(), half.size()) < 0) return;
          }
          sleep_s(0.05);
        }) {}
  ~LateFeeder() { thread.join(); }
  std::thread thread;
};

}  // namespace

TEST_CASE("short reads are not the end and never pad") {
  const std::string bytes = some_bytes((1 << 20) + 7);
  for (const CopyTool& tool : copy_tools())
    for (const std::string input : {"pipe", "socket"}) {
      if (!tool.serves(input, tool.output())) continue;
      INFO(tool.name << " from " << input);
      const Copied copied = copy(command(tool), input, tool.output(), bytes, 5000);
      CHECK(copied.ended.status == 0);
      CHECK((copied.bytes == bytes));
    }
}

TEST_CASE("awkward blocks and pieces") {
  const std::string bytes = some_bytes(20011);
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.serves("pipe", "pipe")) continue;
    for (const std::string block : {"1", "3", "6", "4099", "256K"})
      for (const std::size_t pieces : {1u, 2u, 700u}) {
        if (!tool.takes_block(block)) continue;
        INFO(tool.name << " -b " << block << ", pieces of " << pieces);
        const Copied copied = copy(command(tool, block), "pipe", "pipe", bytes, pieces);
        CHECK(copied.ended.status == 0);
        CHECK((copied.bytes == bytes));
      }
  }
}

TEST_CASE("a reader that is slow") {
  const std::string bytes = some_bytes(300000);
  for (const CopyTool& tool : copy_tools())
    for (const std::string output : {"pipe", "socket"}) {
      if (!tool.serves("file", output)) continue;
      INFO(tool.name << " to " << output);
      const Scratch scratch;
      Source source("file", scratch, bytes);
      Sink sink(output, scratch, "", 0.02);
      CHECK(run(command(tool), {.in = source.fd(), .out = sink.fd()}).status == 0);
      CHECK((sink.collect() == bytes));
    }
}

TEST_CASE("a non-blocking input that has nothing yet is waited for") {
  const std::string bytes = some_bytes(30000);
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.serves("pipe", tool.output()) || is_cpp_stream(tool)) continue;
    const Scratch scratch;
    Pair pipe = pipe_pair();
    set_nonblocking(pipe.reader.get());
    Sink sink(tool.output(), scratch);
    const LateFeeder feeder(std::move(pipe.writer), bytes);
    const Ended ended = run(command(tool), {.in = pipe.reader.get(), .out = sink.fd()}, 10);
    INFO(tool.name << ": " << ended.err);
    CHECK(ended.status == 0);
    CHECK((sink.collect() == bytes));
  }
}

TEST_CASE("a C++ stream cannot wait for a non-blocking input, and says so") {
  const std::string bytes = some_bytes(30000);
  for (const CopyTool& tool : copy_tools()) {
    if (!is_cpp_stream(tool)) continue;
    const Scratch scratch;
    const Pair pipe = pipe_pair();  // stays open: the input has not ended, it only has no more yet
    set_nonblocking(pipe.reader.get());
    REQUIRE(write(pipe.writer.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    Sink sink("file", scratch);
    const Ended ended = run(command(tool), {.in = pipe.reader.get(), .out = sink.fd()}, 10);
    CHECK(ended.status == 1);
    CHECK(ended.err == tool.name + ": read standard input: Resource temporarily unavailable\n");
    const std::string arrived = sink.collect();
    CHECK((bytes.compare(0, arrived.size(), arrived) == 0));
  }
}

TEST_CASE("a non-blocking output that is full is waited for by raw calls") {
  const std::string bytes = some_bytes(300000);
  for (const CopyTool& tool : copy_tools()) {
    if (!makes_the_calls_itself(tool) || !tool.serves("file", "pipe")) continue;
    const Scratch scratch;
    Source source("file", scratch, bytes);
    Pair pipe = pipe_pair();
    set_nonblocking(pipe.writer.get());
    Drainer drainer(std::move(pipe.reader), 0.1);
    const Ended ended = run(command(tool), {.in = source.fd(), .out = pipe.writer.get()}, 10);
    pipe.writer.reset();
    INFO(tool.name << ": " << ended.err);
    CHECK(ended.status == 0);
    CHECK((drainer.join() == bytes));
  }
}

TEST_CASE("a stream that met a full non-blocking output ends loudly and writes nothing after the gap") {
  const std::string bytes = some_bytes(300000);
  for (const CopyTool& tool : copy_tools()) {
    if (makes_the_calls_itself(tool)) continue;
    const Scratch scratch;
    Source source("file", scratch, bytes);
    Pair pipe = pipe_pair();
    set_nonblocking(pipe.writer.get());
    const Ended ended = run(command(tool), {.in = source.fd(), .out = pipe.writer.get()}, 10);
    pipe.writer.reset();
    CHECK(ended.status == 1);
    CHECK(ended.err == tool.name + ": write standard output: Resource temporarily unavailable\n");
    const std::string arrived = drain(pipe.reader.get());
    CHECK((bytes.compare(0, arrived.size(), arrived) == 0));
  }
}

TEST_CASE("stopped, continued and told of a resized window") {
  const std::string bytes = some_bytes(200000);
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.serves("pipe", "pipe")) continue;
    INFO(tool.name);
    const Scratch scratch;
    Pair pipe = pipe_pair();
    if (makes_the_calls_itself(tool)) set_nonblocking(pipe.reader.get());  // poll is interrupted by these, read is not
    Sink sink("pipe", scratch, "", 0.05);
    Process process(command(tool), {.in = pipe.reader.get(), .out = sink.fd()});
    pipe.reader.reset();
    for (const int signal : {SIGSTOP, SIGCONT, SIGWINCH, SIGSTOP, SIGCONT}) {
      kill(process.pid(), signal);
      sleep_s(0.005);
    }
    const Feeder feeder(std::move(pipe.writer), bytes);
    for (const int signal : {SIGSTOP, SIGWINCH, SIGCONT}) {
      kill(process.pid(), signal);
      sleep_s(0.005);
    }
    CHECK(process.wait(20).status == 0);
    CHECK((sink.collect() == bytes));
  }
}
