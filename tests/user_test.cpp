// SPDX-License-Identifier: MIT
// Who runs the measured commands when root runs iobench: not root, where that can be, and the record says who. Needs root
// to be tried; without it only what is refused is.
#include "user.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "catch.h"
#include "environment.h"
#include "lab.h"
#include "message.h"
#include "samples.h"
#include "sanitized.h"

using namespace iobench;
using iobench::testing::sanitized;
namespace fs = std::filesystem;

namespace {

constexpr const char* nobody = "65534:65534";

fs::path tools() { return std::getenv("IOBENCH_TOOLS"); }

constexpr const char* small_suite = R"(
title = "Small"
question = "Who runs it?"
group = ["output"]
baseline = { tool = "readwrite" }
[[row]]
name = "{tool}-{output}"
tool = ["readwrite", "getputc"]
input = "corpus"
output = ["file", "pipe"]
cache = "warm"
)";

bool is_root() {
  if (::geteuid() == 0) return true;
  WARN("skipped: only root can become another user");
  return false;
}

// Whether others may enter the folder of the tools; said, when not.
bool others_reach(const fs::path& folder) {
  const Finished tried = run_command({(tools() / "plumb").string(), "--user", nobody, "null", "null", (folder / "readwrite").string(), "--version"});
  if (tried.status != 0) WARN("skipped: others may not run what is in " << folder);
  return tried.status == 0;
}

}  // namespace

TEST_CASE("plumb gives up its user for the command, with every group, and keeps it for itself") {
  if (!is_root()) return;
  const Scratch scratch;
  const std::string plumb = (tools() / "plumb").string();
  const Finished who = run_command({plumb, "--user", nobody, "--account", (scratch / "account").string(), "null", "-", "sh", "-c",
                                    "id -u; id -g; id -G; grep -c '^CapEff:[[:space:]]*0*$' /proc/self/status"});
  CHECK(who.status == 0);
  CHECK(who.out == "65534\n65534\n65534\n1\n");
  CHECK(read_file(scratch / "account").find("\"status\":0") != std::string::npos);
  // The ends are opened by whom plumb is.
  const fs::path secret = scratch.file("secret", "bytes");
  fs::permissions(secret, fs::perms::owner_read);
  const Finished read = run_command({plumb, "--user", nobody, secret.string(), "-", "cat"});
  CHECK(read.out == "bytes");
  for (const char* word : {"", "1000", "1000:", ":1", "a:b", "1:2:3", "-1:1", "4294967295:1", "99999999999:1"}) {
    INFO(word);
    const Finished wrong = run_command({plumb, "--user", word, "null", "null", "true"});
    CHECK(wrong.status == 125);
    CHECK(std::count(wrong.err.begin(), wrong.err.end(), '\n') == 1);
  }
}

TEST_CASE("an ordinary user's commands stay that user's, and become nobody else's") {
  if (::geteuid() != 0) {
    CHECK(command_user("", tools()).ids.empty());
    CHECK(message_of([] { command_user("root", tools()); }).starts_with("--user root: only root can"));
  }
  CHECK(message_of([] { command_user("no-such-user-of-ours", tools()); }) == "--user no-such-user-of-ours: there is no such user");
}

TEST_CASE("root is kept only for a reason, and the reason is said") {
  if (!is_root()) return;
  Environment environment;
  environment.set("SUDO_UID", "");
  CHECK(command_user("", tools()).says == "root: no --user was named, and sudo says none");
  CHECK(command_user("0", tools()).says == "root: as asked");
  environment.set("SUDO_UID", "0");
  environment.set("SUDO_GID", "0");
  CHECK(command_user("", tools()).ids.empty());
  environment.set("SUDO_UID", "65534");
  environment.set("SUDO_GID", "65534");
  const Scratch locked;  // 0700, as mkdtemp makes it
  fs::copy_file(tools() / "plumb", locked / "plumb");
  fs::copy_file(tools() / "readwrite", locked / "readwrite");
  CHECK(command_user("", locked.path()).says.starts_with("root: uid 65534 cannot run the tools: "));
  CHECK(message_of([&] { command_user("65534", locked.path()); }).starts_with("--user 65534: it cannot run the tools: "));
  if (!others_reach(tools())) return;
  CHECK(command_user("", tools()).ids == nobody);
  CHECK(command_user("", tools()).says == "uid 65534");
}

TEST_CASE("a session's commands run as the user, and its record says so") {
  if (!is_root() || !others_reach(tools())) return;
  Lab lab(small_suite);
  const fs::path seen = lab.scratch / "seen";
  fs::permissions(lab.scratch.path(), fs::perms(0711));
  replace_file(seen, "");
  fs::permissions(seen, fs::perms(0666));
  lab.replace_tool("getputc", "[ \"$1\" = --version ] || id -u >> " + seen.string() + "\nexec " + (tools() / "getputc").string() + " \"$@\"");
  fs::permissions(lab.layout.tools, fs::perms(0755));
  lab.options.user = "65534";
  const SessionEnd end = lab.run();
  CHECK(end.runs_failed == 0);
  for (const Sample& sample : read_samples(end.results / "samples.csv").samples) {
    INFO(sample.row << ": " << sample.reason);
    CHECK(sample.status == "ok");
  }
  std::istringstream users(read_file(seen));
  std::size_t runs = 0;
  for (std::string user; std::getline(users, user); ++runs) CHECK(user == "65534");
  CHECK(runs > 2);
  CHECK(read_file(end.results / "session.json").find("\"commands_run_as\": \"uid 65534\"") != std::string::npos);
  // strace could write its summary. Under it a sanitized tool fails: it cannot look for leaks while it is traced.
  if (!sanitized) CHECK(read_file(end.results / "plan.json").find("strace: ") == std::string::npos);
}

TEST_CASE("runs of two users are not mixed in one result") {
  if (!is_root() || !others_reach(tools())) return;
  Lab lab(small_suite);
  fs::permissions(lab.scratch.path(), fs::perms(0711));
  const SessionEnd end = lab.run();
  std::istringstream lines(read_file(end.results / "samples.csv"));
  std::string kept;
  std::size_t count = 0;
  for (std::string line; count < 6 && std::getline(lines, line); ++count) kept += line + "\n";
  replace_file(end.results / "samples.csv", kept);
  lab.options.user = "65534";
  const auto resume = [&] { resume_session(end.results, lab.options, lab.layout, lab.toolbox()); };
  CHECK(message_of(resume) == "resume " + end.results.string() +
                                  ": its commands ran as root, and would now run as uid 65534; resume it as the same user, or with --user");
  CHECK(read_file(end.results / "samples.csv") == kept);
  lab.options.user = "0";
  CHECK(message_of(resume) == "no error");
}
