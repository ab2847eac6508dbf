// SPDX-License-Identifier: MIT
// Calls of the kernel, each with its error said once. A child process is watched by poll alone (its output, its end and
// the clock), so that nothing here waits longer than 100 ms without looking at an interrupt.
#include "system.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

namespace iobench {

namespace fs = std::filesystem;

void throw_errno(const std::string& what, int code) {
  throw Error(what + ": " + std::strerror(code));
}
void throw_errno(const std::string& what) {
  throw_errno(what, errno);
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) reset(other.release());
  return *this;
}

int Descriptor::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

void Descriptor::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Descriptor open_file(const fs::path& path, int flags, mode_t mode) {
  int fd = -1;
  do fd = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  if (fd < 0) throw_errno(fmt::format("open {}", path.string()));
  return Descriptor(fd);
}

namespace {

// Appends everything that can be read from fd; returns 0 or errno.
int read_to_end(int fd, std::string& into) {
  char block[65536];
  for (;;) {
    const ssize_t got = ::read(fd, block, sizeof block);
    if (got > 0)
      into.append(block, static_cast<std::size_t>(got));
    else if (got == 0)
      return 0;
    else if (errno != EINTR)
      return errno;
  }
}

// What is no file may never end, or wait for somebody to write it. A folder may be tried: reading it says what it is.
bool will_end(const Descriptor& file) {
  struct stat status = {};
  return ::fstat(file.get(), &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
}

}  // namespace

std::string read_file(const fs::path& path) {
  const Descriptor file = open_file(path, O_RDONLY | O_NONBLOCK);
  if (!will_end(file)) throw Error(fmt::format("read {}: it is not a regular file", path.string()));
  std::string content;
  if (const int code = read_to_end(file.get(), content)) throw_errno(fmt::format("read {}", path.string()), code);
  return content;
}

std::string read_file_or_empty(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  std::string content;
  if (!file || !will_end(file) || read_to_end(file.get(), content) != 0) content.clear();
  return content;
}

void write_all(int fd, const void* bytes, std::size_t size, const fs::path& path_for_errors) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t put = ::write(fd, at, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw_errno(fmt::format("write {}", path_for_errors.string()));
    if (put == 0) throw Error(fmt::format("write {}: nothing was written", path_for_errors.string()));
    at += put;
    size -= static_cast<std::size_t>(put);
  }
}

