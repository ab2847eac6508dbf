// SPDX-License-Identifier: MIT
// The runner against a fake hyperfine whose log is the assertion, and against the real plumb.
#include "runner.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "catch.h"
#include "environment.h"
#include "scratch.h"
#include "system.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

struct Fake {
  Scratch scratch;
  fs::path log = scratch.path() / "log";
  Runner runner{fs::path(std::getenv("IOBENCH_ROOT")) / "tests/fakes/hyperfine", fs::path(std::getenv("IOBENCH_TOOLS")) / "plumb",
                scratch.path()};
  Environment environment;

  explicit Fake(const std::string& mode = "") {
    environment.set("FAKE_LOG", log.string());
    environment.set("FAKE_MODE", mode);
  }
  Job job(std::vector<std::string> argv) const { return {"null", "null", std::move(argv), 1, false, ""}; }
};

}  // namespace

TEST_CASE("a word survives hyperfine's splitting, which is a shell's", "[runner]") {
  CHECK(quote_word("plain") == "'plain'");
  CHECK(quote_word("it's") == "'it'\\''s'");
  CHECK(quote_word("") == "''");
  CHECK(quote_word(" #x") == "' #x'");
}

TEST_CASE("one run is one call of hyperfine with plumb and the tool inside", "[runner]") {
  Fake fake;
  const std::string copy = (fake.scratch.path() / "copy").string();
  const Sample sample = fake.runner.time({"null", copy, {"/bin/echo", "two words", "it's"}, 3, true, "0"});
  CHECK(sample.status == "ok");
  CHECK(sample.wall_s == 0.25);
  CHECK(sample.return_s.has_value());
  CHECK(sample.durable_s.has_value());
  CHECK(sample.user_s.has_value());
  CHECK(sample.peak_memory_bytes.value_or(0) > 0);
  const std::string log = read_file(fake.log);
  CHECK(log.starts_with("-N -i --style none --runs 1 --export-json "));
  CHECK(log.find("'--repeat' '3' '--sync' '--cpus' '0' '--die-with-parent' 'null' '" + copy + "' '/bin/echo' 'two words' 'it'\\''s'") !=
        std::string::npos);
  CHECK(std::count(log.begin(), log.end(), '\n') == 1);
}

TEST_CASE("a command that fails is a sample that says so, and has the tool's own reason", "[runner][B99]") {
  Fake fake;
  const Sample failed = fake.runner.time(fake.job({"/bin/sh", "-c", "echo first >&2; echo 'sh: write x: No space left' >&2; exit 3"}));
  CHECK(failed.status == "failed");
  CHECK(failed.reason == "sh: write x: No space left (exit status 3)");
  const Sample unsupported = fake.runner.time(fake.job({"/bin/sh", "-c", "echo 'sendfile-copy: not for a pipe' >&2; exit 77"}));
  CHECK(unsupported.status == "unsupported");
  CHECK(unsupported.reason == "sendfile-copy: not for a pipe");
  const Sample killed = fake.runner.time(fake.job({"/bin/sh", "-c", "kill -9 $$"}));
  CHECK(killed.status == "failed");
  CHECK(killed.reason == "killed by signal 9");
  const Sample absent = fake.runner.time(fake.job({"/nowhere/tool"}));
  CHECK(absent.status == "failed");
  CHECK(absent.reason.find("No such file or directory") != std::string::npos);
}

TEST_CASE("what hyperfine exports is believed only when it is one time of one run", "[runner][B97]") {
  for (const char* mode : {"silent", "garbage", "two", "die"}) {
    INFO(mode);
    Fake fake(mode);
    const Sample sample = fake.runner.time(fake.job({"/bin/true"}));
    CHECK(sample.status == "failed");
    CHECK_FALSE(sample.wall_s.has_value());
    CHECK_FALSE(sample.reason.empty());
  }
}

TEST_CASE("an account of an earlier run never passes for this one's", "[runner]") {
  Fake fake;
  REQUIRE(fake.runner.time(fake.job({"/bin/true"})).status == "ok");
  fake.environment.set("FAKE_MODE", "no-run");
  const Sample sample = fake.runner.time(fake.job({"/bin/true"}));
  CHECK(sample.status == "failed");
  CHECK(sample.reason == "plumb left no account of the run");
}

