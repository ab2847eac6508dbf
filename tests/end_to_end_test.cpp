// SPDX-License-Identifier: MIT
// iobench as its user runs it, on a small corpus: with the real hyperfine and gnuplot, with a hanging one, with wrong words.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "catch.h"
#include "made_up.h"
#include "samples.h"
#include "scratch.h"
#include "storage.h"
#include "system.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

struct Lab {
  Scratch scratch;
  fs::path root = std::getenv("IOBENCH_ROOT");
  fs::path iobench = std::getenv("IOBENCH_PROGRAM");
  fs::path results = scratch.path() / "out";
  std::vector<std::string> environment;

  Lab() {
    fs::create_directories(scratch.path() / "data/suites");
    fs::create_directory_symlink(root / "plots", scratch.path() / "plots");
    fs::create_directory_symlink(root / "data/published", scratch.path() / "data/published");
    fs::copy_file(root / "data/tools.toml", scratch.path() / "data/tools.toml");
    std::ofstream(scratch.path() / "data/suites/small.toml") << R"(
title = "Small"
question = "Does the lab run?"
group = ["output"]
baseline = { block = "4K" }
[[row]]
name = "{output}-{block}"
label = "{block}"
tool = "readwrite -b {block}"
block = ["1K", "4K", "64K"]
input = "corpus"
output = ["null", "pipe", "file"]
cache = "warm"
[[plot]]
name = "throughput"
kind = "sweep"
title = "Throughput by block size"
x = "block"
y = "bytes_per_s"
series = ["output"]
)";
    environment = {"IOBENCH_ROOT=" + scratch.path().string(), "IOBENCH_TOOLS=" + std::string(std::getenv("IOBENCH_TOOLS")),
                   "IOBENCH_LOCK=" + (scratch.path() / "lock").string()};
  }

  Finished run(std::vector<std::string> words) const {
    words.insert(words.begin(), iobench.string());
    SpawnOptions options;
    options.environment = environment;
    return run_command(words, options);
  }
};

std::size_t lines(const std::string& text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

// Processes with the lab's scratch directory in their arguments: all that a run starts has it there.
std::size_t processes_that_name(const std::string& text) {
  std::size_t found = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored))
    if (read_file_or_empty(entry.path() / "cmdline").find(text) != std::string::npos) ++found;
  return found;
}

}  // namespace

