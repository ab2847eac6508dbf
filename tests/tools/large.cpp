// SPDX-License-Identifier: MIT
// Lengths and offsets that do not fit into 31 or 32 bits, and memory that does not grow with them. Sparse files, on a
// memory file system where there is one: reading a hole there costs no memory.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <iostream>

using namespace iobench::testing;
using iobench::Descriptor;
using iobench::open_file;

namespace {

constexpr std::uint64_t gib = 1u << 30;
constexpr std::uint64_t size = 5 * gib;
constexpr char marker = '!';
// Where signed and unsigned 32-bit numbers end, and where one call of the kernel ends (0x7ffff000 bytes).
const std::uint64_t places[] = {0, 0x7fffefff, 0x7ffff000, 2 * gib - 1, 2 * gib, 4 * gib - 1, 4 * gib, size - 1};

std::filesystem::path sparse_file(const Scratch& scratch) {
  const auto path = scratch / "sparse";
  const Descriptor file = open_file(path, O_WRONLY | O_CREAT);
  REQUIRE(ftruncate(file.get(), static_cast<off_t>(size)) == 0);
  for (const std::uint64_t place : places)
    REQUIRE(pwrite(file.get(), &marker, 1, static_cast<off_t>(place)) == 1);
  return path;
}

// Reads to the end and compares with the sparse file from `start` on.
struct Checker {
  Checker(Descriptor from, std::uint64_t start)
      : fd(std::move(from)), offset(start), thread([this] {
          std::vector<char> block(256 << 10);
          for (;;) {
            const ssize_t n = ::read(fd.get(), block.data(), block.size());
            if (n <= 0) return;
            check(block.data(), static_cast<std::uint64_t>(n));
          }
        }) {}
  void join() { thread.join(); }
  void check(char* bytes, std::uint64_t n) {
    for (const std::uint64_t place : places)
      if (place >= offset && place < offset + n) {
        char& byte = bytes[place - offset];
        same = same && byte == marker;
        byte = 0;
      }
    same = same && bytes[0] == 0 && std::memcmp(bytes, bytes + 1, n - 1) == 0;
    offset += n;
  }

  Descriptor fd;
  std::uint64_t offset;
  bool same = true;
  std::thread thread;
};

// Two sides of a pipe on one processor move up to three times as much as on two (0.9 to 1.3 against 2.9 to 3.2 GB/s).
void share_one_processor() {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) first++;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  sched_setaffinity(0, sizeof one, &one);
}

// tmpfs takes O_DIRECT since Linux 6.6.
bool can_be_read_by(const CopyTool& tool, const std::filesystem::path& path) {
  return tool.name != "direct-copy" || Descriptor(open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC)).get() >= 0;
}

void check_large(const CopyTool& tool, const std::filesystem::path& path, std::uint64_t start) {
  INFO(tool.name << " from " << start);
  const Descriptor in = open_file(path, O_RDONLY);
  REQUIRE(lseek(in.get(), static_cast<off_t>(start), SEEK_SET) == static_cast<off_t>(start));
  Pair pipe = pipe_pair();
  fcntl(pipe.writer.get(), F_SETPIPE_SZ, 256 << 10);  // a pipe's default will do, only slower
  Checker checker(std::move(pipe.reader), start);
  Process process(command(tool, "256K"), {.in = in.get(), .out = pipe.writer.get()});
  pipe.writer.reset();
  CHECK(process.wait(300).status == 0);  // a sanitizer makes each new MiB of transfer-to dear
  checker.join();
  CHECK(checker.offset == size);
  CHECK(checker.same);
  CHECK(lseek(in.get(), 0, SEEK_CUR) == static_cast<off_t>(size));
}

}  // namespace

// buffered-N is one source: an array of 256K stands for the rest. The tools of today count bytes like readwrite, and begin
// where the offset leaves 32 bits. A mapped hole takes memory in tmpfs, hence the disk for that.
TEST_CASE("5 GiB through every block tool") {
  share_one_processor();
  const Scratch scratch("/dev/shm");
  const Scratch on_disk;
  const auto path = sparse_file(scratch);
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.serves("file", "pipe") || !can_be_read_by(tool, path)) continue;
    const bool of_today = tool.through == Through::calls && tool.name != "readwrite" && tool.reads_by != "sendfile" &&
                          tool.name != "transfer-to";
    if (tool.has("-b") || tool.name == "buffered-256K")
      check_large(tool, tool.reads_by == "mmap" ? sparse_file(on_disk) : path, of_today ? 4 * gib - 4097 : 0);
  }
}

