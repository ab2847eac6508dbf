// SPDX-License-Identifier: MIT
// record-write and record-read: the format byte for byte, each way back, every kind of corruption with its record and its
// offset, and ends that are slow, full or gone. What every tool does alike (options, closed ends, directories) is tested
// with the others.
#include "../environment.h"
#include "catch.h"
#include "ends.h"
#include "server.h"
#include "toolbox.h"
#include "tracing.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>

#include <algorithm>

using namespace iobench::testing;
using iobench::Descriptor;
using iobench::open_file;

namespace {

using Words = std::vector<std::string>;
constexpr std::size_t default_payload = 4112 - 8;
const std::string modes[] = {"", "--raw"};

Words tool(const std::string& name, const std::string& mode, const Words& more = {}) {
  Words argv = {tool_path(name)};
  if (!mode.empty()) argv.push_back(mode);
  argv.insert(argv.end(), more.begin(), more.end());
  return argv;
}

// What a head says, put together another way than the tools do.
std::string head(std::uint32_t length) {
  std::string bytes = "IOBR";
  for (const int shift : {0, 8, 16, 24}) bytes += static_cast<char>(length >> shift & 0xff);
  return bytes;
}

std::string records_of(const std::string& bytes, std::size_t payload) {
  std::string records;
  for (std::size_t at = 0; at < bytes.size(); at += payload) {
    const std::string part = bytes.substr(at, payload);
    records += head(static_cast<std::uint32_t>(part.size())) + part;
  }
  return records;
}

void check_bytes(const Copied& copied, const std::string& expected) {
  INFO(copied.ended.err);
  CHECK(copied.ended.status == 0);
  CHECK(copied.ended.err == "");
  CHECK(copied.bytes.size() == expected.size());
  CHECK((copied.bytes == expected));
}

void check_broken(const std::string& records, const std::string& said, const std::string& written) {
  for (const std::string& mode : modes)
    for (const std::string input : {"file", "pipe"}) {
      const Copied copied = copy(tool("record-read", mode), input, "file", records, 1000);
      INFO(mode << " " << said << "\n" << copied.ended.err);
      CHECK(copied.ended.status == 1);
      CHECK(copied.ended.err == "record-read: " + said + "\n");
      CHECK((copied.bytes == written));
      const Copied drained = copy(tool("record-read", mode, {"--drain"}), input, "file", records);
      CHECK(drained.ended.err == "record-read: " + said + "\n");
    }
}

}  // namespace

TEST_CASE("records are heads and payloads, and come back as what they were made of") {
  const std::string bytes = some_bytes((1 << 20) + 7);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, default_payload - 1, default_payload,
                                 default_payload + 1, 2 * default_payload, bytes.size()})
    for (const std::string& mode : modes) {
      INFO(size << " bytes " << mode);
      const std::string part = bytes.substr(0, size);
      const std::string records = records_of(part, default_payload);
      check_bytes(copy(tool("record-write", mode), "file", "file", part), records);
      check_bytes(copy(tool("record-read", mode), "file", "file", records), part);
    }
}

TEST_CASE("records of every size") {
  const std::string bytes = some_bytes(300001);
  for (const std::string block : {"9", "10", "32", "263", "264", "265", "528", "4096", "37000", "64K", "16M"}) {
    const std::size_t payload = block == "64K" ? 65528 : block == "16M" ? (16u << 20) - 8 : std::stoul(block) - 8;
    const std::string part = bytes.substr(0, block.size() > 2 ? bytes.size() : 5000);  // --raw: a call for each record
    const std::string records = records_of(part, payload);
    for (const std::string& mode : modes) {
      INFO("-b " << block << " " << mode);
      check_bytes(copy(tool("record-write", mode, {"-b", block}), "pipe", "pipe", part, 3000), records);
      check_bytes(copy(tool("record-read", mode), "pipe", "pipe", records, 3000), part);
    }
  }
}

