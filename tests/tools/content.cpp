// SPDX-License-Identifier: MIT
// Every tool delivers exactly the bytes it was given: every awkward size, every byte value, inputs that give little at
// a time.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace iobench::testing;

namespace {

void check_copy(const std::vector<std::string>& argv, const std::string& input, const std::string& output,
                const std::string& bytes) {
  INFO(argv[0] << (argv.size() > 2 ? " -b " + argv[2] : "") << ", " << bytes.size() << " bytes, " << input << " to "
               << output);
  const Copied copied = copy(argv, input, output, bytes);
  CHECK(copied.ended.status == 0);
  CHECK(copied.ended.err == "");
  CHECK(copied.bytes.size() == bytes.size());
  CHECK((copied.bytes == bytes));
}

// A process with 2,000 mappings: its maps file has some 100 KB, of which one read gives about 4 KB.
struct ManyMappings {
  ManyMappings() {
    const Pair pipe = pipe_pair();
    pid = fork();
    if (pid == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (int i = 0; i < 2000; i++)
        mmap(nullptr, 4096, i % 2 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (write(pipe.writer.get(), "", 1) != 1) _exit(1);
      for (;;) pause();
    }
    char ready;
    if (pid < 0 || read(pipe.reader.get(), &ready, 1) != 1) throw iobench::Error("no process with many mappings");
  }
  ~ManyMappings() {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  pid_t pid;
};

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
      for (const std::string block : {"1", "3", "509", "4096", "64K", "5M"})
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
        CHECK(copied == "");  // not every kernel can
      else
        CHECK((ended.status == 0 && copied == iobench::read_file(path)));
    }
}

TEST_CASE("reads that stay short whatever the block") {
  const ManyMappings mapped;
  const std::string path = "/proc/" + std::to_string(mapped.pid) + "/maps";
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
}
