// SPDX-License-Identifier: MIT
// What only copy-stream does: choose, say why, take turns with a second thread, and go on where the kernel declines.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"
#include "tracing.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

using namespace iobench::testing;
using iobench::Descriptor;
using iobench::open_file;
using iobench::read_file;

namespace {

constexpr std::size_t long_copy = (9 << 20) + 12345;  // enough for two threads

std::vector<std::string> copy_stream(std::vector<std::string> options = {}) {
  options.insert(options.begin(), tool_path("copy-stream"));
  return options;
}

std::string explained(const std::string& input, const std::string& output, std::size_t size,
                      std::vector<std::string> options = {}) {
  options.push_back("--explain");
  const std::string bytes = some_bytes(size);
  const Copied copied = copy(copy_stream(options), input, output, bytes);
  CHECK(copied.ended.status == 0);
  if (output != "null") CHECK((copied.bytes == bytes));
  return copied.ended.err;
}

bool says(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

bool two_processors() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 1;
}

// On which it depends whether a pipe is given memory.
bool huge_pages_to_be_had() {
  const std::string setting = iobench::read_file_or_empty("/sys/kernel/mm/transparent_hugepage/enabled");
  return says(setting, "[always]") || says(setting, "[madvise]");
}

}  // namespace

TEST_CASE("it says what it chose and why") {
  CHECK(says(explained("file", "file", 1000), "copies: from a file to a file\n"));
  CHECK(says(explained("file", "file", 1000), "read and write: too little for a second thread\n"));
  if (two_processors()) CHECK(says(explained("file", "file", long_copy), "two threads"));
  CHECK(says(explained("file", "append", long_copy), "to a file, appending\n"));
  CHECK(says(explained("file", "pipe", 1000), "the reader must not see later changes"));
  if (huge_pages_to_be_had()) CHECK(says(explained("file", "pipe", long_copy), "copy-stream: read and vmsplice: "));
  CHECK(says(explained("file", "pipe", 1000, {"--share-pages"}), "splice: the file's own pages, as asked\n"));
  CHECK(says(explained("file", "socket", 1000, {"--share-pages"}), "sendfile: the file's own pages, as asked\n"));
  CHECK(says(explained("pipe", "pipe", 1000), "copy-stream: splice: "));
  CHECK(says(explained("pipe", "socket", 1000), "from a pipe to a UNIX socket\n"));
  CHECK(says(explained("tcp", "file", 1000), "from a TCP connection inside this machine to a file\n"));
  CHECK(says(explained("socket", "socket", 100000), "copy-stream: splice: "));
  CHECK(says(explained("file", "null", 1000), "from a file to the null device\n"));
  CHECK(says(explained("pipe", "tty", 1000), "from a pipe to a terminal\n"));
  CHECK(says(explained("file", "file", 0), "an empty file"));
}

TEST_CASE("without --explain it says nothing") {
  for (const std::string input : {"file", "pipe"}) {
    const Copied copied = copy(copy_stream(), input, "pipe", some_bytes(100000));
    CHECK(copied.ended.err == "");
  }
}

TEST_CASE("a reader does not see what happens to the file afterwards") {
  const Scratch scratch;
  const std::string before(60000, 'a');
  const Descriptor file = open_file(scratch.write("in", before), O_RDWR);
  Pair pipe = pipe_pair();
  REQUIRE(run(copy_stream(), {.in = file.get(), .out = pipe.writer.get()}).status == 0);
  const std::string after(60000, 'b');
  REQUIRE(pwrite(file.get(), after.data(), after.size(), 0) == 60000);
  pipe.writer.reset();
  CHECK((drain(pipe.reader.get()) == before));
}