TEST_CASE("records of different sizes in one stream, empty ones too") {
  std::string bytes, records;
  for (const std::size_t size : {1u, 64u, 65u, 0u, 4104u, 3u, 200000u, 0u, 63u, 1u << 20, 128u}) {
    const std::string part = some_bytes(size, size + 1);
    bytes += part;
    records += head(static_cast<std::uint32_t>(size)) + part;
  }
  for (const std::string& mode : modes)
    for (const std::string input : {"file", "pipe"})
      check_bytes(copy(tool("record-read", mode), input, "pipe", records, 5000), bytes);
}

TEST_CASE("a record that is larger than record-write makes them") {
  const std::string bytes = some_bytes(20 << 20);
  for (const std::string& mode : modes)
    check_bytes(copy(tool("record-read", mode), "file", "file", head(20 << 20) + bytes), bytes);
}

TEST_CASE("generated payloads are the pattern of 2004, whatever the records") {
  for (const std::string block : {"9", "32", "264", "265", "4112", "64K"})
    for (const std::size_t size : {std::size_t{1}, std::size_t{255}, std::size_t{4104}, std::size_t{20003}}) {
      std::string pattern(size, '\0');
      for (std::size_t i = 0; i < size; i++) pattern[i] = static_cast<char>((i + 128) % 256);
      const std::string records = records_of(pattern, (block == "64K" ? 65536 : std::stoul(block)) - 8);
      for (const std::string& mode : modes) {
        INFO("-b " << block << " --fill " << size << " " << mode);
        const Scratch scratch;
        Sink sink("pipe", scratch);
        const Words argv = tool("record-write", mode, {"-b", block, "--fill", std::to_string(size)});
        CHECK(run(argv, {.in = -1, .out = sink.fd()}).status == 0);
        CHECK((sink.collect() == records));
      }
    }
}

TEST_CASE("every pair of ends, fed little by little and read late") {
  const std::string bytes = some_bytes(150001);
  const std::string records = records_of(bytes, default_payload);
  for (const std::string& mode : modes)
    for (const std::string input : {"file", "pipe", "fifo", "socket", "tcp"})
      for (const std::string output : {"file", "append", "pipe", "fifo", "socket", "tcp", "tty"}) {
        INFO(input << " to " << output << " " << mode);
        const Scratch scratch;
        Source source(input, scratch, bytes, 700);
        Sink sink(output, scratch, "", 0.02);
        CHECK(run(tool("record-write", mode), {.in = source.fd(), .out = sink.fd()}).status == 0);
        CHECK((sink.collect() == records));
        check_bytes(copy(tool("record-read", mode), input, output, records, 700), bytes);
      }
}

TEST_CASE("non-blocking ends are waited for by system calls, a full one ends stdio loudly") {
  const std::string bytes = some_bytes(300000);
  const std::string records = records_of(bytes, default_payload);
  for (const std::string name : {"record-write", "record-read"})
    for (const std::string& mode : modes) {
      const std::string& given = name == "record-write" ? bytes : records;
      const std::string& expected = name == "record-write" ? records : bytes;
      INFO(name << " " << mode);
      const Scratch scratch;
      Pair pipe = pipe_pair();
      set_nonblocking(pipe.reader.get());
      Sink sink("file", scratch);
      {
        Process process(tool(name, mode), {.in = pipe.reader.get(), .out = sink.fd()});
        sleep_s(0.05);  // it meets an empty input
        const Feeder feeder(std::move(pipe.writer), given, 20000);
        CHECK(process.wait(20).status == 0);
      }
      CHECK((sink.collect() == expected));

      Source source("file", scratch, given);
      Pair full = pipe_pair();
      set_nonblocking(full.writer.get());
      Drainer drainer(std::move(full.reader), 0.1);
      const Ended ended = run(tool(name, mode), {.in = source.fd(), .out = full.writer.get()}, 20);
      full.writer.reset();
      const std::string arrived = drainer.join();
      if (mode == "--raw") {
        CHECK(ended.status == 0);
        CHECK((arrived == expected));
      } else {
        CHECK(ended.status == 1);
        CHECK(ended.err == name + ": write standard output: Resource temporarily unavailable\n");
        CHECK((expected.compare(0, arrived.size(), arrived) == 0));
      }
    }
}