TEST_CASE("a count that is no whole number from 0 is no count", "[runner][B97]") {
  const Scratch scratch;
  const fs::path plumb = scratch.script("plumb", R"(while [ "$1" != --account ]; do shift; done
printf '{"status": 0, "read_calls": 1e300, "write_calls": -1, "minor_faults": 1.5, "major_faults": 7}' >"$2")");
  const Runner runner(scratch / "hyperfine", plumb, scratch.path());
  const Account account = runner.run_once({"null", "null", {"/bin/true"}, 1, false, ""}, [](std::string_view) {});
  CHECK(account.valid);
  CHECK_FALSE(account.figures.read_calls.has_value());
  CHECK_FALSE(account.figures.write_calls.has_value());
  CHECK_FALSE(account.figures.minor_faults.has_value());
  CHECK(account.figures.major_faults == 7);
}

TEST_CASE("an untimed run hands its output on", "[runner]") {
  Fake fake;
  std::string got;
  const Account account = fake.runner.run_once({"null", "-", {"/bin/echo", "hello"}, 1, false, ""},
                                               [&](std::string_view part) { got += part; });
  CHECK(account.valid);
  CHECK(account.status == 0);
  CHECK(got == "hello\n");
}

TEST_CASE("strace's summary is read by its columns", "[runner]") {
  const CallCounts counts = parse_strace_summary(
      "% time     seconds  usecs/call     calls    errors syscall\n"
      "------ ----------- ----------- --------- --------- ----------------\n"
      " 60.00    0.000120           1       120           read\n"
      " 40.00    0.000080           2        40         3 openat\n"
      "------ ----------- ----------- --------- --------- ----------------\n"
      "100.00    0.000200           1       160         3 total\n");
  REQUIRE(counts.calls.size() == 2);
  CHECK(counts.calls[0] == std::pair<std::string, std::uint64_t>("read", 120));
  CHECK(counts.calls[1] == std::pair<std::string, std::uint64_t>("openat", 40));
  CHECK(counts.total == 160);
  CHECK(parse_strace_summary("").note == "strace counted nothing");
  CHECK(parse_strace_summary("strace: attach: Operation not permitted\n").calls.empty());
}

TEST_CASE("instructions are read from what cachegrind says of them", "[runner]") {
  const InstructionCount alone = parse_cachegrind_log(
      "==4711== Cachegrind, a cache and branch-prediction profiler\n==4711== Command: ./readwrite -b 64K\n==4711== \n"
      "==4711== I   refs:      1,234,567\n");
  CHECK(alone.instructions == 1234567);
  CHECK(alone.note.empty());
  CHECK(parse_cachegrind_log("==1== I   refs:      12\n==1== D   refs:      34\n").instructions == 12);
  for (const char* nothing : {"", "==1== D   refs:      34\n", "==1== I   refs:      \n", "==1== I   refs:      99999999999999999999999\n"}) {
    INFO(nothing);
    CHECK(parse_cachegrind_log(nothing).note == "valgrind counted nothing");
  }
}

TEST_CASE("without valgrind, and when the command fails under it, there are no instructions but a reason", "[runner]") {
  const Fake fake;
  const auto counted = [&](const fs::path& valgrind) {
    return count_instructions(fake.runner, fake.job({"/bin/true"}), valgrind, fake.scratch.path());
  };
  CHECK(counted("").note == "valgrind is not installed");
  const InstructionCount failed = counted(fake.scratch.script("valgrind", "echo 'valgrind: no such tool' >&2\nexit 1"));
  CHECK(failed.note == "valgrind: valgrind: no such tool");
  CHECK(failed.instructions == 0);
  // What it is asked: the log goes beside the account, nothing into the folder of the caller.
  const fs::path stand_in = fake.scratch.script(
      "counter", "for word; do case $word in --log-file=*) echo '==1== I   refs:  4,321' >\"${word#*=}\" ;; esac; done");
  CHECK(counted(stand_in).instructions == 4321);
}
