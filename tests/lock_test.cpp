// SPDX-License-Identifier: MIT
// Two measurements at once are refused, and a dead one is in nobody's way.
#include "lock.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "catch.h"
#include "message.h"
#include "scratch.h"

using namespace iobench;

TEST_CASE("the one who comes second is told who is there and what it does") {
  const Scratch scratch;
  const auto path = scratch / "lock";
  {
    const MachineLock first("results in /some/where", path);
    // flock(2) is between open files, not processes: this process can be its own rival.
    const std::string told = message_of([&] { MachineLock second("results in /else", path); });
    CHECK(told.find(fmt::format("process {}, results in /some/where", ::getpid())) != std::string::npos);
    CHECK(told.find('\n') == std::string::npos);
    first.say("results in /some/where.2");
    CHECK(message_of([&] { MachineLock second("", path); }).find("/some/where.2;") != std::string::npos);
  }
  const MachineLock again("results in /else", path);
  CHECK(read_file(path).find("/else") != std::string::npos);
}

TEST_CASE("a holder that was killed holds nothing", "[crash]") {
  const Scratch scratch;
  const auto path = scratch / "lock";
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const MachineLock lock("results in /a/killed/run", path);
    if (::write(ready[1], "r", 1) == 1) ::pause();
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK(message_of([&] { MachineLock second("", path); }).find(fmt::format("process {}", child)) != std::string::npos);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const MachineLock next("results in /next", path);
  CHECK(read_file(path).find("/next") != std::string::npos);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("the file of one user is everybody's") {
  // In a folder for everybody, as the real one: this test may lie where only its user may go.
  const std::filesystem::path path = fmt::format("/tmp/iobench-lock-test-{}", ::getpid());
  { const MachineLock lock("results", path); }
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0666);
  if (::geteuid() != 0) {
    std::filesystem::remove(path);
    return;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(99);
    try {
      const MachineLock lock("results of nobody", path);
      ::_exit(0);
    } catch (const Error&) {
      ::_exit(1);
    }
  }
  int ended = 0;
  ::waitpid(child, &ended, 0);
  std::filesystem::remove(path);
  CHECK(ended == 0);
}

TEST_CASE("a lock is a file of its own, no other name of somebody's", "[B127]") {
  const Scratch scratch;
  const std::filesystem::path other = scratch.file("other", "kept");
  std::filesystem::create_hard_link(other, scratch / "hard");
  std::filesystem::create_symlink(other, scratch / "link");
  REQUIRE(::mkfifo((scratch / "fifo").c_str(), 0600) == 0);
  for (const char* name : {"hard", "link", "fifo"}) {
    INFO(name);
    const std::string said = message_of([&] { const MachineLock lock("x", scratch / name); });
    CHECK(said.find(std::string(name) + ", the lock against two runs at once: ") != std::string::npos);
  }
  CHECK(read_file(other) == "kept");
}
