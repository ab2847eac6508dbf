// SPDX-License-Identifier: MIT
// Peers: that each copies as it is called, the shipped ones where they are installed; that one by name is given the row's
// own files; that what is missing is named with its package, and what does not compile says why.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "catch.h"
#include "check.h"
#include "lab.h"
#include "samples.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

const std::string head = "title = \"t\"\nquestion = \"q\"\ngroup = [\"name\"]\n";

std::string peer(const std::string& name, const std::string& command, const std::string& more = "") {
  return fmt::format("\n{} = {{ says = \"s\", from = \"test\", command = [{}], package = \"some-package\"{} }}", name, command, more);
}

std::string row(const std::string& tool, const std::string& input, const std::string& output, const std::string& more = "") {
  const bool disk = input == "corpus" || input == "pipe";
  return fmt::format("[[row]]\nname = \"{0}-{1}-{2}\"\ntool = \"{0}\"\ninput = \"{1}\"\noutput = \"{2}\"\n{3}{4}", tool, input,
                     output, disk ? "cache = \"warm\"\n" : "", more);
}

struct Bench : Lab {
  Bench(const std::string& rows, const std::string& peers) : Lab(head + rows, peers) {
    options.rounds = 1;
    fs::copy(fs::path(std::getenv("IOBENCH_ROOT")) / "data/peers", layout.data / "peers");
  }
  std::map<std::string, RowCheck> check(const fs::path& strace = find_program("strace")) {
    const Plan plan = plan_session(options, layout, toolbox());
    Placement placement(plan, layout.corpus, layout.tools, layout.data / "peers", {});
    const Runner runner(find_program("hyperfine"), layout.tools / "plumb", placement.scratch());
    const Connections connections(plan, layout.tools, placement.scratch(), {});
    const RowChecks checks = check_rows(plan, placement, connections, runner, toolbox(), strace, {});
    std::map<std::string, RowCheck> by_name;
    for (std::size_t row = 0; row < checks.at(0).size(); ++row)
      by_name[plan.suites[0].rows[row].row.tool] = checks[0][row];
    return by_name;
  }
};

// Where a peer is not installed there is nothing to try; that it says so is tried below.
bool is_ok_or_missing(const RowCheck& check) {
  return check.status == "ok" || (check.status == "unsupported" && check.reason.find(" is not installed; Debian has it in the package ") !=
                                                                       std::string::npos);
}

}  // namespace

TEST_CASE("the shipped peers copy what they read, by the ends that they are given or by name", "[peers]") {
  const Toolbox toolbox = Toolbox::load(fs::path(std::getenv("IOBENCH_ROOT")) / "data/tools.toml");
  std::string rows;
  std::size_t peers = 0;
  for (const Tool& tool : toolbox.tools()) {
    if (tool.command.empty()) continue;
    rows += row(tool.name, "corpus", "file", tool.name == "dd" ? "block = \"64K\"\n" : "");
    ++peers;
  }
  REQUIRE(peers >= 14);
  Bench bench(rows, "");
  bench.options.corpus_bytes = (1u << 20) + 12288;
  const std::map<std::string, RowCheck> checks = bench.check({});  // starting Java under strace takes seconds
  CHECK(checks.size() == peers);
  for (const auto& [name, check] : checks) {
    INFO(name << ": " << check.status << ": " << check.reason);
    CHECK(is_ok_or_missing(check));
    if (check.status != "ok") WARN(name << ": " << check.reason);
  }
  CHECK(checks.at("cat").status == "ok");
  CHECK(checks.at("cp").status == "ok");
}

TEST_CASE("a peer by name is given the names of the row's own files", "[peers]") {
  const std::string peers =
      peer("whole", R"("sh", "-c", "cat $0 > $1", "{source}", "{destination}")") +
      peer("short", R"("sh", "-c", "head -c 100 $0 > $1", "{source}", "{destination}")") +
      peer("elsewhere", R"("sh", "-c", "cat $0 > /dev/null", "{source}", "{destination}")") +
      peer("in-a-word", R"("dd", "if={source}", "of={destination}", "bs=64K", "status=none")");
  Bench bench(row("whole", "corpus", "file") + row("short", "corpus", "tmpfs") + row("elsewhere", "tmpfs", "file") +
                  row("in-a-word", "tmpfs", "tmpfs"),
              peers);
  std::map<std::string, RowCheck> checks = bench.check();
  CHECK(checks["whole"].status == "ok");
  CHECK(checks["in-a-word"].status == "ok");
  CHECK(checks["in-a-word"].calls_note.empty());
  CHECK(checks["in-a-word"].calls_per_mib == Approx(32).margin(2));  // 16 blocks read and written
  CHECK(checks["short"].status == "mismatch");
  CHECK(checks["short"].reason == "wrote 100 bytes instead of 1048576");
  CHECK(checks["elsewhere"].status == "failed");
}