TEST_CASE("what a pipe was given never changes, neither with the file nor with what is copied later") {
  const Scratch scratch;
  const std::string bytes = some_bytes(long_copy);
  const Descriptor file = open_file(scratch.write("in", bytes), O_RDWR);
  Pair pipe = pipe_pair();
  const Pair kept = pipe_pair();
  const int holds = fcntl(kept.writer.get(), F_SETPIPE_SZ, 1 << 20);
  if (holds < 0) return;  // an unprivileged user whose pipes have been used up
  Process process(copy_stream(), {.in = file.get(), .out = pipe.writer.get()});
  pipe.writer.reset();
  // The second pipe holds the same pages as the first, and goes on to hold them after the first has been emptied.
  std::size_t held = 0;
  while (held < 256 << 10) {
    const ssize_t n = tee(pipe.reader.get(), kept.writer.get(), 1 << 20, 0);
    REQUIRE(n > 0);
    std::string taken(static_cast<std::size_t>(n), '\0');
    for (std::size_t at = 0; at < taken.size();) {
      const ssize_t m = read(pipe.reader.get(), taken.data() + at, taken.size() - at);
      REQUIRE(m > 0);
      at += static_cast<std::size_t>(m);
    }
    CHECK((taken == bytes.substr(held, taken.size())));
    held += taken.size();
  }
  const std::string other(held, 'b');
  REQUIRE(pwrite(file.get(), other.data(), held, 0) == static_cast<ssize_t>(held));
  CHECK((drain(pipe.reader.get()) == bytes.substr(held)));
  CHECK(process.wait(20).status == 0);
  std::string still(held, '\0');
  REQUIRE(read(kept.reader.get(), still.data(), held) == static_cast<ssize_t>(held));
  CHECK((still == bytes.substr(0, held)));
}

TEST_CASE("a pipe that takes no pages gets bytes", "[little-memory]") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(long_copy);
  std::vector<std::string> injections = {"vmsplice:error=EINVAL",          "vmsplice:error=ENOSYS:when=3",
                                         "vmsplice:error=EAGAIN:when=2",   "vmsplice:error=EINTR:when=2",
                                         "vmsplice:retval=0:when=2",       "madvise:error=EINVAL:when=1",
                                         "madvise:error=EINVAL:when=3"};
#ifndef __SANITIZE_ADDRESS__  // whose libraries want memory of their own
  injections.push_back("mmap:error=ENOMEM:when=12+");
#endif
  for (const std::string& injection : injections) {
    const Scratch scratch;
    Source source("file", scratch, bytes);
    Sink sink("pipe", scratch);
    const Ended ended = run_traced(copy_stream(), {"-o", "/dev/null", "-e", "inject=" + injection},
                                   {.in = source.fd(), .out = sink.fd()});
    INFO(injection << ": " << ended.err);
    CHECK(ended.status == 0);
    CHECK((sink.collect() == bytes));
  }
}

TEST_CASE("turns leave both offsets behind the data, stop at -n, and begin where the file stands") {
  const Scratch scratch;
  const std::string bytes = some_bytes(long_copy);
  const Descriptor in = open_file(scratch.write("in", bytes), O_RDONLY);
  for (const std::size_t begin : {0u, 1u, 4097u})
    for (const std::size_t limit : {std::size_t{8} << 20, (std::size_t{8} << 20) + 77, long_copy + 1}) {
      const Descriptor out = open_file(scratch / "out", O_WRONLY | O_CREAT | O_TRUNC);
      REQUIRE(write(out.get(), "head", 4) == 4);
      REQUIRE(lseek(in.get(), static_cast<off_t>(begin), SEEK_SET) >= 0);
      const Ended ended = run(copy_stream({"-n", std::to_string(limit)}), {.in = in.get(), .out = out.get()});
      CHECK(ended.status == 0);
      const std::size_t copied = std::min(limit, bytes.size() - begin);
      CHECK(lseek(in.get(), 0, SEEK_CUR) == static_cast<off_t>(begin + copied));
      CHECK(lseek(out.get(), 0, SEEK_CUR) == static_cast<off_t>(4 + copied));
      CHECK((read_file(scratch / "out") == "head" + bytes.substr(begin, copied)));
    }
}

TEST_CASE("when a read fails in one thread, all that was read before is written by the other") {
  if (!can_trace() || !two_processors()) return;
  const std::string bytes = some_bytes(long_copy);
  for (const int when : {1, 2, 5}) {  // strace counts each thread's reads by themselves
    const Traced copied = trace(copy_stream(), bytes, "in", "read:error=EIO:when=" + std::to_string(when));
    CHECK(copied.ended.status == 1);
    CHECK(copied.ended.err == "copy-stream: read standard input: Input/output error\n");
    CHECK((copied.bytes == bytes.substr(0, static_cast<std::size_t>(when - 1) << 21)));
  }
}

