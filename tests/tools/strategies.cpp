// SPDX-License-Identifier: MIT
// What the single strategies of today have that no other tool has: a ring, a second thread, a mapping, a pipe of their
// own, pages given away, a second descriptor.
#include "catch.h"
#include "ends.h"
#include "toolbox.h"
#include "tracing.h"

#include <fcntl.h>
#include <signal.h>

#include "tool.h"

using namespace iobench::testing;
using iobench::Descriptor;
using iobench::open_file;

namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& tool, const Words& options) {
  Words argv = {tool_path(tool)};
  argv.insert(argv.end(), options.begin(), options.end());
  return argv;
}

off_t position(const Descriptor& fd) { return lseek(fd.get(), 0, SEEK_CUR); }

// A file to copy under strace with one injection, and what became of both ends.
struct Injected {
  Injected(const Words& argv, const std::string& bytes, const std::string& watched, const std::string& injection) {
    const Scratch scratch;
    const Descriptor in = open_file(scratch.write("in", bytes), O_RDONLY);
    const Descriptor out = open_file(scratch / "out", O_WRONLY | O_CREAT);
    Words options = {"-o", "/dev/null", "-e", "inject=" + injection};
    if (!watched.empty()) options.insert(options.end(), {"-P", scratch / watched});
    ended = run_traced(argv, options, {.in = in.get(), .out = out.get()});
    input_at = position(in);
    copied = iobench::read_file(scratch / "out");
  }
  Ended ended;
  off_t input_at;
  std::string copied;
};

}  // namespace

TEST_CASE("splice: what the output does not take is not lost in the pipe between") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(100000);
  const Words argv = words_of("splice-copy", {"-b", "4K"});
  // The calls on the output: the question, the first block, the second.
  for (const int when : {1, 2, 3}) {
    const Injected declined(argv, bytes, "out", "splice:error=EINVAL:when=" + std::to_string(when));
    INFO(when << ": " << declined.ended.err);
    CHECK(declined.ended.status == (when < 3 ? 77 : 1));
    CHECK(declined.ended.err == "splice-copy: splice standard output: Invalid argument\n");
    CHECK(declined.input_at == (when < 3 ? 0 : 4096));
    CHECK((declined.copied == bytes.substr(0, when < 3 ? 0 : 4096)));
  }
  const Injected full(argv, bytes, "out", "splice:error=ENOSPC:when=3+");
  CHECK(full.ended.status == 1);
  CHECK(full.ended.err == "splice-copy: splice standard output: No space left on device\n");
  const Injected nothing(argv, bytes, "out", "splice:retval=0:when=2+");
  CHECK(nothing.ended.status == 1);
  CHECK(nothing.ended.err == "splice-copy: splice standard output: no byte was taken\n");
  CHECK(nothing.input_at == 0);
}

TEST_CASE("splice: an output that takes no splice is found before a socket is read") {
  const Scratch scratch;
  for (const std::string kind : {"append", "full"}) {
    Pair socket = unix_pair();
    REQUIRE(feed(std::move(socket.writer), "still here"));
    Sink sink(kind, scratch, "old");
    const Ended ended = run(words_of("splice-copy", {}), {.in = socket.reader.get(), .out = sink.fd()});
    INFO(kind << ": " << ended.err);
    CHECK(ended.status == 77);
    CHECK(drain(socket.reader.get()) == "still here");
  }
}

TEST_CASE("splice: its own pipe is of the size asked for") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(1 << 20);
  for (const bool refused : {false, true}) {
    INFO("refused: " << refused);
    const Scratch scratch;
    const Descriptor in = open_file(scratch.write("in", bytes), O_RDONLY);
    const Descriptor out = open_file(scratch / "out", O_WRONLY | O_CREAT);
    Words options = {"-o", scratch / "trace", "-e", "trace=splice,fcntl"};
    if (refused) options.insert(options.end(), {"-e", "inject=fcntl:error=EPERM:when=8"});
    const Ended ended = run_traced(words_of("splice-copy", {"--pipe-size", "256K"}), options,
                                   {.in = in.get(), .out = out.get()});
    INFO(ended.err);
    CHECK(ended.status == 0);
    CHECK((iobench::read_file(scratch / "out") == bytes));
    const std::string calls = iobench::read_file(scratch / "trace");
    const std::size_t asked = calls.find("F_SETPIPE_SZ, 262144)");
    REQUIRE(asked != std::string::npos);
    const std::string answer = calls.substr(asked, calls.find('\n', asked) - asked);
    CHECK((answer.find("EPERM") != std::string::npos) == refused);
  }
}