TEST_CASE("--drain reads all and writes nothing, to no output at all") {
  const std::string records = records_of(some_bytes(100000), default_payload);
  for (const std::string& mode : modes) {
    const Scratch scratch;
    const Descriptor in = open_file(scratch.write("in", records), O_RDONLY);
    CHECK(run(tool("record-read", mode, {"--drain"}), {.in = in.get(), .out = -1}).status == 0);
    CHECK(lseek(in.get(), 0, SEEK_CUR) == static_cast<off_t>(records.size()));
  }
}

TEST_CASE("what is no record, and what is cut, is told with its number and its place") {
  const std::string bytes = some_bytes(20 * default_payload);
  const std::string records = records_of(bytes, default_payload);
  const auto kept = [&](std::size_t count) { return bytes.substr(0, count * default_payload); };
  const auto start = [](std::size_t count) { return count * 4112; };

  check_broken("h", "record 1 at byte 0: head is cut: 1 of 8 bytes", "");
  check_broken(records.substr(0, 3), "record 1 at byte 0: head is cut: 3 of 8 bytes", "");
  check_broken(records.substr(0, start(17) + 3), "record 18 at byte 69904: head is cut: 3 of 8 bytes", kept(17));
  check_broken(records.substr(0, start(17) + 7), "record 18 at byte 69904: head is cut: 7 of 8 bytes", kept(17));
  check_broken(records.substr(0, start(17) + 8), "record 18 at byte 69904: payload is cut: 0 of 4104 bytes", kept(17));
  check_broken(records.substr(0, start(17) + 20), "record 18 at byte 69904: payload is cut: 12 of 4104 bytes", kept(17));
  check_broken(records.substr(0, start(18) - 1), "record 18 at byte 69904: payload is cut: 4103 of 4104 bytes", kept(17));

  check_broken("some text that is no record", "record 1 at byte 0: not a record: head begins 73 6f 6d 65, not IOBR", "");
  for (const std::size_t at : {0u, 1u, 2u, 3u}) {  // every byte of the magic counts
    std::string damaged = records;
    damaged[start(2) + at] = '\xff';
    std::string shown = "49 4f 42 52";
    shown.replace(3 * at, 2, "ff");
    check_broken(damaged, "record 3 at byte 8224: not a record: head begins " + shown + ", not IOBR", kept(2));
  }
  // A payload one byte short: the next head is not where it should be.
  std::string shifted = records;
  shifted.erase(start(1) + 100, 1);
  const std::string next = records.substr(start(2), 8);
  check_broken(shifted, "record 3 at byte 8224: not a record: head begins 4f 42 52 08, not IOBR",
               kept(1) + shifted.substr(start(1) + 8, default_payload));
}

TEST_CASE("a length that lies costs no memory and is told") {
  check_broken(head(0xffffffff) + "x",
               "record 1 at byte 0: a payload of 4294967295 bytes is more than 1 GiB, the most that is read", "");
  check_broken(head(1) + "a" + head((1u << 30) + 1),
               "record 2 at byte 9: a payload of 1073741825 bytes is more than 1 GiB, the most that is read", "a");
  check_broken(head(1) + "a" + head(1u << 30) + "xyz",
               "record 2 at byte 9: payload is cut: 3 of 1073741824 bytes", "a");
#ifndef __SANITIZE_ADDRESS__
  const Scratch scratch;
  const Descriptor in = open_file(scratch.write("in", head(3) + "abc" + head(1u << 29)), O_RDONLY);
  for (const std::string& mode : modes) {
    REQUIRE(lseek(in.get(), 0, SEEK_SET) == 0);
    Sink sink("file", scratch);
    const Ended ended =
        run(tool("record-read", mode), {.in = in.get(), .out = sink.fd(), .memory_limit_bytes = 100u << 20});
    CHECK(ended.status == 1);
    CHECK(ended.err ==
          "record-read: record 2 at byte 11: allocate a buffer of 536870912 bytes: Cannot allocate memory\n");
    CHECK(sink.collect() == "abc");
  }
  // Promised and never sent: what is allocated is not touched. But Meson has malloc fill what it gives, to find faults.
  Environment environment;
  environment.set("MALLOC_PERTURB_", "0");
  for (const std::string& mode : modes) {
    Pair pipe = pipe_pair();
    Sink sink("file", scratch);
    Process process(tool("record-read", mode), {.in = pipe.reader.get(), .out = sink.fd()});
    pipe.reader.reset();
    const std::string lie = head(1u << 30) + std::string(100, 'x');
    REQUIRE(write(pipe.writer.get(), lie.data(), lie.size()) == static_cast<ssize_t>(lie.size()));
    // Until it is the tool that runs, not yet a copy of this test, and has taken all that was sent.
    int unread = 1;
    CHECK(eventually([&] { return ioctl(pipe.writer.get(), FIONREAD, &unread) == 0 && unread == 0; }));
    sleep_s(0.1);
    CHECK(process.running());
    CHECK(process.peak_memory_bytes() < 8u << 20);
    pipe.writer.reset();
    CHECK(process.wait(20).status == 1);
  }
#endif
}