TEST_CASE("a whole run with the real hyperfine and gnuplot", "[end-to-end]") {
  if (find_program("hyperfine").empty()) {
    WARN("skipped: hyperfine is not installed");
    return;
  }
  const Lab lab;
  const Finished run = lab.run({"run", "--corpus", "1M", "--results", lab.results.string(), "--seed", "1"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK(run.out.find("report.md") != std::string::npos);
  const StoredSamples stored = read_samples(lab.results / "samples.csv");
  // 9 rows and 3 baselines' second slots in 7 rounds, and memory copied by one thread and by two once a round.
  CHECK(stored.samples.size() == 7 * (9 + 3 + 2));
  for (const Sample& sample : stored.samples) {
    INFO(sample.row << ": " << sample.reason);
    CHECK(sample.status == "ok");
    CHECK(sample.wall_s.value_or(0) > 0);
  }
  for (const char* file : {"plan.json", "machine.json", "session.json", "report.md", "report.html"})
    CHECK(fs::file_size(lab.results / file) > 100);
  const std::string report = read_file(lab.results / "report.md");
  CHECK(report.find("Does the lab run?") != std::string::npos);
  CHECK(report.find("nan") == std::string::npos);
  if (!find_program("gnuplot").empty()) {
    std::size_t pictures = 0;
    for (const auto& entry : fs::directory_iterator(lab.results / "plots"))
      if (const std::string ending = entry.path().extension(); ending == ".svg" || ending == ".png") {
        CHECK(fs::file_size(entry.path()) > 1000);
        ++pictures;
      }
    CHECK(pictures == 2);
  }

  SECTION("the report can be made again") {
    fs::remove(lab.results / "report.md");
    CHECK(lab.run({"report", lab.results.string()}).status == 0);
    CHECK(read_file(lab.results / "report.md") == report);
  }
  SECTION("results are not overwritten") {
    const Finished again = lab.run({"run", "--corpus", "1M", "--results", lab.results.string()});
    CHECK(again.status == 1);
    CHECK(lines(again.err) == 1);
    CHECK(read_file(lab.results / "report.md") == report);
  }
}

TEST_CASE("an interrupted run ends at once, keeps what was measured and leaves no process", "[end-to-end][B98]") {
  Lab lab;
  const fs::path log = lab.scratch.path() / "log";
  lab.environment.push_back("PATH=" + (lab.root / "tests/fakes").string() + ":" + std::getenv("PATH"));
  lab.environment.push_back("FAKE_MODE=hang");
  lab.environment.push_back("FAKE_LOG=" + log.string());
  const int signal = GENERATE(SIGINT, SIGTERM);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (const std::string& entry : lab.environment) ::putenv(const_cast<char*>(entry.c_str()));
    const int null = ::open("/dev/null", O_RDWR);
    ::dup2(null, 1);
    ::dup2(null, 2);
    ::execl(lab.iobench.c_str(), "iobench", "run", "--corpus", "64K", "--results", lab.results.c_str(), nullptr);
    ::_exit(127);
  }
  for (int i = 0; i < 3000 && !fs::exists(log); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  REQUIRE(fs::exists(log));
  CHECK(processes_that_name(lab.scratch.path().filename()) >= 2);  // iobench and what hangs
  ::kill(child, signal);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 128 + signal);
  // Only the limits of the first round can have been measured; the file is whole all the same.
  CHECK(read_samples(lab.results / "samples.csv").samples.size() <= 2);
  CHECK(read_file(lab.results / "session.json").find("\"interrupted\": true") != std::string::npos);
  CHECK(read_file(lab.results / "report.md").find("nterrupted") != std::string::npos);
  for (const auto& entry : fs::recursive_directory_iterator(lab.scratch.path() / "data/corpus")) CHECK(entry.is_regular_file());
  CHECK(processes_that_name(lab.scratch.path().filename()) == 0);
}

namespace {

// iobench in the background; its process number. What it says is dropped.
pid_t start(const Lab& lab, std::vector<std::string> words) {
  words.insert(words.begin(), lab.iobench.string());
  const pid_t child = ::fork();
  if (child != 0) return child;
  for (const std::string& entry : lab.environment) ::putenv(const_cast<char*>(entry.c_str()));
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, 1);
  ::dup2(null, 2);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

// Of each run's last attempt: "row round".
std::vector<std::string> runs_made(const std::vector<Sample>& samples) {
  std::vector<std::string> made;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (samples[i].attempt == 1) made.push_back(samples[i].row + " " + std::to_string(samples[i].round));
  return made;
}

}  // namespace

// 20 kills, spread over a run from its beginning to its end, each some milliseconds after another sample.
TEST_CASE("killed at any moment, a run is finished by --resume with every run once", "[end-to-end][B98]") {
  if (find_program("hyperfine").empty()) {
    WARN("skipped: hyperfine is not installed");
    return;
  }
  const Lab lab;
  const std::vector<std::string> first = {"run", "--corpus", "256K", "--results", lab.results.string(), "--seed", "5", "--rounds", "3"};
  REQUIRE(lab.run(first).status == 0);
  std::vector<std::string> expected = runs_made(read_samples(lab.results / "samples.csv").samples);
  REQUIRE(expected.size() == 3 * (9 + 3 + 2));
#ifdef __SANITIZE_ADDRESS__
  constexpr int kills = 5;  // each takes several times as long
#else
  constexpr int kills = 20;
#endif
  int resumed = 0, killed_between = 0;
  for (int kill_number = 0; kill_number < kills; ++kill_number) {
    fs::remove_all(lab.results);
    const pid_t child = start(lab, first);
    const auto wanted = static_cast<std::size_t>(kill_number) * expected.size() / kills;
    const auto lines_there = [&] { return lines(read_file_or_empty(lab.results / "samples.csv")); };
    for (int i = 0; i < 60000 && (lines_there() < wanted + 2 || !fs::exists(lab.results / "plan.json")); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(kill_number * 7 % 20));
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    const StoredSamples left = read_samples(lab.results / "samples.csv");
    killed_between += !left.samples.empty() && left.samples.size() < expected.size();
    for (int i = 0; i < 500 && processes_that_name(lab.results.string()) > 0; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(processes_that_name(lab.results.string()) == 0);
    const Finished rest = lab.run({"run", "--resume", lab.results.string()});
    INFO("kill " << kill_number << " after " << left.samples.size() << " samples: " << rest.err);
    REQUIRE(rest.status == 0);
    ++resumed;
    CHECK((runs_made(read_samples(lab.results / "samples.csv").samples) == expected));
    CHECK(read_file(lab.results / "report.md").find("nterrupted") == std::string::npos);
  }
  CHECK(resumed == kills);
  CHECK(killed_between >= kills * 3 / 4);
}

TEST_CASE("a finished run has nothing to resume, and can be repeated", "[end-to-end]") {
  if (find_program("hyperfine").empty()) {
    WARN("skipped: hyperfine is not installed");
    return;
  }
  const Lab lab;
  REQUIRE(lab.run({"run", "--corpus", "64K", "--results", lab.results.string(), "--rounds", "2"}).status == 0);
  const std::string samples = read_file(lab.results / "samples.csv");
  const std::string told = read_file(lab.results / "session.json");
  CHECK(lab.run({"run", "--resume", lab.results.string()}).status == 0);
  CHECK(read_file(lab.results / "samples.csv") == samples);
  CHECK(read_file(lab.results / "session.json") == told);
  const fs::path again = lab.scratch / "again";
  REQUIRE(lab.run({"run", "--repeat", lab.results.string(), "--results", again.string()}).status == 0);
  CHECK((runs_made(read_samples(again / "samples.csv").samples) == runs_made(read_samples(lab.results / "samples.csv").samples)));
  CHECK(read_file(lab.results / "samples.csv") == samples);

  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"run", "--resume", lab.results.string(), "--repeat", lab.results.string()},
        {"run", "--resume", lab.results.string(), "--corpus", "1M"},
        {"run", "--repeat", lab.results.string(), "--seed", "1"}}) {
    const Finished refused = lab.run(wrong);
    CHECK(refused.status == 2);
    CHECK(lines(refused.err) == 1);
  }
  const Finished nothing = lab.run({"run", "--resume", (lab.scratch / "nothing").string()});
  CHECK(nothing.status == 1);
  CHECK(lines(nothing.err) == 1);
  // Another program than before: its samples are not mixed with the old ones.
  std::string machine = read_file(lab.results / "machine.json");
  const std::size_t digest = machine.find("\"xxh3\": \"") + 9;
  machine[digest] = machine[digest] == '0' ? '1' : '0';
  replace_file(lab.results / "machine.json", machine);
  const std::string fewer = samples.substr(0, samples.rfind('\n', samples.size() - 2) + 1);
  replace_file(lab.results / "samples.csv", fewer);
  const Finished mixed = lab.run({"run", "--resume", lab.results.string()});
  CHECK(mixed.status == 1);
  CHECK(mixed.err.find("the machine is not what it was") != std::string::npos);
  CHECK(read_file(lab.results / "samples.csv") == fewer);
  // Nor is this machine said to have made samples of which nobody knows where they were made.
  fs::remove(lab.results / "machine.json");
  const Finished unknown = lab.run({"run", "--resume", lab.results.string()});
  CHECK(unknown.status == 1);
  CHECK(unknown.err.find("there is no machine.json") != std::string::npos);
  CHECK_FALSE(fs::exists(lab.results / "machine.json"));
}