TEST_CASE("mmap: from any offset, to any size, in any window") {
  const std::string bytes = some_bytes(20000);
  for (const std::string window : {"1", "4095", "4096", "4097", "1M"})
    for (const off_t start : {0, 1, 4095, 4096, 4097, 19999, 20000, 20001}) {
      if (window == "1" && start < 19999) continue;
      INFO(window << " from " << start);
      const Scratch scratch;
      const Descriptor in = open_file(scratch.write("in", bytes), O_RDONLY);
      REQUIRE(lseek(in.get(), start, SEEK_SET) == start);
      Sink sink("file", scratch);
      CHECK(run(words_of("mmap-copy", {"-b", window}), {.in = in.get(), .out = sink.fd()}).status == 0);
      const std::string rest = start < 20000 ? bytes.substr(static_cast<std::size_t>(start)) : "";
      CHECK((sink.collect() == rest));
      CHECK(position(in) == std::max<off_t>(start, 20000));
    }
}

TEST_CASE("mmap: a source that shrinks ends the copy with an error, not with a signal") {
  for (const off_t kept : {0, 5000, (1 << 20) - 10}) {
    INFO(kept);
    const Scratch scratch;
    const Descriptor in = open_file(scratch.write("in", std::string(1 << 20, 'x')), O_RDWR);
    Pair pipe = pipe_pair();
    Process process(words_of("mmap-copy", {"-b", "256K"}), {.in = in.get(), .out = pipe.writer.get()});
    std::string arrived(1000, '\0');
    REQUIRE(read(pipe.reader.get(), arrived.data(), arrived.size()) == 1000);  // it is in the first window
    REQUIRE(ftruncate(in.get(), kept) == 0);
    pipe.writer.reset();
    Drainer rest(std::move(pipe.reader));
    const Ended ended = process.wait(20);
    rest.join();
    CHECK(ended.status == (kept > 1 << 19 ? 0 : 1));
    CHECK(ended.err == (kept > 1 << 19 ? "" : "mmap-copy: standard input shrank while it was copied\n"));
  }
}

TEST_CASE("mmap: a source that grows is copied to its new end") {
  const Scratch scratch;
  const std::string bytes = some_bytes(300000);
  const Descriptor in = open_file(scratch.write("in", bytes.substr(0, 200000)), O_RDWR);
  Pair pipe = pipe_pair();
  Process process(words_of("mmap-copy", {"-b", "64K"}), {.in = in.get(), .out = pipe.writer.get()});
  pipe.writer.reset();
  REQUIRE(pwrite(in.get(), bytes.data() + 200000, 100000, 200000) == 100000);  // the pipe holds it at less than 200,000
  CHECK((drain(pipe.reader.get()) == bytes));
  CHECK(process.wait(20).status == 0);
}

TEST_CASE("mmap: a file that has more than its size says is refused") {
  const Scratch scratch;
  for (const std::string path : {"/proc/version", "/sys/kernel/mm/transparent_hugepage/enabled"}) {
    if (!std::filesystem::exists(path)) continue;
    const Descriptor in = open_file(path, O_RDONLY);
    Sink sink("file", scratch);
    const Ended ended = run(words_of("mmap-copy", {}), {.in = in.get(), .out = sink.fd()});
    INFO(path << ": " << ended.err);
    CHECK(ended.status == 77);
    CHECK(is_one_line_of("mmap-copy", ended.err));
    CHECK(sink.collect() == "");
  }
}

TEST_CASE("io_uring: short pieces stay in order, whatever the depth") {
  if (!has_io_uring()) return;
  const std::string bytes = some_bytes(400007);
  for (const std::string depth : {"1", "2", "16"})
    for (const std::string block : {"4099", "256K"})
      for (const std::string output : {"pipe", "socket", "file"}) {
        INFO("depth " << depth << ", block " << block << ", to " << output);
        const Words argv = words_of("io-uring-copy", {"--depth", depth, "-b", block});
        for (const std::string input : {"pipe", "file"}) {
          const Scratch scratch;
          Source source(input, scratch, bytes, 5000);
          Sink sink(output, scratch, "", input == "file" ? 0.005 : 0);
          Process process(argv, {.in = source.fd(), .out = sink.fd()});
          source.close();
          const Ended ended = process.wait(20);
          CHECK(ended.status == 0);
          CHECK((sink.collect() == bytes));
        }
      }
}

