// SPDX-License-Identifier: MIT
// Runs a program with exactly the descriptors, limits and dispositions a test asks for; the harness's own spawn is for
// measuring and gives every child the same. Also pipes, sockets and terminals to put at a program's ends, and threads
// that feed or drain them. Everything opened here is close-on-exec, so that a child holds only what it was given and
// the end of a pipe is seen.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "system.h"

namespace iobench::testing {

// A directory that goes away with everything in it.
class Scratch {
 public:
  // Under `parent` if it is a directory one may write to, otherwise under TMPDIR or /tmp.
  explicit Scratch(const std::filesystem::path& parent = {});
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::filesystem::path write(const std::string& name, std::string_view content) const;

 private:
  std::filesystem::path path_;
};

// The built tool of that name, in the folder IOBENCH_TOOLS.
std::string tool_path(const std::string& name);
// `strace` and the like; empty when the machine does not have it.
bool has_program(const std::string& name);

struct Launch {
  int in = -1;   // becomes descriptor 0; -1: closed
  int out = -1;  // becomes descriptor 1; -1: closed
  bool ignore_broken_pipe = false;               // SIGPIPE ignored, otherwise at its default
  bool ignore_file_limit = false;                // SIGXFSZ ignored
  std::optional<std::uint64_t> file_limit_bytes;    // RLIMIT_FSIZE
  std::optional<std::uint64_t> memory_limit_bytes;  // RLIMIT_AS
  std::vector<std::string> environment;             // "NAME=value", added to ours
};

struct Ended {
  int status = -1;            // exit status, or 128 + signal
  bool timed_out = false;     // killed by us: the status is 137
  std::string err;            // standard error
};

class Process {
 public:
  // argv[0] is searched in PATH unless it has a slash; exec failure is status 127.
  Process(const std::vector<std::string>& argv, const Launch& launch);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();  // kills what was not waited for
  pid_t pid() const { return pid_; }
  bool running() const;
  // VmHWM; the peak that wait4 gives includes what the forking process had. Only while it runs.
  std::uint64_t peak_memory_bytes() const;
  Ended wait(double timeout_s = 60);

 private:
  pid_t pid_ = -1;
  Descriptor err_;
};

// Starts the process and waits for it.
Ended run(const std::vector<std::string>& argv, const Launch& launch, double timeout_s = 60);

struct Pair {
  Descriptor reader;
  Descriptor writer;
};
Pair pipe_pair();
Pair unix_pair();  // stream sockets; either end reads and writes
Pair tcp_pair();   // a connection through loopback
Pair terminal_pair();  // a raw pseudo-terminal: reader and writer are its master and its slave
// A pseudo-terminal that gives lines and ends at ^D, without echo: the writer is its master, the reader its slave.
Pair line_terminal_pair();
Pair fifo_pair(const std::filesystem::path& path);  // makes the FIFO

void set_nonblocking(int fd);
// Writes all of `bytes`, in pieces of at most `piece` bytes (0: as much as goes), and closes; false when it could not.
bool feed(Descriptor fd, std::string_view bytes, std::size_t piece = 0);
// Reads until the end (a terminal's EIO is one), at most `piece` bytes a call.
std::string drain(int fd, std::size_t piece = 1 << 16);

// A thread that feeds, or one that drains; join() gives what was drained.
class Feeder {
 public:
  // `pieces`: 0, or the largest of the irregular pieces the bytes are sent in. `bytes` must outlive the thread.
  Feeder(Descriptor fd, std::string_view bytes, std::size_t pieces = 0);
  ~Feeder();

 private:
  std::thread thread_;
};

class Drainer {
 public:
  // `pause_s`: before the first read, so that the writer meets a full pipe. `piece`: bytes a read.
  explicit Drainer(Descriptor fd, double pause_s = 0, std::size_t piece = 1 << 16);
  ~Drainer();
  std::string join();

 private:
  Descriptor fd_;
  std::string drained_;
  std::thread thread_;
};

void sleep_s(double seconds);
std::string some_bytes(std::size_t size, std::uint64_t seed = 1);  // all 256 values, no period

}  // namespace iobench::testing
