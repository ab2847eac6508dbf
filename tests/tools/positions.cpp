// SPDX-License-Identifier: MIT
// What a tool leaves behind is what a plain loop of read and write would leave: offsets, flags, the rest of the input.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"

#include <fcntl.h>

using namespace iobench::testing;
using iobench::Descriptor;
using iobench::open_file;

namespace {

off_t position(const Descriptor& fd) { return lseek(fd.get(), 0, SEEK_CUR); }

void append(const Descriptor& fd, std::string_view text) {
  iobench::write_all(fd.get(), text.data(), text.size(), "out");
}

}  // namespace

TEST_CASE("the copy starts where the descriptors stand and leaves them behind the data") {
  const std::string bytes = some_bytes(100003);
  for (const CopyTool& tool : copy_tools())
    for (const off_t start : {0, 1, 511, 4097, 100002, 100003, 100004}) {
      if (!tool.serves("file", "file")) continue;
      INFO(tool.name << " from " << start);
      const Scratch scratch;
      const Descriptor in = open_file(scratch.write("in", bytes), O_RDONLY);
      const Descriptor out = open_file(scratch / "out", O_WRONLY | O_CREAT);
      REQUIRE(lseek(in.get(), start, SEEK_SET) == start);
      append(out, "header");
      CHECK(run(command(tool), {.in = in.get(), .out = out.get()}).status == 0);
      const std::string rest = start < 100003 ? bytes.substr(static_cast<std::size_t>(start)) : "";
      CHECK(position(in) == std::max<off_t>(start, 100003));
      CHECK(position(out) == static_cast<off_t>(6 + rest.size()));
      append(out, "trailer");
      CHECK((iobench::read_file(scratch / "out") == "header" + rest + "trailer"));
    }
}

TEST_CASE("-n copies so many bytes and leaves the rest") {
  const std::string bytes = some_bytes(200000);
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.has("-n")) continue;
    for (const std::size_t n : {1u, 2u, 1023u, 1024u, 4096u, 8191u, 8192u, 8193u, 65537u, 199999u, 200000u, 200001u}) {
      INFO(tool.name << " -n " << n);
      const std::size_t taken = std::min(n, bytes.size());
      const Scratch scratch;
      const Descriptor in = open_file(scratch.write("in", bytes), O_RDONLY);
      Sink sink(tool.output("pipe"), scratch);
      const Ended ended = run({tool_path(tool.name), "-n", std::to_string(n)}, {.in = in.get(), .out = sink.fd()});
      CHECK(ended.status == 0);
      CHECK((sink.collect() == bytes.substr(0, taken)));
      CHECK(position(in) == static_cast<off_t>(taken));
    }
  }
}

TEST_CASE("-n with blocks that do not divide it, from a pipe in pieces") {
  const std::string bytes = some_bytes(100000);
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.has("-n") || !tool.serves("pipe", "file")) continue;
    for (const std::string block : {"7", "4096", "1M"}) {
      std::vector<std::string> argv = command(tool, block);
      argv.insert(argv.end(), {"-n", "54321"});
      INFO(tool.name << " -b " << block);
      const Copied copied = copy(argv, "pipe", "file", bytes, 5000);
      CHECK(copied.ended.status == 0);
      CHECK((copied.bytes == bytes.substr(0, 54321)));
    }
  }
}

TEST_CASE("readwrite takes no more from a pipe than it writes") {
  const Scratch scratch;
  Pair pipe = pipe_pair();
  REQUIRE(feed(std::move(pipe.writer), "firstsecond"));
  Sink sink("file", scratch);
  CHECK(run({tool_path("readwrite"), "-n", "5"}, {.in = pipe.reader.get(), .out = sink.fd()}).status == 0);
  CHECK(sink.collect() == "first");
  CHECK(drain(pipe.reader.get()) == "second");
}

TEST_CASE("--drain reads what it is told and writes nothing") {
  const std::string bytes = some_bytes(100000);
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.has("--drain")) continue;
    for (const bool limited : {false, true}) {
      if (limited && !tool.has("-n")) continue;
      INFO(tool.name);
      const Scratch scratch;
      const Descriptor in = open_file(scratch.write("in", bytes), O_RDONLY);
      Sink sink("file", scratch);
      std::vector<std::string> argv = {tool_path(tool.name), "--drain"};
      if (limited) argv.insert(argv.end(), {"-n", "50001"});
      const Ended ended = run(argv, {.in = in.get(), .out = sink.fd()});
      CHECK(ended.status == 0);
      CHECK(ended.err == "");
      CHECK(position(in) == (limited ? 50001 : 100000));
      CHECK(sink.collect() == "");
      REQUIRE(lseek(in.get(), 0, SEEK_SET) == 0);
      CHECK(run(argv, {.in = in.get(), .out = -1}).status == 0);  // the end that is not used may be closed
    }
  }
}

TEST_CASE("--fill writes the pattern of 2004, exactly as much as it is told") {
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.has("--fill")) continue;
    for (const std::string block : {"", "7", "1000", "64K"})
      for (const std::size_t size : {std::size_t{1}, std::size_t{255}, std::size_t{257}, std::size_t{100003}}) {
        if (!block.empty() && !tool.has("-b")) continue;
        INFO(tool.name << " -b " << block << " --fill " << size);
        std::string pattern(size, '\0');
        for (std::size_t i = 0; i < size; i++) pattern[i] = static_cast<char>((i + 128) % 256);
        const Scratch scratch;
        Sink sink("pipe", scratch);
        std::vector<std::string> argv = command(tool, block);
        argv.insert(argv.end(), {"--fill", std::to_string(size)});
        CHECK(run(argv, {.in = -1, .out = sink.fd()}).status == 0);
        CHECK((sink.collect() == pattern));
      }
  }
}

TEST_CASE("the descriptors' flags stay as they are") {
  for (const CopyTool& tool : stream_tools())
    for (const int extra : {0, O_APPEND, O_NONBLOCK}) {
      INFO(tool.name << " flags " << extra);
      const Scratch scratch;
      const Descriptor in = open_file(scratch.write("in", "text"), O_RDONLY | (extra & O_NONBLOCK));
      const Descriptor out = open_file(scratch / "out", O_WRONLY | O_CREAT | extra);
      const int before[] = {fcntl(in.get(), F_GETFL), fcntl(out.get(), F_GETFL)};
      run(command(tool), {.in = in.get(), .out = out.get()});
      CHECK(fcntl(in.get(), F_GETFL) == before[0]);
      CHECK(fcntl(out.get(), F_GETFL) == before[1]);
    }
}