TEST_CASE("io_uring: not available") {
  if (!has_io_uring()) return;
  if (!can_trace()) return;
  const Words argv = words_of("io-uring-copy", {});
  struct Refusal {
    const char* injection;
    const char* said;
  };
  const Refusal refusals[] = {{"io_uring_setup:error=ENOSYS", "io_uring_setup: Function not implemented"},
                              {"io_uring_setup:error=EPERM", "io_uring_setup: Operation not permitted"},
                              {"io_uring_setup:error=ENOMEM", "io_uring_setup: Cannot allocate memory"},
                              {"io_uring_setup:error=EMFILE", "io_uring_setup: Too many open files"},
                              {"io_uring_register:error=EINVAL", "io_uring_register: this kernel does not say"},
                              {"io_uring_enter:error=EPERM", "io_uring_enter: Operation not permitted"}};
  for (const Refusal& refusal : refusals) {
    const Injected refused(argv, "input", "", refusal.injection);
    INFO(refusal.injection << ": " << refused.ended.err);
    CHECK(refused.ended.status == 77);
    CHECK(refused.ended.err.rfind(std::string("io-uring-copy: ") + refusal.said, 0) == 0);
    CHECK(is_one_line_of("io-uring-copy", refused.ended.err));
    CHECK(refused.input_at == 0);
    CHECK(refused.copied == "");
  }
  const Injected interrupted(argv, "input", "", "io_uring_enter:error=EINTR:when=1+2");
  CHECK(interrupted.ended.status == 0);
  CHECK(interrupted.copied == "input");
}

TEST_CASE("io_uring: a read error is not the end") {
  if (!has_io_uring()) return;
  const Scratch scratch;
  const Descriptor in = open_file("/proc/self/mem", O_RDONLY);  // nothing is mapped at 0
  Sink sink("file", scratch);
  const Ended ended = run(words_of("io-uring-copy", {}), {.in = in.get(), .out = sink.fd()});
  CHECK(ended.status == 1);
  CHECK(ended.err == "io-uring-copy: read standard input: Input/output error\n");
}

TEST_CASE("io_uring: after a failed write the output ends where it failed") {
  if (!has_io_uring()) return;
  const std::string bytes = some_bytes(1 << 20);
  for (const std::uint64_t limit : {64000u, 65536u, 300000u}) {
    INFO(limit);
    const Scratch scratch;
    const Descriptor in = open_file(scratch.write("in", bytes), O_RDONLY);
    const Descriptor out = open_file(scratch / "out", O_WRONLY | O_CREAT);
    const Ended ended = run(words_of("io-uring-copy", {"--depth", "8", "-b", "16K"}),
                            {.in = in.get(), .out = out.get(), .ignore_file_limit = true, .file_limit_bytes = limit});
    CHECK(ended.status == 1);
    CHECK(ended.err == "io-uring-copy: write standard output: File too large\n");
    CHECK((iobench::read_file(scratch / "out") == bytes.substr(0, limit)));
    CHECK(position(in) == static_cast<off_t>(limit));
    CHECK(position(out) == static_cast<off_t>(limit));
  }
}

TEST_CASE("vmsplice: pages are not used again before a slow reader has read them") {
  const std::string bytes = some_bytes((3 << 20) + 7);
  for (const std::string pipe_size : {"4K", "64K", "1M"})
    for (const std::string block : {"4099", "128K"})
      for (const std::size_t pieces : {0u, 5000u}) {
        INFO("pipe of " << pipe_size << ", block " << block << ", pieces " << pieces);
        const Scratch scratch;
        const bool slow = pieces || pipe_size == "4K";
        const std::string_view some = std::string_view(bytes).substr(0, slow ? 300000 : bytes.size());
        Source source(pieces ? "pipe" : "file", scratch, some, pieces);
        Pair pipe = pipe_pair();
        std::uint64_t holds = 0;
        REQUIRE(tool_parse_size(pipe_size.c_str(), &holds));
        if (fcntl(pipe.writer.get(), F_SETPIPE_SZ, static_cast<int>(holds)) < 0) continue;  // a user with many pipes
        Drainer drainer(std::move(pipe.reader), 0.01, 1000);
        Process process(words_of("vmsplice-copy", {"-b", block}), {.in = source.fd(), .out = pipe.writer.get()});
        source.close();
        pipe.writer.reset();
        CHECK(process.wait(20).status == 0);
        CHECK((drainer.join() == some));
      }
}

