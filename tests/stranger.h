// SPDX-License-Identifier: MIT
// What an ordinary user sees who owns nothing of a made-up machine and may change nothing in it, also when root tests.
#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "catch.h"
#include "scratch.h"

// What `question` answers, asked in a process of its own so that root can become nobody. None, with a message, when the
// folder cannot be reached by others.
inline std::optional<std::string> as_stranger(const Scratch& scratch, const std::function<std::string()>& question) {
  namespace fs = std::filesystem;
  const auto set_all = [&](fs::perms bits, fs::perm_options how) {
    fs::permissions(scratch.path(), bits, how);
    for (const auto& entry : fs::recursive_directory_iterator(scratch.path())) fs::permissions(entry.path(), bits, how);
  };
  const fs::perms write = fs::perms(0222), look = fs::perms(0055);
  fs::permissions(scratch.path(), look, fs::perm_options::add);
  set_all(write, fs::perm_options::remove);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0))
      ::_exit(1);
    if (::access(scratch.path().c_str(), X_OK) != 0) ::_exit(2);
    const std::string answer = question();
    ::_exit(::write(ends[1], answer.data(), answer.size()) == static_cast<ssize_t>(answer.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string answer;
  char block[4096];
  for (ssize_t got; (got = ::read(ends[0], block, sizeof block)) > 0;)
    answer.append(block, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  set_all(fs::perms::owner_write, fs::perm_options::add);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) {
    WARN("skipped: others may not enter " << scratch.path());
    return std::nullopt;
  }
  REQUIRE(WEXITSTATUS(status) == 0);
  return answer;
}