TEST_CASE("commands are timed from the command line, and wrong words are status 2", "[end-to-end]") {
  if (find_program("hyperfine").empty()) {
    WARN("skipped: hyperfine is not installed");
    return;
  }
  const Lab lab;
  const std::string input = lab.scratch.file("in", std::string(1 << 20, 'x')).string();
  const fs::path json = lab.scratch / "t.json", csv = lab.scratch / "t.csv", markdown = lab.scratch / "t.md";
  const Finished timed = lab.run({"time", "cat", "readwrite -b 64K", "--input", input, "--output", "pipe", "--cache", "cold", "--rounds",
                                  "2", "--export-json", json.string(), "--export-csv", csv.string(), "--export-markdown",
                                  markdown.string()});
  INFO(timed.err);
  REQUIRE(timed.status == 0);
  CHECK(timed.out.find("Cold file to a pipe whose reader discards, 1 MiB per run") == 0);
  CHECK(timed.out.find("readwrite -b 64K") != std::string::npos);
  CHECK(read_file(json).find("\"command\": \"cat\"") != std::string::npos);
  CHECK(lines(read_file(csv)) == 3);
  CHECK(read_file(markdown).find("| cat |") != std::string::npos);
  CHECK(lab.run({"time", "sh -c 'exit 3'", "--rounds", "1", "--input", input}).status == 4);
  for (const std::vector<std::string>& words : {std::vector<std::string>{"time"},
                                                {"time", "cat | wc", "--input", input},
                                                {"time", "cat", "--cache", "cold"},
                                                {"time", "cat", "--output", "nowhere"},
                                                {"time", "cat", "--rounds", "0"}}) {
    const Finished refused = lab.run(words);
    INFO(words.back() << ": " << refused.err);
    CHECK(refused.status == 2);
    CHECK(lines(refused.err) == 1);
  }
  const Finished missing = lab.run({"time", "cat", "--input", input + ".missing"});
  CHECK(missing.status == 1);
  CHECK(lines(missing.err) == 1);
  const Finished unwritable = lab.run({"time", "cat", "--input", input, "--export-json", (lab.scratch / "no/such/x.json").string()});
  CHECK(unwritable.status == 1);
  CHECK(lines(unwritable.err) == 1);
}