TEST_CASE("vmsplice: the reader makes the pipe larger on the way") {
  const std::string bytes = some_bytes(4 << 20);
  const Scratch scratch;
  Source source("file", scratch, bytes);
  Pair pipe = pipe_pair();
  Process process(words_of("vmsplice-copy", {}), {.in = source.fd(), .out = pipe.writer.get()});
  pipe.writer.reset();
  std::string arrived(100000, '\0');
  for (std::size_t done = 0; done < arrived.size();) {
    const ssize_t n = read(pipe.reader.get(), arrived.data() + done, arrived.size() - done);
    REQUIRE(n > 0);
    done += static_cast<std::size_t>(n);
  }
  fcntl(pipe.reader.get(), F_SETPIPE_SZ, 1 << 20);
  sleep_s(0.05);  // it fills the larger pipe
  arrived += drain(pipe.reader.get());
  CHECK(process.wait(20).status == 0);
  CHECK((arrived == bytes));
}

TEST_CASE("vmsplice: what is in the pipe outlives the tool") {
  const std::string bytes = some_bytes(50000);
  const Scratch scratch;
  Source source("file", scratch, bytes);
  Pair pipe = pipe_pair();
  CHECK(run(words_of("vmsplice-copy", {}), {.in = source.fd(), .out = pipe.writer.get()}).status == 0);
  pipe.writer.reset();
  CHECK((drain(pipe.reader.get()) == bytes));
}

TEST_CASE("O_DIRECT: heads and tails that are no whole blocks") {
  const std::size_t mib = 1 << 20;
  const std::string bytes = some_bytes(mib + 1 + 4096);
  const Scratch scratch;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{511}, std::size_t{512}, std::size_t{4095},
                                 std::size_t{4096}, std::size_t{4097}, mib + 1})
    for (const std::size_t in_at : {0u, 1u, 511u, 4096u})
      for (const std::size_t out_at : {0u, 1u, 511u, 4096u}) {
        INFO(size << " bytes from " << in_at << " to " << out_at);
        const std::string wanted = bytes.substr(in_at, size);
        const Descriptor in = open_file(scratch.write("in", bytes.substr(0, in_at + size)), O_RDONLY);
        const Descriptor out = open_file(scratch.write("out", std::string(out_at, '-')), O_WRONLY);
        REQUIRE(lseek(in.get(), static_cast<off_t>(in_at), SEEK_SET) >= 0);
        REQUIRE(lseek(out.get(), static_cast<off_t>(out_at), SEEK_SET) >= 0);
        const Ended ended = run(words_of("direct-copy", {"-b", "64K"}), {.in = in.get(), .out = out.get()});
        CHECK(ended.status == 0);
        CHECK(ended.err == "");
        CHECK((iobench::read_file(scratch / "out") == std::string(out_at, '-') + wanted));
        CHECK(position(in) == static_cast<off_t>(in_at + size));
        CHECK(position(out) == static_cast<off_t>(out_at + size));
      }
}

TEST_CASE("O_DIRECT: a pipe is gathered into whole blocks of a file") {
  const std::string bytes = some_bytes(300007);
  const Copied copied = copy(words_of("direct-copy", {"-b", "64K"}), "pipe", "file", bytes, 5000);
  CHECK(copied.ended.status == 0);
  CHECK((copied.bytes == bytes));
}

TEST_CASE("O_DIRECT: both files are opened so, and where neither can be the tool refuses") {
  if (!can_trace()) return;
  const Scratch scratch;
  const Descriptor in = open_file(scratch.write("in", some_bytes(100000)), O_RDONLY);
  const Descriptor out = open_file(scratch / "out", O_WRONLY | O_CREAT);
  const Words argv = words_of("direct-copy", {});
  const Launch launch = {.in = in.get(), .out = out.get()};
  CHECK(run_traced(argv, {"-o", scratch / "trace"}, launch).status == 0);
  const std::string calls = iobench::read_file(scratch / "trace");
  CHECK(calls.find("\"/proc/self/fd/0\", O_RDONLY|O_DIRECT|O_CLOEXEC") != std::string::npos);
  CHECK(calls.find("\"/proc/self/fd/1\", O_WRONLY|O_DIRECT|O_CLOEXEC") != std::string::npos);
  CHECK(calls.find("pread64(") != std::string::npos);
  CHECK(calls.find("pwrite64(") != std::string::npos);
  REQUIRE(lseek(in.get(), 0, SEEK_SET) == 0);
  REQUIRE(ftruncate(out.get(), 0) == 0);
  const Ended refused = run_traced(argv, {"-o", "/dev/null", "-e", "inject=openat:error=EINVAL", "-P", "/proc/self/fd/0",
                                          "-P", "/proc/self/fd/1"}, launch);
  CHECK(refused.status == 77);
  CHECK(position(in) == 0);
  CHECK(iobench::read_file(scratch / "out") == "");
  // The kernel takes the flag and declines the call.
  const Injected declined(argv, some_bytes(100000), "in", "pread64:error=EINVAL:when=1");
  CHECK(declined.ended.status == 77);
  CHECK(declined.input_at == 0);
  const Injected unwritten(argv, some_bytes(100000), "out", "pwrite64:error=EINVAL:when=1");
  CHECK(unwritten.ended.status == 77);
  CHECK(unwritten.input_at == 0);
  CHECK(unwritten.copied == "");
}