namespace {

// What open would give a new file here; mkostemp gives 0600 whatever the mask.
mode_t new_file_mode() {
  const mode_t mask = ::umask(077);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void replace_file(const fs::path& path, std::string_view content) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Error(fmt::format("write {}: it exists and is not a regular file", path.string()));
  std::string temporary = path.string() + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) throw_errno(fmt::format("create {}", temporary));
  try {
    write_all(file.get(), content.data(), content.size(), temporary);
    if (::fchmod(file.get(), new_file_mode()) != 0) throw_errno(fmt::format("change the mode of {}", temporary));
    if (::fsync(file.get()) != 0) throw_errno(fmt::format("sync {}", temporary));
    if (::rename(temporary.c_str(), path.c_str()) != 0)
      throw_errno(fmt::format("rename {} to {}", temporary, path.string()));
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

void make_folder(const fs::path& path) {
  std::error_code failure;
  fs::create_directories(path, failure);
  if (!fs::is_directory(fs::symlink_status(path, failure)))
    throw Error(fmt::format("create {}: {}", path.string(), failure ? failure.message() : "it exists and is not a folder"));
}

namespace {

std::atomic<int> interrupt_signal{0};

void note_interrupt(int signal) {
  int none = 0;
  interrupt_signal.compare_exchange_strong(none, signal);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note_interrupt;  // no SA_RESTART: waiting calls return and look
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited = {};
    ::sigaction(signal, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
}

int interrupt_requested() {
  return interrupt_signal.load();
}
void clear_interrupt() { interrupt_signal = 0; }

namespace {

sigset_t interrupts() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
  return set;
}

// fork. An interrupt that reaches the child before `become` has put our handlers away would be noted there and lost:
// in the child all three wait until then.
pid_t fork_command() {
  const sigset_t waiting = interrupts();
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, &waiting, &before);
  const pid_t child = ::fork();
  const int error = errno;
  if (child != 0) ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return child;
}

// In the child: descriptors 0 to 2 in place, nothing else passed on, signals as a shell would leave them.
// `in` and `out` may be -1: the null device.
[[noreturn]] void become(const std::vector<std::string>& argv, const SpawnOptions& options, int in, int out, int err,
                         int failure) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) ::signal(signal, SIG_DFL);
  const sigset_t waited = interrupts();
  ::sigprocmask(SIG_UNBLOCK, &waited, nullptr);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int null = ::open("/dev/null", O_RDWR);
  bool ready = null >= 0 && ::dup2(in >= 0 ? in : null, 0) == 0 && ::dup2(out >= 0 ? out : null, 1) == 1 &&
               ::dup2(err, 2) == 2;
  ready = ready && ::dup2(failure, 3) == 3 && ::fcntl(3, F_SETFD, FD_CLOEXEC) == 0;
  ::close_range(4, ~0U, 0);
  if (ready && (options.directory.empty() || ::chdir(options.directory.c_str()) == 0)) {
    for (const std::string& entry : options.environment) ::putenv(const_cast<char*>(entry.c_str()));
    ::execvp(words[0], words.data());
  }
  const int code = errno;
  [[maybe_unused]] const ssize_t told = ::write(3, &code, sizeof code);
  ::_exit(127);
}

struct Pipe {
  Descriptor read_end, write_end;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno("create a pipe");
  // The child moves them onto 0 to 3: none may sit there already.
  for (int& end : ends)
    if (end < 4) {
      const int higher = ::fcntl(end, F_DUPFD_CLOEXEC, 4);
      if (higher < 0) throw_errno("duplicate a pipe's end");
      ::close(end);
      end = higher;
    }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Reads what is there into `text` (up to the limit, the rest dropped); closes the end at end of file.
void take(Descriptor& end, std::string& text, std::size_t limit, const std::function<void(std::string_view)>& consume) {
  char block[65536];
  const ssize_t got = ::read(end.get(), block, sizeof block);
  if (got > 0 && consume)
    consume({block, static_cast<std::size_t>(got)});
  else if (got > 0)
    text.append(block, std::min(static_cast<std::size_t>(got), limit - std::min(limit, text.size())));
  else if (got == 0 || (errno != EINTR && errno != EAGAIN))
    end.reset();
}

// Looks without reaping: until the group has been killed its number must stay taken, or another group might have it.
bool has_ended(pid_t child) {
  siginfo_t info = {};
  return ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
}

// Kills whatever the command left behind in its group and returns its status, 128 + signal included.
int end_group(pid_t child) {
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw_errno("wait for a command");
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// Collects output and waits for the end, of which it kills the group when an interrupt or the timeout comes first.
void watch(pid_t child, Descriptor& out, Descriptor& err, const SpawnOptions& options, Finished& finished) {
  constexpr int look_ms = 100;
  constexpr double linger_s = 1;  // for output that is still in the pipes; a daemon may hold them for ever
  const double start_s = monotonic_s();
  const Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  constexpr double grace_s = 2;  // after SIGTERM, which plumb passes on to the group that its command leads
  constexpr useconds_t told_us = 50000;  // for the others of the group to pass it on
  std::optional<double> ended_s, asked_s;
  while (!ended_s || out || err) {
    struct pollfd watched[3] = {
        {out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}, {ended_s ? -1 : handle.get(), POLLIN, 0}};
    const int ready = ::poll(watched, 3, look_ms);
    if (ready > 0 && watched[0].revents) take(out, finished.out, options.capture_limit_bytes, options.on_out);
    if (ready > 0 && watched[1].revents) take(err, finished.err, options.capture_limit_bytes, {});
    const double now_s = monotonic_s();
    if (ended_s) {
      if (ready == 0 || now_s > *ended_s + linger_s) break;
    } else if (has_ended(child)) {
      if (finished.interrupted) ::usleep(told_us);
      finished.status = end_group(child);
      ended_s = now_s;
    } else {
      finished.interrupted = finished.interrupted || interrupt_requested() != 0;
      finished.timed_out = finished.timed_out || (options.timeout_s && now_s > start_s + *options.timeout_s);
      if (finished.interrupted && !asked_s) {
        asked_s = now_s;
        ::kill(-child, SIGTERM);
      }
      if (finished.timed_out || (asked_s && now_s > *asked_s + grace_s)) ::kill(-child, SIGKILL);
    }
  }
}

}  // namespace

Finished run_command(const std::vector<std::string>& argv, const SpawnOptions& options) {
  if (argv.empty()) throw Error("run a command: it has no name");
  if (!options.directory.empty() && !fs::is_directory(options.directory))
    throw Error(fmt::format("run {}: {} is not a directory", argv[0], options.directory));
  ::signal(SIGCHLD, SIG_DFL);  // inherited as ignored, the kernel would reap the child and its status would be lost
  Pipe out, err = make_pipe(), failure = make_pipe();
  if (options.capture_out) out = make_pipe();
  const pid_t child = fork_command();
  if (child < 0) throw_errno(fmt::format("start {}", argv[0]));
  if (child == 0) become(argv, options, -1, out.write_end.get(), err.write_end.get(), failure.write_end.get());
  ::setpgid(child, child);  // in both, whoever is first
  out.write_end.reset();
  err.write_end.reset();
  failure.write_end.reset();

  Finished finished;
  watch(child, out.read_end, err.read_end, options, finished);
  int code = 0;
  if (::read(failure.read_end.get(), &code, sizeof code) == static_cast<ssize_t>(sizeof code))
    throw_errno(fmt::format("run {}", argv[0]), code);
  return finished;
}

BackgroundCommand::BackgroundCommand(const std::vector<std::string>& argv, const Files& files) {
  if (argv.empty()) throw Error("run a command: it has no name");
  ::signal(SIGCHLD, SIG_DFL);
  Pipe held, errors = make_pipe(), failure = make_pipe();
  Descriptor in, out;
  if (files.held_input) held = make_pipe();
  // Not below 4, as in make_pipe: the child moves them onto 0 and 1.
  const auto higher = [](Descriptor file) { return Descriptor(::fcntl(file.get(), F_DUPFD_CLOEXEC, 4)); };
  if (!files.in.empty()) in = higher(open_file(files.in, O_RDONLY));
  if (!files.out.empty()) out = higher(open_file(files.out, O_WRONLY | O_CREAT | O_TRUNC, 0600));
  child_ = fork_command();
  if (child_ < 0) throw_errno(fmt::format("start {}", argv[0]));
  if (child_ == 0)
    become(argv, {}, files.held_input ? held.read_end.get() : in.get(), out.get(), errors.write_end.get(),
           failure.write_end.get());
  ::setpgid(child_, child_);
  failure.write_end.reset();
  int code = 0;
  if (::read(failure.read_end.get(), &code, sizeof code) == static_cast<ssize_t>(sizeof code)) {
    end_group(std::exchange(child_, -1));
    throw_errno(fmt::format("run {}", argv[0]), code);
  }
  errors_ = std::move(errors.read_end);
  held_ = std::move(held.write_end);
}

BackgroundCommand::BackgroundCommand(BackgroundCommand&& other) noexcept
    : child_(std::exchange(other.child_, -1)),
      errors_(std::move(other.errors_)),
      held_(std::move(other.held_)),
      said_(std::move(other.said_)) {}

BackgroundCommand::~BackgroundCommand() {
  if (child_ < 0) return;
  ::kill(-child_, SIGKILL);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {}
}

std::string BackgroundCommand::error_line(double timeout_s) {
  const double until_s = monotonic_s() + timeout_s;
  for (;;) {
    if (const std::size_t newline = said_.find('\n'); newline != std::string::npos) {
      const std::string line = said_.substr(0, newline);
      said_.erase(0, newline + 1);
      return line;
    }
    const double left_s = until_s - monotonic_s();
    if (!errors_ || left_s <= 0 || interrupt_requested()) return std::exchange(said_, {});
    struct pollfd watched = {errors_.get(), POLLIN, 0};
    if (::poll(&watched, 1, static_cast<int>(std::min(left_s * 1000 + 1, 100.0))) > 0)
      take(errors_, said_, 1u << 16, {});
  }
}

std::optional<int> BackgroundCommand::wait(double timeout_s) {
  const double until_s = monotonic_s() + timeout_s;
  while (child_ >= 0 && !has_ended(child_)) {
    if (monotonic_s() > until_s || interrupt_requested()) return std::nullopt;
    struct pollfd watched = {errors_.get(), POLLIN, 0};  // it is full of words, or closed: either way there is news
    if (!errors_ || ::poll(&watched, 1, 10) <= 0) {
      if (!errors_) ::usleep(1000);
      continue;
    }
    take(errors_, said_, 1u << 16, {});
  }
  if (child_ < 0) return std::nullopt;
  return end_group(std::exchange(child_, -1));
}

fs::path find_program(const std::string& program) {
  const auto runnable = [](const fs::path& path) {
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) return runnable(program) ? fs::path(program) : fs::path();
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / program;
    if (runnable(candidate)) return candidate;
    if (colon == std::string_view::npos) return {};
    rest.remove_prefix(colon + 1);
  }
}

namespace {

double seconds_of(clockid_t clock) {
  struct timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace

double monotonic_s() {
  return seconds_of(CLOCK_MONOTONIC);
}
double unix_time_s() {
  return seconds_of(CLOCK_REALTIME);
}

fs::path source_root() {
  return IOBENCH_SOURCE_ROOT;
}

Layout find_layout() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path built_tools = program.parent_path() / "tools";
  const bool built = fs::exists(built_tools / "plumb");
  const char* named = std::getenv("IOBENCH_ROOT");
  const bool in_build_tree = built && fs::exists(source_root() / "data/tools.toml");
  Layout layout;
  if (named || in_build_tree) {
    const fs::path root = named ? fs::path(named) : source_root();
    layout = {root / "data", root / "plots", built ? built_tools : program, root / "data/corpus", root / "results"};
  } else {
    const fs::path share = program.parent_path() / "share/iobench";
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    const fs::path caches = cache ? fs::path(cache) : (home ? fs::path(home) / ".cache" : fs::path("/var/tmp"));
    layout = {share / "data", share / "plots", program, caches / "iobench/corpus", fs::current_path() / "results"};
  }
  if (const char* tools = std::getenv("IOBENCH_TOOLS")) layout.tools = tools;
  if (!fs::exists(layout.data / "tools.toml"))
    throw Error(fmt::format("find data/tools.toml: it is not in {}; set IOBENCH_ROOT to a checkout of iobench",
                            layout.data.string()));
  return layout;
}

}  // namespace iobench