TEST_CASE("repeated copies begin with a new file each, also by name", "[peers]") {
  // `set -C`: the shell refuses to write to a file that is there.
  const std::string peers = peer("careful", R"("sh", "-Cc", "cat $0 > $1", "{source}", "{destination}")");
  Bench bench(row("careful", "corpus", "file", "repeat = 3\n") + row("readwrite", "corpus", "file", "repeat = 3\n") +
                  row("readwrite", "corpus", "tmpfs", "repeat = 3\n"),
              peers);
  const SessionEnd end = bench.run();
  CHECK(end.runs_failed == 0);
  CHECK(end.runs_made == 3);
  for (const Sample& sample : read_samples(end.results / "samples.csv").samples) {
    if (sample.row.starts_with("limit/")) continue;
    INFO(sample.row << ": " << sample.reason);
    CHECK(sample.status == "ok");
    CHECK(sample.operations == 3);
    CHECK(sample.bytes == 3u << 20);
  }
}

TEST_CASE("a peer that is not installed is unsupported, and names its package", "[peers]") {
  const std::string peers = peer("absent", R"("no-such-program-of-iobench", "-q")") +
                            peer("uncompiled", R"("sh", "{built}/x")", R"(, build = ["no-such-compiler-of-iobench"])");
  Bench bench(row("absent", "corpus", "file") + row("uncompiled", "corpus", "file"), peers);
  const SessionEnd end = bench.run();
  CHECK(end.runs_failed == 0);  // as any other row that is not supported here
  std::map<std::string, Sample> samples;
  for (const Sample& sample : read_samples(end.results / "samples.csv").samples) samples[sample.row] = sample;
  CHECK(samples.at("absent-corpus-file").status == "unsupported");
  CHECK(samples.at("absent-corpus-file").reason ==
        "no-such-program-of-iobench is not installed; Debian has it in the package some-package");
  CHECK(samples.at("uncompiled-corpus-file").reason ==
        "no-such-compiler-of-iobench is not installed; Debian has it in the package some-package");
}

TEST_CASE("a peer that has to be compiled is, once, and says why where it cannot", "[peers]") {
  const std::string built = R"("sh", "-c", "echo once >> $0; printf 'exec cat' > $1", "{peers}/log", "{built}/script")";
  const std::string peers = peer("compiled", R"("sh", "{built}/script")", ", build = [" + built + "]") +
                            peer("compiled-too", R"("sh", "{built}/script")", ", build = [" + built + "]") +
                            peer("broken", R"("sh", "{built}/script")", R"(, build = ["sh", "-c", "echo line 3 is wrong >&2; exit 1"])");
  Bench bench(row("compiled", "corpus", "file") + row("compiled-too", "corpus", "tmpfs") + row("broken", "corpus", "file"), peers);
  std::map<std::string, RowCheck> checks = bench.check();
  CHECK(checks["compiled"].status == "ok");
  CHECK(checks["compiled-too"].status == "ok");
  CHECK(read_file(bench.layout.data / "peers/log") == "once\n");
  CHECK(checks["broken"].status == "failed");
  CHECK(checks["broken"].reason.ends_with(": line 3 is wrong"));
}

TEST_CASE("results name no folder of this machine in a peer's command, and digest its program", "[peers]") {
  const std::string peers = peer("ours", R"("sh", "{peers}/copy.sh")");
  Bench bench(row("ours", "corpus", "file"), peers);
  std::ofstream(bench.layout.data / "peers/copy.sh") << "exec cat\n";
  const SessionEnd end = bench.run();
  CHECK(end.runs_failed == 0);
  const std::string plan = read_file(end.results / "plan.json");
  CHECK(plan.find("{peers}/copy.sh") != std::string::npos);
  CHECK(plan.find(bench.layout.data.string()) == std::string::npos);
  CHECK(read_file(end.results / "machine.json").find("\"copy.sh\"") != std::string::npos);
  CHECK(stored_plan(end.results).suites.at(0).rows.at(0).row.package == "some-package");
}
