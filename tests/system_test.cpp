// SPDX-License-Identifier: MIT
// Files replaced whole or not at all; commands whose output, status, time and offspring are under control.
#include "system.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "catch.h"
#include "scratch.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

Finished shell(const std::string& script, const SpawnOptions& options = {}) {
  return run_command({"/bin/sh", "-c", script}, options);
}

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// A killed process may stay as a zombie until its new parent reaps it: that is not running either.
bool runs(pid_t pid) {
  const std::string status = read_file_or_empty("/proc/" + std::to_string(pid) + "/stat");
  return !status.empty() && status.substr(status.rfind(')') + 2, 1) != "Z";
}

bool ends_soon(pid_t pid) {
  for (int i = 0; i < 500 && runs(pid); ++i) ::usleep(10000);
  return !runs(pid);
}

// Runs `body` in a process of its own, since an interrupt once noted stays noted. `signal` is sent when it says ready.
int status_of_fork(int signal, int (*body)(int ready)) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body(ends[1]));
  ::close(ends[1]);
  char byte = 0;
  const ssize_t told = ::read(ends[0], &byte, 1);
  ::close(ends[0]);
  if (told == 1 && signal) ::kill(child, signal);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("a file is replaced whole or not at all") {
  const Scratch scratch;
  const fs::path path = scratch / "figures";
  replace_file(path, "first");
  CHECK(read_file(path) == "first");
  replace_file(path, std::string("a\0b", 3));
  CHECK(read_file(path) == std::string("a\0b", 3));
  replace_file(path, "");
  CHECK(read_file(path).empty());
  CHECK(scratch.entries() == 1);

  SECTION("a reader sees one content or the other") {
    const std::string one(256 << 10, 'a'), other(300 << 10, 'b');
    replace_file(path, one);
    std::atomic<bool> done = false;
    std::thread writer([&] {
      for (int i = 0; i < 40; ++i) replace_file(path, i % 2 ? one : other);
      done = true;
    });
    std::size_t reads = 0, mixed = 0;
    do {
      const std::string seen = read_file(path);
      mixed += seen != one && seen != other;
      ++reads;
    } while (!done);
    writer.join();
    CHECK(mixed == 0);
    CHECK(reads > 0);
    CHECK(scratch.entries() == 1);
  }

  SECTION("a write that fails leaves the old file and no temporary") {
    replace_file(path, "old");
    struct rlimit before = {};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const struct rlimit small = {4096, before.rlim_max};
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &small);
    const std::string message = message_of([&] { replace_file(path, std::string(10000, 'x')); });
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, handler);
    CHECK(message.find("File too large") != std::string::npos);
    CHECK(read_file(path) == "old");
    CHECK(scratch.entries() == 1);
  }

  SECTION("its mode is that of any new file") {
    const mode_t mask = ::umask(027);
    replace_file(scratch / "private", "x");
    CHECK(::umask(mask) == 027);
    CHECK((fs::status(scratch / "private").permissions() & fs::perms::all) == fs::perms(0640));
  }
}

TEST_CASE("only regular files are replaced", "[B127]") {
  const Scratch scratch;
  const fs::path target = scratch.file("target", "kept");
  fs::create_symlink(target, scratch / "link");
  fs::create_directory(scratch / "folder");
  REQUIRE(::mkfifo((scratch / "fifo").c_str(), 0600) == 0);
  for (const char* name : {"link", "folder", "fifo"}) {
    INFO(name);
    const std::string message = message_of([&] { replace_file(scratch / name, "new"); });
    CHECK(message.find("not a regular file") != std::string::npos);
    CHECK(message.find(name) != std::string::npos);
  }
  CHECK_THROWS_AS(replace_file("/dev/null", "x"), Error);
  CHECK(read_file(target) == "kept");
  CHECK(fs::is_symlink(scratch / "link"));
  CHECK(scratch.entries() == 4);
  const std::string message = message_of([&] { replace_file(scratch / "missing/file", "x"); });
  CHECK(message.find("No such file or directory") != std::string::npos);
}