TEST_CASE("two runs at once are refused", "[end-to-end][crash]") {
  Lab lab;
  lab.environment.push_back("PATH=" + (lab.root / "tests/fakes").string() + ":" + std::getenv("PATH"));
  lab.environment.push_back("FAKE_MODE=hang");
  lab.environment.push_back("FAKE_LOG=" + (lab.scratch / "log").string());
  const pid_t child = start(lab, {"run", "--corpus", "64K", "--results", lab.results.string()});
  for (int i = 0; i < 3000 && !fs::exists(lab.scratch / "log"); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const fs::path second = lab.scratch / "second";
  const Finished refused = lab.run({"run", "--corpus", "64K", "--results", second.string()});
  CHECK(refused.status == 1);
  CHECK(lines(refused.err) == 1);
  CHECK(refused.err.find(fmt::format("process {}, results in {}", child, lab.results.string())) != std::string::npos);
  CHECK_FALSE(fs::exists(second));
  ::kill(child, SIGTERM);
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("a stranger's suite and a stranger's results run nothing of their own", "[end-to-end]") {
  const Lab lab;
  const fs::path proof = lab.scratch / "proof";
  const std::string head = "title = \"T\"\nquestion = \"Q?\"\n[[row]]\nname = \"x\"\ninput = \"corpus\"\noutput = \"file\"\ncache = \"warm\"\n";
  const fs::path suite = lab.scratch.file("elsewhere/odd.toml", head + "command = [\"touch\", \"" + proof.string() + "\"]\n");
  const std::vector<std::string> run = {"run", "--corpus", "64K", "--rounds", "1", "--results", lab.results.string(), "--suites", suite.string()};
  const Finished refused = lab.run(run);
  CHECK(refused.status == 2);
  CHECK(lines(refused.err) == 1);
  for (const char* part : {"suite 'odd'", "row 'x'", "--allow-commands"}) CHECK(refused.err.find(part) != std::string::npos);
  CHECK_FALSE(fs::exists(proof));
  CHECK_FALSE(fs::exists(lab.results));
  if (find_program("hyperfine").empty()) {
    WARN("the rest skipped: hyperfine is not installed");
    return;
  }
  std::vector<std::string> allowed = run;
  allowed.push_back("--allow-commands");
  CHECK(lab.run(allowed).status == 4);  // it copies nothing: a mismatch
  CHECK(fs::exists(proof));
  // The same results, as if they had come by mail.
  fs::remove(proof);
  const Finished repeated = lab.run({"run", "--repeat", lab.results.string(), "--results", (lab.scratch / "again").string()});
  CHECK(repeated.status == 2);
  CHECK(repeated.err.find("--allow-commands") != std::string::npos);
  CHECK(lines(repeated.err) == 1);
  const std::string samples = read_file(lab.results / "samples.csv");
  replace_file(lab.results / "samples.csv", samples.substr(0, samples.rfind('\n', samples.size() - 2) + 1));
  CHECK(lab.run({"run", "--resume", lab.results.string()}).status == 2);
  CHECK_FALSE(fs::exists(proof));
  const fs::path good = lab.scratch.file("elsewhere/good.toml", head + "tool = \"readwrite -b 4K\"\n");
  CHECK(lab.run({"run", "--corpus", "64K", "--rounds", "1", "--results", (lab.scratch / "good").string(), "--suites", good.string()}).status == 0);
}

// RLIMIT_FSIZE is the full disk of whoever may mount none: writes past it fail, the tools' own stay below.
TEST_CASE("where no room is left, what was measured stays and the way on is told", "[end-to-end][crash]") {
  if (find_program("hyperfine").empty()) {
    WARN("skipped: hyperfine is not installed");
    return;
  }
  const Lab lab;
  const auto with_limit = [&](const std::string& bytes, std::vector<std::string> words) {
    words.insert(words.begin(), {"prlimit", "--fsize=" + bytes, "--", "env", "--ignore-signal=XFSZ", lab.iobench.string()});
    SpawnOptions options;
    options.environment = lab.environment;
    return run_command(words, options);
  };
  if (find_program("prlimit").empty() || run_command({"env", "--ignore-signal=XFSZ", "true"}).status != 0) {
    WARN("skipped: prlimit or env --ignore-signal is missing");
    return;
  }
  const std::vector<std::string> run = {"run", "--corpus", "4K", "--results", lab.results.string(), "--rounds", "200", "--seed", "5"};
  const Finished full = with_limit("100000", run);
  INFO(full.err);
  CHECK(full.status == 1);
  CHECK(full.err.find("write " + (lab.results / "samples.csv").string() + ": File too large; ") != std::string::npos);
  CHECK(full.err.find("iobench run --resume " + lab.results.string()) != std::string::npos);
  const StoredSamples stored = read_samples(lab.results / "samples.csv");
  CHECK(stored.samples.size() > 100);
  CHECK(stored.note.empty());
  const Finished unreported = with_limit("1000", {"report", lab.results.string()});
  CHECK(unreported.status == 1);
  CHECK(lines(unreported.err) == 1);
  CHECK(unreported.err.find(lab.results.string()) != std::string::npos);
  CHECK(read_samples(lab.results / "samples.csv").samples == stored.samples);
  CHECK(lab.run({"report", lab.results.string()}).status == 0);
  CHECK(read_file(lab.results / "report.md").size() > 1000);
}

TEST_CASE("results that cannot be written are told before anything is measured", "[end-to-end][crash][B98]") {
  const Lab lab;
  for (const char* place : {"/proc/iobench-results", "/dev/null/results"}) {
    const Finished refused = lab.run({"run", "--corpus", "64K", "--results", place});
    INFO(refused.err);
    CHECK(refused.status == 1);
    CHECK(refused.err.find(place) != std::string::npos);
    CHECK(refused.err.find("--results DIR") != std::string::npos);
    CHECK_FALSE(fs::exists(lab.scratch / "data/corpus"));
  }
}

namespace {

// iobench with these words in mounts of its own, which `mounts`, a line for sh, has made. An ordinary user makes them in
// a namespace of his, if the kernel lets him; nothing: it does not.
std::optional<Finished> run_in_mounts(const Lab& lab, const std::string& mounts, std::vector<std::string> words) {
  const std::string unshare = ::geteuid() == 0 ? "-m" : "-rm";
  if (run_command({"unshare", unshare, "mount", "-t", "tmpfs", "none", lab.scratch.path().string()}).status != 0) {
    WARN("skipped: no mounts of our own here");
    return {};
  }
  words.insert(words.begin(), {"unshare", unshare, "sh", "-euc", mounts, lab.iobench.string()});
  SpawnOptions options;
  options.environment = lab.environment;
  return run_command(words, options);
}

}  // namespace

TEST_CASE("a read-only file system is told before anything is measured", "[end-to-end][crash][B98]") {
  const Lab lab;
  const fs::path place = lab.scratch / "mounted";
  fs::create_directory(place);
  const auto refused = run_in_mounts(lab, "mount -t tmpfs -o ro none " + place.string() + "; exec \"$0\" \"$@\"",
                                     {"run", "--corpus", "64K", "--results", (place / "out").string()});
  if (!refused) return;
  INFO(refused->err);
  CHECK(refused->status == 1);
  CHECK(refused->err.find((place / "out").string() + ": Read-only file system; ") != std::string::npos);
  CHECK(refused->err.find("--results DIR") != std::string::npos);
  CHECK_FALSE(fs::exists(lab.scratch / "data/corpus"));
}

TEST_CASE("on a full file system whole lines stay and the way on is told", "[end-to-end][crash][B98]") {
  if (find_program("hyperfine").empty()) {
    WARN("skipped: hyperfine is not installed");
    return;
  }
  const Lab lab;
  const fs::path place = lab.scratch / "mounted";
  fs::create_directory(place);
  const auto full = run_in_mounts(lab,
                                  fmt::format("mount -t tmpfs -o size=160k none {0}; s=0; \"$0\" \"$@\" || s=$?; "
                                              "cp -r {0}/out {1}; exit $s", place.string(), lab.results.string()),
                                  {"run", "--corpus", "4K", "--results", (place / "out").string(), "--rounds", "200"});
  if (!full) return;
  INFO(full->err);
  CHECK(full->status == 1);
  CHECK(full->err.find("write " + (place / "out/samples.csv").string() + ": No space left on device; ") != std::string::npos);
  CHECK(full->err.find("iobench run --resume " + (place / "out").string()) != std::string::npos);
  const StoredSamples stored = read_samples(lab.results / "samples.csv");
  CHECK(stored.samples.size() > 20);
  CHECK(stored.note.empty());
  CHECK(lab.run({"report", lab.results.string()}).status == 0);
}

TEST_CASE("where caches cannot be dropped nothing warm is called cold", "[end-to-end][B113]") {
  const Lab lab;
  if (find_program("hyperfine").empty() || block_device_of(lab.scratch.path()).empty()) {
    WARN("skipped: hyperfine is not installed, or the build directory is not on a block device");
    return;
  }
  replace_file(lab.scratch / "data/suites/small.toml", R"(
title = "Cold"
question = "Are caches dropped?"
group = ["output"]
baseline = { input = "corpus" }
[[row]]
name = "cold"
tool = "readwrite"
input = "corpus"
output = "null"
cache = "cold"
)");
  const std::string caches = "/proc/sys/vm/drop_caches";
  const auto ran = run_in_mounts(lab,
                                 fmt::format("mount --bind {0} {0}; mount -o remount,ro,bind {0}; ! echo 3 2>/dev/null >{0}; "
                                             "exec \"$0\" \"$@\"", caches),
                                 {"run", "--corpus", "4M", "--results", lab.results.string()});
  if (!ran) return;
  INFO(ran->err);
  const StoredSamples stored = read_samples(lab.results / "samples.csv");
  CHECK(stored.samples.size() >= 7);
  for (const Sample& sample : stored.samples) {
    if (limit_of_row(sample.row) || sample.status == "regime-not-reached") continue;
    CHECK(sample.status == "ok");
    CHECK(sample.device_read_bytes.value_or(0) >= (4u << 20) * 95 / 100);
  }
}

TEST_CASE("wrong words and a wrong set-up are one line and the right status", "[end-to-end]") {
  const Lab lab;
  struct Mistake {
    std::vector<std::string> words;
    int status;
    std::string says;
  };
  const std::vector<Mistake> mistakes = {
      {{}, 2, "iobench --help"},
      {{"rum"}, 2, "rum"},
      {{"run", "--no-such"}, 2, "--no-such"},
      {{"run", "--suites", "smal"}, 2, "unknown suite 'smal'"},
      {{"run", "--corpus", "1g"}, 2, "--corpus"},
      {{"run", "--corpus", "0"}, 2, "--corpus"},
      {{"run", "--corpus", "big"}, 2, "--corpus"},
      {{"run", "--rounds", "0"}, 2, "--rounds"},
      {{"run", "--seed", "-1"}, 2, "--seed"},
      {{"run", "--corpus", "64K", "--results", "/proc/nowhere"}, 1, "/proc/nowhere"},
      {{"run", "--corpus", "64K", "--corpus-dir", "/dev/null/x"}, 1, "/dev/null/x"},
      {{"report", "/nowhere"}, 1, "/nowhere"},
  };
  for (const Mistake& mistake : mistakes) {
    const Finished run = lab.run(mistake.words);
    INFO(fmt::format("iobench {}: {}", fmt::join(mistake.words, " "), run.err));
    CHECK(run.status == mistake.status);
    CHECK(run.err.find(mistake.says) != std::string::npos);
    CHECK(run.out.empty());
    // A run that got as far as its results folder has said where it is.
    CHECK(lines(run.err) <= 2);
  }
}

TEST_CASE("two results are compared, with a status for CI", "[end-to-end]") {
  const Lab lab;
  const auto store = [&](const std::string& name, double other_s, std::uint64_t size, const char* machine) {
    MadeUp made;
    made.plan.options.corpus_bytes = size;
    made.add_suite("pair", "A pair");
    made.add_row("base", "all", 7, {"readwrite"});
    made.add_row("other", "all", 7, {"getputc"});
    made.set_baseline("base");
    made.measure({0.1, other_s}, 0.01, 3);
    const fs::path folder = lab.scratch / name;
    lab.scratch.file(name + "/plan.json", plan_to_json(made.plan, made.checks));
    lab.scratch.file(name + "/machine.json", machine);
    SampleWriter writer(folder / "samples.csv");
    for (const Sample& sample : made.samples) writer.append(sample);
    return folder.string();
  };
  const char* here = R"({"processor": {"model name": "EPYC"}})";
  const std::string a = store("a", 0.2, 1u << 20, here), b = store("b", 0.3, 1u << 20, here);

  Finished run = lab.run({"compare", a, b});
  CHECK(run.status == 0);
  CHECK(run.err.empty());
  CHECK(run.out.find("slower") != std::string::npos);
  CHECK(lab.run({"compare", a, b, "--fail-on-slower"}).status == 3);
  CHECK(lab.run({"compare", b, a, "--fail-on-slower"}).status == 0);
  CHECK(lab.run({"compare", a, b, "--fail-on-slower", "--threshold", "1.6"}).status == 0);
  CHECK(lab.run({"compare", a, b, "--threshold", "0.5"}).status == 2);
  CHECK(lab.run({"compare", a, b, "--threshold", "nan"}).status == 2);

  const fs::path markdown = lab.scratch / "c.md", csv = lab.scratch / "c.csv";
  CHECK(lab.run({"compare", a, b, "--export-markdown", markdown.string(), "--export-csv", csv.string()}).status == 0);
  CHECK(read_file(markdown).starts_with("# B against A\n"));
  CHECK(lines(read_file(csv)) == 3);

  const auto refused = [&](const std::string& other, const std::string& why) {
    const Finished finished = lab.run({"compare", a, other, "--fail-on-slower"});
    INFO(finished.err);
    CHECK(finished.status == 1);
    CHECK(lines(finished.err) == 1);
    CHECK(finished.err.find(why) != std::string::npos);
  };
  refused(store("size", 0.2, 2u << 20, here), "no row can be compared");
  refused(store("processor", 0.2, 1u << 20, R"({"processor": {"model name": "Xeon"}})"), "EPYC against Xeon");
  refused((lab.scratch / "none").string(), "none/plan.json: No such file or directory");
  run = lab.run({"compare", a});
  CHECK(run.status == 2);
  CHECK(lines(run.err) == 1);
}

TEST_CASE("make compare wants two names", "[end-to-end]") {
  const Lab lab;
  SpawnOptions options;
  options.directory = lab.root;
  const Finished run = run_command({"make", "compare", "A=somewhere"}, options);
  CHECK(run.status == 2);
  CHECK(run.err.starts_with("make compare: name two results: make compare A=dir B=dir\n"));
}

TEST_CASE("without hyperfine, or with one too old, nothing is begun", "[end-to-end]") {
  Lab lab;
  SECTION("missing") {
    lab.environment.push_back("PATH=/nowhere");
    const Finished run = lab.run({"run", "--corpus", "64K", "--results", lab.results.string()});
    CHECK(run.status == 1);
    CHECK(run.err.find("hyperfine") != std::string::npos);
  }
  SECTION("too old") {
    lab.environment.push_back("PATH=" + (lab.root / "tests/fakes").string() + ":" + std::getenv("PATH"));
    lab.environment.push_back("FAKE_VERSION=1.12.0");
    const Finished run = lab.run({"run", "--corpus", "64K", "--results", lab.results.string()});
    CHECK(run.status == 1);
    CHECK(run.err.find("1.12.0") != std::string::npos);
  }
  CHECK_FALSE(fs::exists(lab.results));
}

TEST_CASE("help, version and the real suites' plan", "[end-to-end]") {
  const Lab lab;
  for (const char* word : {"--help", "--version"}) {
    const Finished run = lab.run({word});
    CHECK(run.status == 0);
    CHECK_FALSE(run.out.empty());
    CHECK(run.err.empty());
  }
  SpawnOptions real;
  real.environment = {"IOBENCH_ROOT=" + lab.root.string(), "IOBENCH_TOOLS=" + std::string(std::getenv("IOBENCH_TOOLS"))};
  const Finished plan = run_command({lab.iobench.string(), "run", "--list"}, real);
  CHECK(plan.status == 0);
  CHECK(plan.out.find("perlman-1985") != std::string::npos);
  CHECK(plan.out.find("buffer-sweep") != std::string::npos);
  const Finished full = run_command({lab.iobench.string(), "run", "--list", "--suites", "buffer-sweep"}, real);
  CHECK(full.out.find("perlman-1985") == std::string::npos);
  // Output that cannot be written is an error too.
  const Finished lost = run_command({"sh", "-c", lab.iobench.string() + " run --list >/dev/full"}, real);
  CHECK(lost.status == 1);
  CHECK(lost.err.find("No space left on device") != std::string::npos);
}

TEST_CASE("plots draws what was published, also where nothing was measured, and the reference results", "[end-to-end]") {
  if (find_program("gnuplot").empty()) {
    WARN("skipped: gnuplot is not installed");
    return;
  }
  Lab lab;
  const fs::path results = lab.scratch.path() / "results", published = results / "plots/published/perlman-1985-published.svg";
  fs::copy_file(lab.root / "data/suites/perlman-1985.toml", lab.scratch.path() / "data/suites/perlman-1985.toml");
  const Finished alone = lab.run({"plots"});
  INFO(alone.out << alone.err);
  REQUIRE(alone.status == 0);
  CHECK(alone.out.find("Published figures, as their authors gave them, in ") == 0);
  CHECK(alone.out.find("  perlman-1985-published: svg, ") != std::string::npos);
  CHECK(alone.out.find("Figures of ") == std::string::npos);
  const std::string first = read_file(published);
  CHECK(first.find("As published: Gary Perlman") != std::string::npos);

  fs::create_directories(results / "reference");
  for (const char* file : {"plan.json", "samples.csv"})
    fs::copy_file(lab.root / "results/reference" / file, results / "reference" / file);
  const Finished both = lab.run({"plots"});
  CHECK(both.status == 0);
  CHECK(both.out.find("Figures of " + (results / "reference").string()) != std::string::npos);
  CHECK(fs::exists(results / "plots/reference/perlman-1985-cpu-corpus.svg"));
  CHECK_FALSE(fs::exists(results / "reference/plots"));  // what may be committed is not touched
  CHECK(read_file(published) == first);

  const Finished chosen = lab.run({"plots", (results / "reference").string()});
  CHECK(chosen.status == 0);
  CHECK(read_file(results / "reference/plots/perlman-1985-cpu-corpus.svg") ==
        read_file(results / "plots/reference/perlman-1985-cpu-corpus.svg"));

  const Finished nowhere = lab.run({"plots", (results / "none").string()});
  CHECK(nowhere.status == 1);
  CHECK(lines(nowhere.err) == 1);
  CHECK_FALSE(fs::exists(results / "none"));

  lab.environment.push_back("PATH=" + (lab.scratch / "empty").string());
  const Finished without = lab.run({"plots"});
  CHECK(without.status == 1);
  CHECK(without.err == "iobench: draw figures: gnuplot was not found; `make setup` installs it\n");
}
