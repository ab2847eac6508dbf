// SPDX-License-Identifier: MIT
#include "process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

namespace iobench::testing {

namespace {

int checked(int result, const char* what) {
  if (result < 0) throw_errno(what);
  return result;
}

void limit(int resource, const std::optional<std::uint64_t>& bytes) {
  if (!bytes) return;
  const rlimit both{*bytes, *bytes};
  if (setrlimit(static_cast<__rlimit_resource>(resource), &both) != 0) _exit(126);
}

// After fork, in a process that may have had threads: system calls only.
[[noreturn]] void become(char* const* argv, char* const* environment, const Launch& launch, int err) {
  // Out of the way first: any of the three may be one of the descriptors 0 to 2.
  const int in = launch.in < 0 ? -1 : fcntl(launch.in, F_DUPFD, 10);
  const int out = launch.out < 0 ? -1 : fcntl(launch.out, F_DUPFD, 10);
  if (dup2(err, 2) < 0 || (launch.in >= 0 && in < 0) || (launch.out >= 0 && out < 0)) _exit(126);
  if (in < 0) close(0); else dup2(in, 0);
  if (out < 0) close(1); else dup2(out, 1);
  if (in >= 0) close(in);
  if (out >= 0) close(out);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that was killed leaves nothing behind
  signal(SIGPIPE, launch.ignore_broken_pipe ? SIG_IGN : SIG_DFL);
  signal(SIGXFSZ, launch.ignore_file_limit ? SIG_IGN : SIG_DFL);
  limit(RLIMIT_FSIZE, launch.file_limit_bytes);
  limit(RLIMIT_AS, launch.memory_limit_bytes);
  execvpe(argv[0], argv, environment);
  _exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Scratch::Scratch(const std::filesystem::path& parent) {
  const char* temporary = std::getenv("TMPDIR");
  std::string name = (temporary ? std::filesystem::path(temporary) : std::filesystem::path("/tmp")) / "iobench-XXXXXX";
  if (!parent.empty() && access(parent.c_str(), W_OK) == 0) name = parent / "iobench-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) throw_errno("mkdtemp " + name);
  path_ = name;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path Scratch::write(const std::string& name, std::string_view content) const {
  const std::filesystem::path path = path_ / name;
  const Descriptor file = open_file(path, O_WRONLY | O_CREAT | O_TRUNC);
  write_all(file.get(), content.data(), content.size(), path);
  return path;
}

std::string tool_path(const std::string& name) {
  const char* tools = std::getenv("IOBENCH_TOOLS");
  if (!tools) throw Error("IOBENCH_TOOLS is not set: it names the folder of the built tools");
  return std::string(tools) + "/" + name;
}

bool has_program(const std::string& name) { return !find_program(name).empty(); }

Process::Process(const std::vector<std::string>& argv, const Launch& launch)
    : err_(checked(memfd_create("standard error", MFD_CLOEXEC), "memfd_create")) {
  std::vector<std::string> arguments = argv;
  std::vector<std::string> environment;
  for (char** entry = environ; *entry; entry++) environment.emplace_back(*entry);
  environment.insert(environment.end(), launch.environment.begin(), launch.environment.end());
  const std::vector<char*> argument_pointers = pointers(arguments);
  const std::vector<char*> environment_pointers = pointers(environment);
  pid_ = checked(fork(), "fork");
  if (pid_ == 0) become(argument_pointers.data(), environment_pointers.data(), launch, err_.get());
}

Process::~Process() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

bool Process::running() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

std::uint64_t Process::peak_memory_bytes() const {
  const std::string status = read_file("/proc/" + std::to_string(pid_) + "/status");
  const std::size_t at = status.find("VmHWM:");
  return at == std::string::npos ? 0 : std::strtoull(status.c_str() + at + 6, nullptr, 10) * 1024;
}

Ended Process::wait(double timeout_s) {
  Ended ended;
  const Descriptor process(static_cast<int>(checked(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)), "pidfd_open")));
  pollfd ready{process.get(), POLLIN, 0};
  if (poll(&ready, 1, static_cast<int>(timeout_s * 1000)) == 0) {
    ended.timed_out = true;
    kill(pid_, SIGKILL);
  }
  int status = 0;
  checked(waitpid(pid_, &status, 0), "waitpid");
  pid_ = -1;
  ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  checked(static_cast<int>(lseek(err_.get(), 0, SEEK_SET)), "lseek");
  ended.err = drain(err_.get());
  return ended;
}

Ended run(const std::vector<std::string>& argv, const Launch& launch, double timeout_s) {
  return Process(argv, launch).wait(timeout_s);
}

Pair pipe_pair() {
  int ends[2];
  checked(pipe2(ends, O_CLOEXEC), "pipe2");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Pair unix_pair() {
  int ends[2];
  checked(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), "socketpair");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Pair tcp_pair() {
  const Descriptor listener(checked(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  sockaddr* generic = reinterpret_cast<sockaddr*>(&address);
  checked(bind(listener.get(), generic, length), "bind");
  checked(listen(listener.get(), 1), "listen");
  checked(getsockname(listener.get(), generic, &length), "getsockname");
  Descriptor client(checked(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  checked(connect(client.get(), generic, length), "connect");
  return {Descriptor(checked(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC), "accept")), std::move(client)};
}

Pair fifo_pair(const std::filesystem::path& path) {
  checked(mkfifo(path.c_str(), 0600), "mkfifo");
  Descriptor reader = open_file(path, O_RDONLY | O_NONBLOCK);  // would wait for a writer otherwise
  Descriptor writer = open_file(path, O_WRONLY);
  checked(fcntl(reader.get(), F_SETFL, O_RDONLY), "fcntl");
  return {std::move(reader), std::move(writer)};
}

namespace {

Pair open_terminal(const termios& settings) {
  int master = -1;
  int slave = -1;
  checked(openpty(&master, &slave, nullptr, &settings, nullptr), "openpty");
  for (const int fd : {master, slave}) checked(fcntl(fd, F_SETFD, FD_CLOEXEC), "fcntl");
  return {Descriptor(master), Descriptor(slave)};
}

}  // namespace

Pair terminal_pair() {
  termios raw{};
  cfmakeraw(&raw);
  return open_terminal(raw);
}

Pair line_terminal_pair() {
  termios lines{};
  lines.c_lflag = ICANON;
  lines.c_cc[VEOF] = 4;
  Pair pair = open_terminal(lines);
  std::swap(pair.reader, pair.writer);
  return pair;
}

void set_nonblocking(int fd) { checked(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK), "fcntl"); }

bool feed(Descriptor fd, std::string_view bytes, std::size_t piece) {
  while (!bytes.empty()) {
    const std::size_t size = piece ? std::min(piece, bytes.size()) : bytes.size();
    // A reader that has gone must not end the test; not every end is a socket, so MSG_NOSIGNAL is not to be had.
    const ssize_t n = ::write(fd.get(), bytes.data(), size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string drain(int fd, std::size_t piece) {
  std::string all;
  std::string buffer(piece, '\0');
  for (;;) {
    const ssize_t n = ::read(fd, buffer.data(), piece);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return all;
    all.append(buffer, 0, static_cast<std::size_t>(n));
  }
}

Feeder::Feeder(Descriptor fd, std::string_view bytes, std::size_t pieces)
    : thread_([fd = std::move(fd), bytes, pieces]() mutable {
        signal(SIGPIPE, SIG_IGN);
        std::uint64_t state = 88172645463325252u;
        while (pieces && !bytes.empty()) {  // xorshift: irregular, and the same in every run
          state ^= state << 13, state ^= state >> 7, state ^= state << 17;
          const std::string_view next = bytes.substr(0, 1 + state % pieces);
          if (::write(fd.get(), next.data(), next.size()) != static_cast<ssize_t>(next.size())) return;
          bytes.remove_prefix(next.size());
        }
        feed(std::move(fd), bytes);
      }) {}

Feeder::~Feeder() { thread_.join(); }

Drainer::Drainer(Descriptor fd, double pause_s, std::size_t piece)
    : fd_(std::move(fd)), thread_([this, pause_s, piece] {
        if (pause_s > 0) sleep_s(pause_s);
        drained_ = drain(fd_.get(), piece);
      }) {}

Drainer::~Drainer() {
  if (thread_.joinable()) thread_.join();
}

std::string Drainer::join() {
  thread_.join();
  fd_.reset();
  return std::move(drained_);
}

void sleep_s(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

std::string some_bytes(std::size_t size, std::uint64_t seed) {
  std::string bytes(size, '\0');
  std::uint64_t state = seed * 0x9e3779b97f4a7c15u;
  for (char& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<char>(state >> 56);
  }
  return bytes;
}

}  // namespace iobench::testing