TEST_CASE("a second thread on a file that shrinks, and on a device that fills up") {
  const Scratch scratch;
  const std::string bytes = some_bytes(long_copy);
  const Descriptor in = open_file(scratch.write("in", bytes), O_RDWR);
  const Descriptor out = open_file(scratch / "out", O_WRONLY | O_CREAT);
  const Ended ended = run(copy_stream(), {.in = in.get(), .out = out.get(), .ignore_file_limit = true,
                                          .file_limit_bytes = (8 << 20) + 1000});
  CHECK(ended.status == 1);
  CHECK(ended.err == "copy-stream: write standard output: File too large\n");
  CHECK((read_file(scratch / "out") == bytes.substr(0, (8 << 20) + 1000)));
  // A file may be longer when it is looked at than when it is read.
  if (!can_trace() || !two_processors()) return;
  const Traced shrunk = trace(copy_stream(), bytes, "in", "read:retval=0:when=4+");
  CHECK(shrunk.ended.status == 0);
  CHECK((shrunk.bytes == bytes.substr(0, 6 << 20)));
}

TEST_CASE("little memory, no pipe and no second thread are no reason to fail", "[little-memory]") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(long_copy);
#ifndef __SANITIZE_ADDRESS__  // whose libraries want memory of their own
  for (const std::string injection : {"clone,clone3:error=EAGAIN", "mmap:error=ENOMEM:when=12+", "madvise:error=EINVAL",
                                      "sched_getaffinity,sched_setaffinity:error=EPERM"}) {
    const Scratch scratch;
    Source source("file", scratch, bytes);
    Sink sink("file", scratch);
    const Ended ended = run_traced(copy_stream(), {"-o", "/dev/null", "-e", "inject=" + injection},
                                   {.in = source.fd(), .out = sink.fd()});
    INFO(injection << ": " << ended.err);
    CHECK(ended.status == 0);
    CHECK((sink.collect() == bytes));
  }
#endif
  for (const std::string injection : {"pipe2:error=EMFILE", "fcntl:error=EPERM", "splice:error=EINVAL:when=2",
                                      "splice:error=EINVAL:when=4+", "splice:error=EIO:when=2+3", "splice:retval=0:when=3"}) {
    const Scratch scratch;
    Source source("socket", scratch, bytes);
    Sink sink("socket", scratch);
    const Ended ended = run_traced(copy_stream(), {"-o", "/dev/null", "-e", "inject=" + injection},
                                   {.in = source.fd(), .out = sink.fd()});
    source.close();
    INFO(injection << ": " << ended.err);
    CHECK(ended.status == 0);
    CHECK((sink.collect() == bytes));
  }
}

TEST_CASE("its own pipe never becomes standard error") {
  const Scratch scratch;
  const std::string bytes = some_bytes(300000);
  Source source("socket", scratch, bytes);
  Sink sink("socket", scratch);
  const Ended ended = run({"sh", "-c", "exec " + tool_path("copy-stream") + " --explain 2>&-"},
                          {.in = source.fd(), .out = sink.fd()});
  source.close();
  CHECK(ended.status == 0);
  CHECK((sink.collect() == bytes));
}

TEST_CASE("what can be read is copied: files without a size, devices") {
  for (const char* path : {"/proc/version", "/proc/self/limits", "/dev/null", "/sys/kernel/mm/transparent_hugepage/enabled"}) {
    if (access(path, R_OK) != 0) continue;
    const Scratch scratch;
    const Descriptor in = open_file(path, O_RDONLY);
    Sink sink("pipe", scratch);
    INFO(path);
    CHECK(run(copy_stream(), {.in = in.get(), .out = sink.fd()}).status == 0);
    const std::string arrived = sink.collect();
    if (std::string(path) == "/dev/null") {
      CHECK(arrived.empty());
      continue;
    }
    CHECK(!arrived.empty());
    if (std::string(path) != "/proc/self/limits") CHECK(arrived == read_file(path));
  }
  const Scratch scratch;
  const Descriptor zero = open_file("/dev/zero", O_RDONLY);
  Sink sink("pipe", scratch);
  CHECK(run(copy_stream({"-n", "3M"}), {.in = zero.get(), .out = sink.fd()}).status == 0);
  CHECK((sink.collect() == std::string(3 << 20, '\0')));
}
