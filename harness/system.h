// SPDX-License-Identifier: MIT
// What the harness asks of the operating system: descriptors that close themselves, whole files read and replaced at
// once, child processes in a group of their own, and the one place that turns errno into an error.
// It knows nothing of benchmarks.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace iobench {

// The set-up is wrong: one line that says what, where and why. Caught once, in main, which exits with `status`:
// 1 for set-up and input or output, 2 for usage.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, int status = 1) : std::runtime_error(message), status_(status) {}
  int status() const noexcept { return status_; }

 private:
  int status_;
};

// Throws Error("WHAT: strerror(code)"), for example what = "open data/tools.toml".
[[noreturn]] void throw_errno(const std::string& what, int code);
[[noreturn]] void throw_errno(const std::string& what);  // with the current errno

// Owns a file descriptor; -1 is none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { reset(); }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

// open(2) with O_CLOEXEC, EINTR retried; throws Error("open PATH: reason").
Descriptor open_file(const std::filesystem::path& path, int flags, mode_t mode = 0644);
// Of a regular file, any other is refused.
std::string read_file(const std::filesystem::path& path);
// Like read_file, but an unreadable or missing file is an empty string: for /proc and /sys, where absence is an answer.
std::string read_file_or_empty(const std::filesystem::path& path);
void write_all(int fd, const void* bytes, std::size_t size, const std::filesystem::path& path_for_errors);
// Writes a temporary name in the same directory, syncs it and renames it over `path`: readers see the old or the new
// content, never half. Throws, and leaves no temporary, when any step fails; refuses to replace what is not a regular file.
void replace_file(const std::filesystem::path& path, std::string_view content);

// Creates the folder, and those above it, unless it is there. Refuses a link, which may lead anywhere, and what is no folder.
void make_folder(const std::filesystem::path& path);

// How a child process ended and what it said. `status` is the exit status, or 128 + signal.
struct Finished {
  int status = 0;
  bool interrupted = false;  // ended because interrupt_requested() became true
  bool timed_out = false;
  std::string out;
  std::string err;
};

struct SpawnOptions {
  std::string directory;                        // working directory, empty: ours
  std::vector<std::string> environment;         // "NAME=value", added to ours
  std::optional<double> timeout_s;              // then the whole group is killed
  bool capture_out = true;                      // false: to the null device
  std::function<void(std::string_view)> on_out;  // gets standard output as it comes, instead of Finished::out
  std::size_t capture_limit_bytes = 64u << 20;  // further output is read and dropped
};

// Runs argv[0] (searched in PATH) in a process group of its own, standard input from the null device, no descriptor
// but 0, 1, 2 passed on, and waits. Exec failure throws Error. The timeout kills the group; an interrupt ends it, by SIGTERM
// first, so that what the command has started in groups of their own can be told.
Finished run_command(const std::vector<std::string>& argv, const SpawnOptions& options = {});

// A command that goes on beside us: a server, or what holds a namespace open. It dies with us and with this object, and
// with it whatever it left in its process group.
class BackgroundCommand {
 public:
  // Standard input and output are the files named, empty: the null device. Exec failure throws Error.
  struct Files {
    std::filesystem::path in, out;  // out is created, or emptied
    bool held_input = false;        // standard input is instead a pipe that ends with us: `cat` then lives as long as we
  };
  BackgroundCommand(const std::vector<std::string>& argv, const Files& files);
  BackgroundCommand(BackgroundCommand&& other) noexcept;
  BackgroundCommand& operator=(BackgroundCommand&&) = delete;
  ~BackgroundCommand();
  pid_t pid() const { return child_; }
  // The next line of its standard error; empty when it ended without one, or at the timeout.
  std::string error_line(double timeout_s);
  // Waits until it ends by itself: its exit status, or 128 + signal; none at the timeout or an interrupt.
  std::optional<int> wait(double timeout_s);

 private:
  pid_t child_ = -1;  // -1: it has been waited for
  Descriptor errors_, held_;
  std::string said_;
};

// The path of `program` as exec would find it (in PATH unless it has a slash), or empty.
std::filesystem::path find_program(const std::string& program);

// SIGINT and SIGTERM: the first asks for an orderly end. 0, or the signal's number.
void catch_interrupts();
int interrupt_requested();
// The interrupt has been answered: commands may be run again, and the next signal counts anew.
void clear_interrupt();

// Seconds of CLOCK_MONOTONIC, and of the wall clock since 1970.
double monotonic_s();
double unix_time_s();

// Where data/, plots/ and the tools are: beside this program in the build tree, or in the installed prefix.
// IOBENCH_ROOT in the environment, a checkout's root, overrides it.
struct Layout {
  std::filesystem::path data;     // tools.toml, suites/, published/
  std::filesystem::path plots;    // *.gp
  std::filesystem::path tools;    // readwrite, plumb, …
  std::filesystem::path corpus;   // data/corpus of the checkout, or the user's cache directory when installed
  std::filesystem::path results;  // results/ of the checkout, or of the current directory when installed
};
Layout find_layout();
// The checkout that this program was built from, whether or not it is still there.
std::filesystem::path source_root();

}  // namespace iobench
