// SPDX-License-Identifier: MIT
// Which system calls a tool makes, and what it does when they fail in ways that cannot be staged otherwise: strace
// watches and injects. Where strace is missing or may not trace, these tests say so and skip.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"
#include "tracing.h"

using namespace iobench::testing;

namespace {

// The last argument of most is their size.
std::string reading_call(const CopyTool& tool) {
  if (tool.reads_by == "sendfile") return "sendfile 1048576";
  if (tool.reads_by == "copy_file_range" || tool.reads_by == "splice") return tool.reads_by + " 0";  // flags
  if (tool.writes_by == "vmsplice") return "read 65536";  // no more than the pipe holds
  // libstdc++ fills its buffer of 8,192 but for one byte; arrays from 8,191 on are read straight into.
  if (tool.name.rfind("buffered", 0) == 0 && tool.block_bytes < 8191) return "read 8191";
  // glibc reads whole multiples of its 4,096-byte buffer straight into a larger block.
  return "read " + std::to_string(tool.block_bytes);
}

// strace cannot reach into a ring, and mapping neither waits nor reads.
bool cannot_be_injected(const CopyTool& tool) { return tool.reads_by == "io_uring" || tool.reads_by == "mmap"; }

}  // namespace

TEST_CASE("every tool reads in the way its name says, and in no other") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(4 << 20);
  for (const CopyTool& tool : copy_tools()) {
    const Traced copied = trace(command(tool), bytes, "in", "", tool.output());
    INFO(tool.name << "\n" << copied.calls.substr(0, 1000));
    if (tool.reads_by == "io_uring" || tool.reads_by == "pread64")
      CHECK(data_calls(copied.calls) == Calls{});  // the ring is out of sight; pread is what others look with
    else if (tool.reads_by == "mmap")
      CHECK(data_calls(copied.calls) == Calls{"mmap 0", "mmap 0x100000", "mmap 0x200000", "mmap 0x300000"});
    else
      CHECK(data_calls(copied.calls) == Calls{reading_call(tool)});
    if (tool.reads_by == "pread64") CHECK(copied.calls.find("pread64(") != std::string::npos);
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
    if (cannot_be_injected(tool)) continue;
    for (const std::string when : {"1+2", "2", "1"}) {
      const Traced copied = trace(command(tool), bytes, "in", tool.reads_by + ":error=EINTR:when=" + when, tool.output());
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
    if (tool.reads_by == "sendfile" || tool.writes_by == "io_uring" || !tool.serves("file", "file")) continue;
    const Traced copied =
        trace(command(tool), bytes, "out", "write,writev,pwrite64,splice,copy_file_range:error=EINTR:when=2");
    INFO(tool.name << ": " << copied.ended.err);
    if (copied.ended.status == 0) {
      CHECK((copied.bytes == bytes));
    } else {
      CHECK(tool.through != Through::calls);
      CHECK(copied.ended.status == 1);
      CHECK(copied.ended.err == tool.name + ": write standard output: Interrupted system call\n");
    }
  }
}

TEST_CASE("a read error is not the end, and what was read before it is written") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(3 << 20);
  for (const CopyTool& tool : copy_tools()) {
    if (cannot_be_injected(tool)) continue;
    const Traced copied = trace(command(tool), bytes, "in", tool.reads_by + ":error=EIO:when=2+", tool.output());
    const bool both = tool.reads_by == "sendfile" || tool.reads_by == "copy_file_range";  // cannot say which end
    const std::string call = tool.moves_in_kernel() ? tool.reads_by : "read";
    const std::string failed = call + (both ? " standard input to standard output" : " standard input");
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
    if (!tool.serves("file", "file")) continue;
    const Traced copied = trace(command(tool), some_bytes(5000), "out", "close:error=EIO");
    INFO(tool.name << ": " << copied.ended.err);
    CHECK(copied.ended.status == 1);
    CHECK(copied.ended.err == tool.name + ": close standard output: Input/output error\n");
  }
}

TEST_CASE("refused by the kernel: 77 before the first byte, 1 after it") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(100000);
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.moves_in_kernel()) continue;
    const std::vector<std::string> argv = {tool_path(tool.name), "-b", "4K"};
    for (const std::string error : {"EINVAL", "ENOSYS", "EOPNOTSUPP", "EPERM", "EXDEV"})
      for (const bool first : {true, false}) {
        const std::string injection = tool.reads_by + ":error=" + error + ":when=" + (first ? "1" : "2");
        const Traced copied = trace(argv, bytes, "in", injection);
        INFO(injection << ": " << copied.ended.err);
        CHECK(copied.ended.status == (first ? 77 : 1));
        CHECK(is_one_line_of(tool.name, copied.ended.err));
        CHECK((copied.bytes == bytes.substr(0, first ? 0 : 4096)));
      }
    INFO(tool.name);
    for (const bool first : {true, false}) {
      const Traced lied = trace(argv, bytes, "in", tool.reads_by + ":retval=0:when=" + (first ? "1" : "2"));
      CHECK(lied.ended.status == (first ? 77 : 1));
      CHECK((lied.bytes == bytes.substr(0, first ? 0 : 4096)));
    }
    const Traced again = trace(argv, bytes, "in", tool.reads_by + ":error=EAGAIN:when=1+2");
    CHECK(again.ended.status == 0);
    CHECK((again.bytes == bytes));
  }
}

TEST_CASE("the buffers of a bytewise stream are those asked for") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(1 << 20);
  struct Buffers {
    std::vector<std::string> options;
    const char* reads;
    const char* writes;
  };
  const Buffers all[] = {{{}, "read 8191", "write 8192"},
                         {{"--buffer-in", "2K", "--buffer-out", "512"}, "read 2048", "write 512"},
                         {{"--buffer-in", "64K"}, "read 65536", "write 8192"}};
  for (const Buffers& buffers : all) {
    std::vector<std::string> argv = {tool_path("ifstream-bytewise")};
    argv.insert(argv.end(), buffers.options.begin(), buffers.options.end());
    CHECK(data_calls(trace(argv, bytes, "in", "").calls) == Calls{buffers.reads});
    const Traced copied = trace(argv, bytes, "out", "");
    CHECK((copied.bytes == bytes));
    CHECK(data_calls(copied.calls) == Calls{buffers.writes});
  }
  const std::vector<std::string> one = {tool_path("ifstream-bytewise"), "--buffer-in", "1", "--buffer-out", "1"};
  CHECK(data_calls(trace(one, bytes.substr(0, 100), "in", "").calls) == Calls{"read 1"});
  CHECK((trace(one, bytes.substr(0, 100), "out", "").bytes == bytes.substr(0, 100)));
}

TEST_CASE("transfer-to reads a stream of 1 MiB, no further, and writes it in one call") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes((2 << 20) + 5);
  const std::vector<std::string> argv = {tool_path("transfer-to"), "-b", "300000"};
  const Traced copied = trace(argv, bytes, "in", "");
  CHECK((copied.bytes == bytes));
  // 1,048,576 are three times 300,000 and 148,576.
  CHECK(data_calls(copied.calls) == Calls{"read 300000", "read 148576"});
  CHECK(data_calls(trace(argv, bytes, "out", "").calls) == Calls{"write 1048576", "write 5"});
  // The sixth read is the second of the second stream.
  const Traced failed = trace(argv, bytes, "in", "read:error=EIO:when=6+");
  CHECK(failed.ended.status == 1);
  CHECK((failed.bytes == bytes.substr(0, (1 << 20) + 300000)));
}