TEST_CASE("files are read whole, or the error says which") {
  const Scratch scratch;
  CHECK(read_file("/proc/self/status").find("Name:") == 0);  // its size is 0 by stat
  CHECK(message_of([&] { read_file(scratch / "none"); }) ==
        "open " + (scratch / "none").string() + ": No such file or directory");
  CHECK(message_of([&] { read_file(scratch.path()); }).find("Is a directory") != std::string::npos);
  CHECK(read_file_or_empty(scratch / "none").empty());
  CHECK(read_file_or_empty(scratch.path()).empty());
  const Descriptor full = open_file("/dev/full", O_WRONLY);
  CHECK(message_of([&] { write_all(full.get(), "x", 1, "/dev/full"); }) == "write /dev/full: No space left on device");
}

TEST_CASE("descriptors close once") {
  Descriptor first = open_file("/dev/null", O_RDONLY);
  const int fd = first.get();
  Descriptor second = std::move(first);
  CHECK_FALSE(first);
  CHECK(second.get() == fd);
  second = Descriptor();
  CHECK(::fcntl(fd, F_GETFD) == -1);
}

TEST_CASE("what a command says and how it ends") {
  const Finished said = shell("echo out; echo err >&2; exit 3");
  CHECK(said.out == "out\n");
  CHECK(said.err == "err\n");
  CHECK(said.status == 3);
  CHECK_FALSE(said.timed_out);
  CHECK_FALSE(said.interrupted);
  CHECK(shell("kill -TERM $$").status == 128 + SIGTERM);
  CHECK(shell("kill -KILL $$").status == 128 + SIGKILL);

  SpawnOptions options;
  options.directory = "/proc";
  options.environment = {"IOBENCH_TEST_WORD=a b"};
  CHECK(shell("pwd; echo \"$IOBENCH_TEST_WORD\"", options).out == "/proc\na b\n");

  // More than a pipe holds, on both, at the same time.
  const Finished much = shell("head -c 3000000 /dev/zero & head -c 2000000 /dev/zero >&2; wait");
  CHECK(much.out.size() == 3000000);
  CHECK(much.err.size() == 2000000);

  SpawnOptions limited;
  limited.capture_limit_bytes = 100000;
  const Finished cut = shell("head -c 3000000 /dev/zero; exit 5", limited);
  CHECK(cut.out.size() == 100000);
  CHECK(cut.status == 5);

  SpawnOptions dropped;
  dropped.capture_out = false;
  CHECK(shell("echo x", dropped).out.empty());
}

TEST_CASE("a command that cannot start is an error, not a status") {
  const Scratch scratch;
  CHECK(message_of([] { run_command({"no-such-program"}); }) == "run no-such-program: No such file or directory");
  const fs::path plain = scratch.file("plain", "text");
  CHECK(message_of([&] { run_command({plain.string()}); }) == "run " + plain.string() + ": Permission denied");
  SpawnOptions options;
  options.directory = scratch / "none";
  CHECK(message_of([&] { shell("true", options); }).find("not a directory") != std::string::npos);
  CHECK_THROWS_AS(run_command({}), Error);
  CHECK(shell("exit 127").status == 127);
}

TEST_CASE("a command inherits nothing but three descriptors", "[B102]") {
  const int leak = ::fcntl(STDERR_FILENO, F_DUPFD, 57);  // not closed on exec
  REQUIRE(leak >= 57);
  const Finished found =
      shell("for fd in /proc/$$/fd/*; do [ -e $fd ] && echo ${fd##*/}; done; readlink /proc/$$/fd/0");
  ::close(leak);
  std::string rest = found.out;
  for (const char* expected : {"0\n", "1\n", "2\n"}) {
    const std::size_t at = rest.find(expected);
    REQUIRE(at != std::string::npos);
    rest.erase(at, 2);
  }
  CHECK(rest.find("57") == std::string::npos);
  CHECK(rest.find('3') == std::string::npos);
  CHECK(rest.find("/dev/null\n") != std::string::npos);
  CHECK(run_command({"cat"}).status == 0);
}