TEST_CASE("O_DIRECT: a limit of the file's size that is no whole block") {
  const std::string bytes = some_bytes(300000);
  const Scratch scratch;
  const Descriptor in = open_file(scratch.write("in", bytes), O_RDONLY);
  const Descriptor out = open_file(scratch / "out", O_WRONLY | O_CREAT);
  const Ended ended = run(words_of("direct-copy", {}), {.in = in.get(), .out = out.get(), .ignore_file_limit = true,
                                                        .file_limit_bytes = 64001});
  CHECK(ended.status == 1);
  CHECK(ended.err == "direct-copy: write standard output: File too large\n");
  CHECK((iobench::read_file(scratch / "out") == bytes.substr(0, 64001)));
}

TEST_CASE("threads: what was read before an error is written, however slow the reader") {
  if (!can_trace()) return;
  const std::string bytes = some_bytes(100000);
  const Scratch scratch;
  const Descriptor in = open_file(scratch.write("in", bytes), O_RDONLY);
  Pair pipe = pipe_pair();
  fcntl(pipe.writer.get(), F_SETPIPE_SZ, 4096);
  Drainer drainer(std::move(pipe.reader), 0.2);
  const Ended ended = run_traced(words_of("threaded-copy", {"-b", "4K"}),
                                 {"-o", "/dev/null", "-e", "inject=read:error=EIO:when=4+", "-P", scratch / "in"},
                                 {.in = in.get(), .out = pipe.writer.get()});
  pipe.writer.reset();
  CHECK(ended.status == 1);
  CHECK(ended.err == "threaded-copy: read standard input: Input/output error\n");
  CHECK((drainer.join() == bytes.substr(0, 3 * 4096)));
}

TEST_CASE("threads: a broken output ends the tool while the input is idle") {
  for (const bool ignore : {false, true})
    for (const std::string tool : {"threaded-copy", "io-uring-copy"}) {
      INFO(tool);
      const Pair in = pipe_pair();  // stays open and gives no more than this
      Pair out = pipe_pair();
      REQUIRE(write(in.writer.get(), "some", 4) == 4);
      out.reader.reset();
      const Ended ended = run(words_of(tool, {}), {.in = in.reader.get(), .out = out.writer.get(),
                                                   .ignore_broken_pipe = ignore}, 10);
      CHECK(ended.status == (ignore ? 1 : 128 + SIGPIPE));
      CHECK(ended.err == (ignore ? tool + ": write standard output: Broken pipe\n" : ""));
    }
}

TEST_CASE("threads: what has been read goes on at once") {
  for (const std::string tool : {"threaded-copy", "io-uring-copy", "splice-copy", "vmsplice-copy"}) {
    INFO(tool);
    Pair in = pipe_pair();
    Pair out = pipe_pair();
    Process process(words_of(tool, {}), {.in = in.reader.get(), .out = out.writer.get()});
    in.reader.reset();
    out.writer.reset();
    char block[10];
    for (const char* word : {"one", "two", "six"}) {
      REQUIRE(write(in.writer.get(), word, 3) == 3);
      REQUIRE(read(out.reader.get(), block, sizeof block) == 3);  // would wait for ever
      CHECK(std::string(block, 3) == word);
    }
    in.writer.reset();
    CHECK(process.wait(20).status == 0);
  }
}

TEST_CASE("threads: one buffer, many, and a limit") {
  const std::string bytes = some_bytes(300007);
  for (const std::string buffers : {"1", "2", "64"}) {
    INFO(buffers);
    const Words argv = words_of("threaded-copy", {"--buffers", buffers, "-b", "4099", "-n", "250000"});
    const Copied copied = copy(argv, "pipe", "pipe", bytes, 5000);
    CHECK(copied.ended.status == 0);
    CHECK((copied.bytes == bytes.substr(0, 250000)));
  }
}
