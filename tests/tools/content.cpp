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

// Whoever reads can read a file in /proc.
bool may_refuse_unknown_sizes(const CopyTool& tool) { return tool.reads_by != "read" && tool.reads_by != "io_uring"; }

constexpr std::size_t big = (1 << 20) + 7;

}  // namespace

TEST_CASE("every size") {
  const std::string bytes = some_bytes(big);
  for (const CopyTool& tool : copy_tools())
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, tool.block_bytes - 1, tool.block_bytes,
                                   tool.block_bytes + 1, big})
      check_copy(command(tool), "file", tool.output(), bytes.substr(0, size));
}

// The sizes at which a block of that size may go wrong: none, the block and its neighbours, a page's, a pipe's.
TEST_CASE("every size, other blocks") {
  struct Sizes {
    const char* block;
    std::vector<std::size_t> sizes;
  };
  const Sizes all[] = {{"1", {0, 1, 2, 4097}},    {"3", {1, 2, 3, 4, 4097}},        {"509", {4095, 65537}},
                       {"4096", {4095, 4097, 65537}}, {"64K", {0, 65535, 65537}}, {"5M", {1, 65537}}};
  const std::string bytes = some_bytes(70000);
  for (const CopyTool& tool : copy_tools())
    for (const Sizes& of_block : all)
      for (const std::size_t size : of_block.sizes)
        if (tool.takes_block(of_block.block))
          check_copy(command(tool, of_block.block), "file", tool.output("pipe"), bytes.substr(0, size));
}

TEST_CASE("every byte value") {
  std::string all;
  for (int byte = 0; byte < 256; byte++) all += static_cast<char>(byte);
  const std::string contents[] = {all, std::string(9000, '\xff'), std::string(9000, '\0'), "\xff", "no newline",
                                  std::string(8191, '\n') + "\xff", all + std::string(5000, '\xff') + '\x1a' + all};
  for (const CopyTool& tool : copy_tools())
    for (const std::string& bytes : contents) check_copy(command(tool), "file", tool.output("pipe"), bytes);
}

TEST_CASE("a terminal as input ends at end-of-transmission") {
  std::string lines;
  for (int i = 0; i < 100; i++) lines += "line " + std::to_string(i) + "\n";
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.serves("tty", tool.output())) continue;
    INFO(tool.name);
    const Scratch scratch;
    const Pair terminal = line_terminal_pair();
    Sink sink(tool.output(), scratch);
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
      Sink sink(tool.output("pipe"), scratch);
      const Ended ended = run(command(tool), {.in = in.get(), .out = sink.fd()});
      const std::string copied = sink.collect();
      if (ended.status == 77 && may_refuse_unknown_sizes(tool))
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
    Sink sink(tool.output(), scratch);
    const Ended ended = run(command(tool, "1M"), {.in = in.get(), .out = sink.fd()});
    const std::string copied = sink.collect();
    CHECK((ended.status == 0 ? copied == maps : ended.status == 77 && copied.empty() && may_refuse_unknown_sizes(tool)));
  }
}