TEST_CASE("across 4 GiB, a byte at a time or in arrays") {
  const Scratch scratch("/dev/shm");
  const auto path = scratch / "sparse";
  const Descriptor file = open_file(path, O_WRONLY | O_CREAT);
  const std::uint64_t start = 4 * gib - 70001;
  const std::string bytes = some_bytes(150000);
  REQUIRE(lseek(file.get(), static_cast<off_t>(start), SEEK_SET) == static_cast<off_t>(start));
  iobench::write_all(file.get(), bytes.data(), bytes.size(), path);
  for (const CopyTool& tool : copy_tools())
    for (const std::string output : {"pipe", "file"}) {
      if (!tool.serves("file", output) || !can_be_read_by(tool, path)) continue;
      INFO(tool.name << " to " << output);
      const Descriptor in = open_file(path, O_RDONLY);
      REQUIRE(lseek(in.get(), static_cast<off_t>(start), SEEK_SET) == static_cast<off_t>(start));
      Sink sink(output, scratch);
      CHECK(run(command(tool), {.in = in.get(), .out = sink.fd()}).status == 0);
      CHECK((sink.collect() == bytes));
    }
}

TEST_CASE("output across 4 GiB") {
  const Scratch scratch("/dev/shm");
  const std::string bytes = some_bytes(150000);
  const off_t start = static_cast<off_t>(4 * gib - 70001);
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.serves("file", "file")) continue;
    INFO(tool.name);
    Source source("file", scratch, bytes);
    const Descriptor out = open_file(scratch / "out", O_RDWR | O_CREAT | O_TRUNC);
    REQUIRE(lseek(out.get(), start, SEEK_SET) == start);
    CHECK(run(command(tool), {.in = source.fd(), .out = out.get()}).status == 0);
    std::string back(bytes.size(), '\0');
    CHECK(pread(out.get(), back.data(), back.size(), start) == static_cast<ssize_t>(back.size()));
    CHECK((back == bytes));
  }
}

TEST_CASE("-n beyond 4 GiB") {
  const Scratch scratch("/dev/shm");
  const auto path = sparse_file(scratch);
  const Descriptor in = open_file(path, O_RDONLY);
  const Descriptor null = open_file("/dev/null", O_WRONLY);
  const off_t limit = static_cast<off_t>(4 * gib + 5);
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.has("-n") || (!tool.has("-b") && tool.name != "buffered-1M")) continue;
    if (!tool.serves("file", "null") || tool.reads_by == "mmap" || !can_be_read_by(tool, path)) continue;
    INFO(tool.name);
    REQUIRE(lseek(in.get(), 0, SEEK_SET) == 0);
    std::vector<std::string> argv = command(tool, "1M");
    argv.insert(argv.end(), {"-n", std::to_string(limit)});
    CHECK(run(argv, {.in = in.get(), .out = null.get()}).status == 0);
    CHECK(lseek(in.get(), 0, SEEK_CUR) == limit);
  }
}

TEST_CASE("a source that shrinks ends the copy") {
  for (const CopyTool& tool : copy_tools()) {
    if (!tool.serves("file", "pipe")) continue;
    INFO(tool.name);
    const Scratch scratch;
    const Descriptor in = open_file(scratch / "in", O_RDWR | O_CREAT);
    REQUIRE(ftruncate(in.get(), 1 << 30) == 0);
    Sink sink("pipe", scratch, "", 0.05);  // the pipe is full long before the reader begins
    Process process(command(tool), {.in = in.get(), .out = sink.fd()});
    sleep_s(0.02);
    REQUIRE(ftruncate(in.get(), 0) == 0);
    const Ended ended = process.wait(20);
    CHECK((ended.status == 0 || ended.status == 1));
    const std::string arrived = sink.collect();
    CHECK(arrived.size() < 1 << 30);
    CHECK(arrived.find_first_not_of('\0') == std::string::npos);
  }
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("memory stays constant and small") {
  const std::string zeros(32 << 20, '\0');
  const Scratch scratch("/dev/shm");
  const Descriptor file = open_file(scratch / "in", O_RDWR | O_CREAT);
  REQUIRE(ftruncate(file.get(), static_cast<off_t>(64 * gib)) == 0);
  for (const CopyTool& tool : copy_tools())
    for (const std::string input : {"pipe", "file"}) {
      if (!tool.serves(input, "pipe") || !can_be_read_by(tool, scratch / "in")) continue;
      INFO(tool.name << " from " << input);
      REQUIRE(lseek(file.get(), 0, SEEK_SET) == 0);
      Pair from = pipe_pair();
      Pair to = pipe_pair();
      // 64 MiB of address space: the libraries take a few, an input that piles up would take more.
      Process process(command(tool), {.in = input == "pipe" ? from.reader.get() : file.get(), .out = to.writer.get(),
                                      .memory_limit_bytes = 64u << 20});
      to.writer.reset();
      from.reader.reset();
      const Feeder feeder(std::move(from.writer), input == "pipe" ? std::string_view(zeros) : std::string_view());
      std::vector<char> block(256 << 10);
      std::uint64_t read_bytes = 0;
      ssize_t n = 1;
      for (; n > 0 && read_bytes < 16u << 20; read_bytes += static_cast<std::uint64_t>(n))
        n = ::read(to.reader.get(), block.data(), block.size());
      CHECK(n > 0);
      CHECK(process.running());
      CHECK(process.peak_memory_bytes() < (8u << 20) + tool.block_bytes);
      to.reader.reset();
      CHECK(process.wait(20).status == 128 + SIGPIPE);
    }
}
#endif