TEST_CASE("full devices, readers that have gone, files that may not grow") {
  const std::string bytes = some_bytes(1 << 20);
  for (const std::string name : {"record-write", "record-read"})
    for (const std::string& mode : modes) {
      INFO(name << " " << mode);
      for (const std::size_t size : {1u, 100u, 5000u, 1u << 20}) {
        const std::string part = bytes.substr(0, size);
        const std::string given = name == "record-write" ? part : records_of(part, default_payload);
        const Copied copied = copy(tool(name, mode), "file", "full", given);
        CHECK(copied.ended.status == 1);
        CHECK(copied.ended.err == name + ": write standard output: No space left on device\n");
      }
      const std::string given = name == "record-write" ? bytes : records_of(bytes, default_payload);
      const Scratch scratch;
      for (const bool ignore : {false, true}) {
        const Descriptor in = open_file(scratch.write("in", given), O_RDONLY);
        Pair pair = pipe_pair();
        pair.reader.reset();
        const Ended gone = run(tool(name, mode), {.in = in.get(), .out = pair.writer.get(), .ignore_broken_pipe = ignore});
        CHECK(gone.status == (ignore ? 1 : 128 + SIGPIPE));
        if (ignore) CHECK(gone.err == name + ": write standard output: Broken pipe\n");
        REQUIRE(lseek(in.get(), 0, SEEK_SET) == 0);
        const Descriptor out = open_file(scratch / "out", O_WRONLY | O_CREAT | O_TRUNC);
        const Ended limited = run(tool(name, mode), {.in = in.get(), .out = out.get(), .ignore_file_limit = ignore,
                                                     .file_limit_bytes = 64000});
        CHECK(limited.status == (ignore ? 1 : 128 + SIGXFSZ));
        if (ignore) CHECK(limited.err == name + ": write standard output: File too large\n");
      }
    }
}

TEST_CASE("--raw makes the calls that it says: a read of the payload and a write of the record, two reads and a write") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(10 * default_payload);
  const std::string records = records_of(bytes, default_payload);
  CHECK(data_calls(trace(tool("record-write", "--raw"), bytes, "in", "").calls) == Calls{"read 4104"});
  CHECK(data_calls(trace(tool("record-write", "--raw"), bytes, "out", "").calls) == Calls{"write 4112"});
  CHECK(data_calls(trace(tool("record-read", "--raw"), records, "in", "").calls) == Calls{"read 8", "read 4104"});
  CHECK(data_calls(trace(tool("record-read", "--raw"), records, "out", "").calls) == Calls{"write 4104"});
  // Through stdio small records cost no calls of their own.
  const Words small = tool("record-write", "", {"-b", "32"});
  CHECK(data_calls(trace(small, some_bytes(24 * 1024), "out", "").calls) == Calls{"write 4096"});
  CHECK(data_calls(trace(tool("record-read", ""), records_of(some_bytes(24 * 1024), 24), "in", "").calls) ==
        Calls{"read 4096"});
}