TEST_CASE("a command leads its own process group") {
  const Finished found = shell("echo $$; read -r pid name state parent group rest < /proc/$$/stat; echo $group");
  const std::size_t line = found.out.find('\n');
  CHECK(found.out.substr(0, line + 1) == found.out.substr(line + 1));
  CHECK(std::stoi(found.out) != ::getpgrp());
}

TEST_CASE("the timeout ends the command and its offspring") {
  SpawnOptions options;
  options.timeout_s = 0.3;
  const Finished found = shell("sleep 1000 & echo $!; wait", options);
  CHECK(found.timed_out);
  CHECK(found.status == 128 + SIGKILL);
  CHECK(ends_soon(std::stoi(found.out)));
  options.timeout_s = 100;
  CHECK_FALSE(shell("true", options).timed_out);
}

TEST_CASE("offspring left behind is ended and does not hold the caller") {
  const Finished found = shell("sleep 1000 & echo $!; exit 4");
  CHECK(found.status == 4);
  CHECK(ends_soon(std::stoi(found.out)));
  const Finished chatty = shell("while :; do echo x; done & exit 6");
  CHECK(chatty.status == 6);
  // One that left the group, holds the pipes and never stops writing.
  const Finished daemon = shell("setsid sh -c 'echo $$ >&2; while :; do echo x || exit; done' & sleep 0.3; exit 7");
  CHECK(daemon.status == 7);
  CHECK(ends_soon(std::stoi(daemon.err)));  // by SIGPIPE, once we have closed our end
}

TEST_CASE("an interrupt ends the command") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = status_of_fork(signal, [](int ready) {
      catch_interrupts();
      if (::write(ready, "r", 1) != 1) return 9;
      const Finished found = run_command({"sleep", "1000"});
      if (!found.interrupted || found.status != 128 + SIGTERM || found.timed_out) return 8;
      // One that does not listen is not waited for.
      const int asked = interrupt_requested();
      clear_interrupt();
      if (run_command({"sh", "-c", "trap '' TERM; kill -TERM $PPID; sleep 1000"}).status != 128 + SIGKILL) return 7;
      return asked;
    });
    CHECK(status == signal);
  }
  // nohup: what was ignored stays ignored.
  CHECK(status_of_fork(SIGHUP, [](int ready) {
          ::signal(SIGHUP, SIG_IGN);
          catch_interrupts();
          if (::write(ready, "r", 1) != 1) return 9;
          const Finished found = run_command({"sleep", "0.3"});
          return found.status == 0 && interrupt_requested() == 0 ? 0 : 8;
        }) == 0);
}

TEST_CASE("the status is known when SIGCHLD was inherited as ignored") {
  CHECK(status_of_fork(0, [](int) {
          ::signal(SIGCHLD, SIG_IGN);
          return run_command({"/bin/sh", "-c", "exit 3"}).status;
        }) == 3);
}

TEST_CASE("programs are found as exec finds them") {
  const Scratch scratch;
  const fs::path second = scratch.script("second/tool-of-test", "true");
  scratch.file("first/tool-of-test", "not executable");
  fs::create_directories(scratch / "third/folder-of-test");
  const std::string before = std::getenv("PATH");
  ::setenv(
      "PATH",
      ((scratch / "first").string() + ":" + (scratch / "second").string() + ":" + (scratch / "third").string()).c_str(),
      1);
  const fs::path found = find_program("tool-of-test"), missing = find_program("none"),
                 folder = find_program("folder-of-test");
  ::setenv("PATH", before.c_str(), 1);
  CHECK(found == second);
  CHECK(missing.empty());
  CHECK(folder.empty());
  CHECK(find_program(second.string()) == second);
  CHECK(find_program((scratch / "first/tool-of-test").string()).empty());
  CHECK(find_program("sh").filename() == "sh");
}

TEST_CASE("what is no file is not read: it might never end, or never begin", "[B127]") {
  const Scratch scratch;
  REQUIRE(::mkfifo((scratch / "fifo").c_str(), 0600) == 0);
  for (const fs::path& path : {scratch / "fifo", fs::path("/dev/zero")}) {
    CHECK(message_of([&] { read_file(path); }) == "read " + path.string() + ": it is not a regular file");
    CHECK(read_file_or_empty(path).empty());
  }
}
