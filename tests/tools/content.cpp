// SPDX-License-Identifier: MIT
// Every tool delivers exactly the bytes it was given: every awkward size, every byte value, every pair of ends.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace iobench::testing;

namespace {

void check_copy(const std::vector<std::string>& argv, const std::string& input, const std::string& output,
                const std::string& bytes) {
  INFO(argv[0] << (argv.size() > 2 ? " -b " + argv[2] : "") << ", " << bytes.size() << " bytes, " << input << " to " << output);
  const Copied copied = copy(argv, input, output, bytes);
  CHECK(copied.ended.status == 0);
  CHECK(copied.ended.err == "");
  CHECK(copied.bytes.size() == bytes.size());
  CHECK((copied.bytes == bytes));
}

constexpr std::size_t big = (1 << 20) + 7;

}  // namespace

TEST_CASE("every size") {
  const std::string bytes = some_bytes(big);
  for (const CopyTool& tool : copy_tools())
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, tool.block_bytes - 1, tool.block_bytes,
                                   tool.block_bytes + 1, big})
      check_copy(command(tool), "file", "file", bytes.substr(0, size));
}

TEST_CASE("every size, other blocks") {
  const std::string bytes = some_bytes(70000);
  for (const CopyTool& tool : copy_tools())
    if (tool.has("-b"))
      for (const std::string block : {"1", "3", "509", "4096", "64K", "1M", "9M"})
        for (const std::size_t size : {0u, 1u, 2u, 3u, 4u, 4095u, 4097u, 65535u, 65537u})
          check_copy(command(tool, block), "file", "pipe", bytes.substr(0, size));
}

TEST_CASE("every byte value") {
  std::string all;
  for (int byte = 0; byte < 256; byte++) all += static_cast<char>(byte);
  const std::string contents[] = {all, std::string(9000, '\xff'), std::string(9000, '\0'), "\xff", "no newline",
                                  std::string(8191, '\n') + "\xff", all + std::string(5000, '\xff') + '\x1a' + all};
  for (const CopyTool& tool : copy_tools())
    for (const std::string& bytes : contents) check_copy(command(tool), "file", "pipe", bytes);
}

TEST_CASE("every pair of ends") {
  const std::string bytes = some_bytes(big);
  for (const CopyTool& tool : copy_tools())
    for (const std::string input : {"file", "pipe", "fifo", "socket", "tcp"})
      for (const std::string output : {"file", "append", "pipe", "fifo", "socket", "tcp", "tty", "null"}) {
        INFO(tool.name << " from " << input << " to " << output);
        const Copied copied = copy(command(tool), input, output, bytes);
        const bool served = tool.serves(input == "tcp" ? "socket" : input, output == "tcp" ? "socket" : output);
        if (served) {
          CHECK(copied.ended.status == 0);
          CHECK(copied.ended.err == "");
          CHECK((output == "null" || copied.bytes == bytes));
        } else {
          CHECK(copied.ended.status == 77);
          CHECK(is_one_line_of(tool.name, copied.ended.err));
          CHECK(copied.bytes == "");
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

TEST_CASE("a terminal as input ends at end-of-transmission") {
  std::string lines;
  for (int i = 0; i < 100; i++) lines += "line " + std::to_string(i) + "\n";
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.serves("tty", "file")) continue;
    INFO(tool.name);
    const Scratch scratch;
    const Pair terminal = line_terminal_pair();
    Sink sink("file", scratch);
    Process process(command(tool), {.in = terminal.reader.get(), .out = sink.fd()});
    REQUIRE(write(terminal.writer.get(), lines.data(), lines.size()) == static_cast<ssize_t>(lines.size()));
    REQUIRE(write(terminal.writer.get(), "\x04", 1) == 1);
    CHECK(process.wait(20).status == 0);
    CHECK(sink.collect() == lines);
  }
}

TEST_CASE("files whose size the kernel does not know") {
  for (const CopyTool& tool : copy_tools())
    for (const std::string path : {"/proc/version", "/proc/filesystems", "/proc/devices"}) {
      INFO(tool.name << " " << path);
      const Scratch scratch;
      const iobench::Descriptor in = iobench::open_file(path, O_RDONLY);
      Sink sink("pipe", scratch);
      const Ended ended = run(command(tool), {.in = in.get(), .out = sink.fd()});
      const std::string copied = sink.collect();
      if (ended.status == 77 && tool.name == "sendfile-copy")
        CHECK(copied == "");  // kernels before 5.19
      else
        CHECK((ended.status == 0 && copied == iobench::read_file(path)));
    }
}

TEST_CASE("reads that stay short whatever the block") {
  // A process with 2,000 mappings: its maps file is some 100 KB, of which a read gives about 4 KB.
  const pid_t mapped = fork();
  if (mapped == 0) {
    for (int i = 0; i < 2000; i++)
      if (mmap(nullptr, 4096, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) _exit(1);
    for (;;) pause();
  }
  sleep_s(0.2);
  const std::string path = "/proc/" + std::to_string(mapped) + "/maps";
  const std::string maps = iobench::read_file(path);
  CHECK(maps.size() > 60000);
  for (const CopyTool& tool : copy_tools()) {
    INFO(tool.name);
    const Scratch scratch;
    const iobench::Descriptor in = iobench::open_file(path, O_RDONLY);
    Sink sink("file", scratch);
    const Ended ended = run(command(tool, "1M"), {.in = in.get(), .out = sink.fd()});
    const std::string copied = sink.collect();
    CHECK((ended.status == 0 ? copied == maps : ended.status == 77 && copied.empty() && tool.name == "sendfile-copy"));
  }
  kill(mapped, SIGKILL);
  waitpid(mapped, nullptr, 0);
}