TEST_CASE("interrupted reads and writes go on") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(60001);
  const std::string records = records_of(bytes, default_payload);
  for (const std::string name : {"record-write", "record-read"})
    for (const std::string& mode : modes) {
      const std::string& given = name == "record-write" ? bytes : records;
      const std::string& expected = name == "record-write" ? records : bytes;
      for (const std::string when : {"1+2", "2", "1"}) {
        const Traced copied = trace(tool(name, mode), given, "in", "read:error=EINTR:when=" + when);
        INFO(name << " " << mode << " when=" << when << ": " << copied.ended.err);
        CHECK(copied.ended.status == 0);
        CHECK((copied.bytes == expected));
      }
      const Traced copied = trace(tool(name, mode), given, "out", "write:error=EINTR:when=2");
      INFO(name << " " << mode << ": " << copied.ended.err);
      if (mode == "--raw") {
        CHECK(copied.ended.status == 0);
        CHECK((copied.bytes == expected));
      } else {
        CHECK(copied.ended.status == 1);
        CHECK(copied.ended.err == name + ": write standard output: Interrupted system call\n");
      }
    }
}

TEST_CASE("a read error is neither an end nor a cut record, and what was read before it is written") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(60001);
  for (const std::string& mode : modes) {
    const Traced written = trace(tool("record-write", mode), bytes, "in", "read:error=EIO:when=3+");
    INFO(mode << " " << written.ended.err);
    CHECK(written.ended.status == 1);
    CHECK(written.ended.err == "record-write: read standard input: Input/output error\n");
    const Copied back = copy(tool("record-read", mode), "file", "file", written.bytes);
    CHECK(back.ended.status == 0);
    CHECK(back.bytes.size() >= 8192 - 4);
    CHECK((bytes.compare(0, back.bytes.size(), back.bytes) == 0));

    for (const std::string when : {"3+", "4+"}) {  // --raw: of a head, of a payload
      const Traced read = trace(tool("record-read", mode), records_of(bytes, default_payload), "in", "read:error=EIO:when=" + when);
      CHECK(read.ended.status == 1);
      CHECK(read.ended.err == "record-read: read standard input: Input/output error\n");
      CHECK(read.bytes.size() >= default_payload);
      CHECK((bytes.compare(0, read.bytes.size(), read.bytes) == 0));
    }
  }
}

TEST_CASE("a failing close of an output counts") {
  if (!can_trace()) return;
  for (const std::string name : {"record-write", "record-read"})
    for (const std::string& mode : modes) {
      const Traced copied = trace(tool(name, mode), records_of(some_bytes(5000), default_payload), "out", "close:error=EIO");
      CHECK(copied.ended.status == 1);
      CHECK(copied.ended.err == name + ": close standard output: Input/output error\n");
    }
}

#ifndef __SANITIZE_ADDRESS__
TEST_CASE("memory stays constant: 4 GiB of records each way, offsets beyond 32 bits") {
  for (const std::string& mode : modes) {
    INFO(mode);
    const Scratch scratch;
    Pair pipe = pipe_pair();
    fcntl(pipe.writer.get(), F_SETPIPE_SZ, 1 << 20);
    const Descriptor null = open_file("/dev/null", O_WRONLY);
    // The record after the last is cut: its offset tells that nothing was lost before.
    const std::uint64_t count = 4200;
    const Words fill = tool("record-write", mode, {"-b", "1M", "--fill", std::to_string(count * ((1 << 20) - 8))});
    const std::string script = "\"$@\" && printf 1234567";
    Words writer = {"sh", "-c", script, "sh"};
    writer.insert(writer.end(), fill.begin(), fill.end());
    Process writing(writer, {.in = -1, .out = pipe.writer.get()});
    pipe.writer.reset();
    const Ended read = run(tool("record-read", mode), {.in = pipe.reader.get(), .out = null.get(),
                                                       .memory_limit_bytes = 64u << 20}, 120);
    CHECK(writing.wait(20).status == 0);
    CHECK(read.status == 1);
    CHECK(read.err == "record-read: record 4201 at byte 4404019200: head is cut: 7 of 8 bytes\n");
  }
}
#endif
