// SPDX-License-Identifier: MIT
// `iobench time`: what a user types becomes the words that are run, or one line that says why not; what comes out has
// hyperfine's keys.
#include "timing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "environment.h"
#include "message.h"
#include "samples.h"
#include "scratch.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

std::string joined(const std::string& command) { return fmt::format("{}", fmt::join(split_command(command), "|")); }

struct Lab {
  Scratch scratch;
  Environment environment;
  Layout layout;
  Toolbox toolbox;
  TimingOptions options;
  SessionOptions session;

  Lab() {
    const fs::path root = std::getenv("IOBENCH_ROOT");
    environment.set("PATH", (root / "tests/fakes").string() + ":" + std::getenv("PATH"));
    environment.set("FAKE_LOG", "");
    environment.set("FAKE_MODE", "");
    layout = {root / "data", root / "plots", std::getenv("IOBENCH_TOOLS"), scratch / "corpus", scratch / "results"};
    toolbox = Toolbox::load(layout.data / "tools.toml");
    options.input = scratch.file("in", std::string(100000, 'x')).string();
    options.plan.rounds = 2;
    options.plan.seed = 1;
  }
  Timing run() { return run_timing(options, session, layout, toolbox); }
  std::string refusal() {
    return message_of([&] { plan_timing(options); });
  }
};

}  // namespace

TEST_CASE("a command line is read as a shell reads it, without a shell") {
  CHECK(joined("cat") == "cat");
  CHECK(joined("  dd  bs=1M\tstatus=none ") == "dd|bs=1M|status=none");
  CHECK(joined("'two words' \"a \\\"b\\\" \\c\" d\\ e") == "two words|a \"b\" \\c|d e");
  CHECK(joined("sed 's/a|b;c/$x/'") == "sed|s/a|b;c/$x/");
  CHECK(joined("a'b'\"c\"d ''") == "abcd|");
  CHECK(joined("tool#1 x~y a=b") == "tool#1|x~y|a=b");
  CHECK(joined("") == "");
  for (const char* command : {"cat | wc", "cat > x", "a; b", "a && b", "echo $HOME", "echo `x`", "ls *", "a # b", "cd ~", "(a)",
                              "echo \"$x\"", "ls ?", "ls [a]"}) {
    INFO(command);
    CHECK(message_of([&] { split_command(command); }).find("--shell") != std::string::npos);
  }
  CHECK(message_of([] { split_command("a 'b"); }).find("is not closed") != std::string::npos);
  CHECK(message_of([] { split_command("a \"b"); }).find("is not closed") != std::string::npos);
  CHECK(message_of([] { split_command("a\\"); }).find("backslash") != std::string::npos);
}

TEST_CASE("what cannot be timed is refused in one line") {
  Lab lab;
  CHECK(lab.refusal() == "there is no command to time");
  lab.options.commands = {"cat", ""};
  CHECK(lab.refusal() == "a command is empty");
  lab.options.commands = {"cat"};
  lab.options.output = "fiel";
  CHECK(lab.refusal().find("--output 'fiel'") == 0);
  lab.options.output = "null";
  lab.options.sync = true;
  CHECK(lab.refusal().find("--sync") == 0);
  lab.options.sync = false;
  lab.options.cache = "tepid";
  CHECK(lab.refusal().find("--cache 'tepid'") == 0);
  lab.options.cache = "none";
  CHECK(lab.refusal().find("--cache 'none'") == 0);
  lab.options.cache = "confined";
  const std::string file = lab.options.input;
  lab.options.input = "pipe:" + file;
  CHECK(lab.refusal().find("--cache confined with --input pipe") == 0);
  lab.options.input = "";
  CHECK(lab.refusal().find("there is no --input file") != std::string::npos);
  lab.options.cache = "";
  lab.options.input = lab.scratch / "missing";
  CHECK(lab.refusal().find("no such file") != std::string::npos);
  lab.options.input = lab.scratch.path();
  CHECK(lab.refusal().find("not a regular file") != std::string::npos);
  lab.options.input = lab.scratch.file("empty", "");
  CHECK(lab.refusal().find("its size is 0 bytes") != std::string::npos);
}

TEST_CASE("every command has a name of its own in the samples") {
  Lab lab;
  lab.options.commands = {"cat", "cat/again", "cat  -u", "cat -u", "cat\n-u", " cat"};
  lab.options.shell = true;
  const Plan plan = plan_timing(lab.options);
  std::string names;
  for (const PlannedRow& row : plan.suites[0].rows) names += row.row.name + "|";
  CHECK(names == "cat|cat/again (2)|cat -u|cat -u (2)|cat -u (3)|cat (2)|");
  CHECK(plan.suites[0].rows[2].row.label == "cat  -u");
  lab.options.shell = false;
  lab.options.commands = {"cat", "cat  -u", "cat -u"};
  const Timing timing = lab.run();
  for (const RowResult& row : timing.result.rows) CHECK(row.ok.size() == 2);
}

TEST_CASE("what is not UTF-8 cannot be recorded and is not run") {
  Lab lab;
  lab.options.commands = {"cat \xff"};
  CHECK(lab.refusal().find("not UTF-8") != std::string::npos);
  lab.options.commands = {"cat \u00e4"};
  CHECK(plan_timing(lab.options).runs.size() == 2);
  lab.options.input += "\xff";
  CHECK(lab.refusal().find("not UTF-8") != std::string::npos);
  lab.options.input = "pipe:";
  CHECK(lab.refusal().find("names no file") != std::string::npos);
}

TEST_CASE("a file that changes while it is measured ends the measurement") {
  Lab lab;
  const std::string change = GENERATE("printf x >> ", "rm ", "truncate -s 10 ", "touch ");
  INFO(change);
  lab.options.commands = {"cat; " + change + lab.options.input};
  lab.options.shell = true;
  const std::string said = message_of([&] { lab.run(); });
  CHECK(said.find("measure with " + lab.options.input) == 0);
}

TEST_CASE("timed commands are not taken up by `run`, which would give them another input") {
  Lab lab;
  lab.options.commands = {"cat"};
  lab.session.results = lab.scratch / "kept";
  lab.run();
  CHECK(message_of([&] { plan_to_run_again(lab.session.results, Toolbox::load(lab.layout.data / "tools.toml")); }).find("iobench time") != std::string::npos);
}

TEST_CASE("commands become rows of one group, the first its baseline") {
  Lab lab;
  lab.options.commands = {"cat", "readwrite -b 64K", "cat"};
  lab.options.cache = "cold";
  lab.options.output = "pipe";
  const Plan plan = plan_timing(lab.options);
  REQUIRE(plan.suites.size() == 1);
  const PlannedSuite& suite = plan.suites[0];
  REQUIRE(suite.rows.size() == 3);
  CHECK(suite.groups.size() == 1);
  CHECK(suite.groups[0].baseline == 0);
  CHECK(suite.rows[1].argv.size() == 3);
  CHECK(suite.rows[2].row.name == "cat (2)");
  CHECK(suite.rows[0].size_bytes == 100000);
  CHECK(suite.rows[0].row.cache == Cache::cold);
  CHECK(plan.runs.size() == 2 * 4);
  lab.options.shell = true;
  lab.options.commands = {"cat | cat"};
  CHECK(plan_timing(lab.options).suites[0].rows[0].argv[2] == "cat | cat");
  CHECK(plan_timing(lab.options).runs.size() == 2);  // nothing to compare with: no second slot
}

TEST_CASE("the file is left as it was, nothing is left behind, and what is no copy is said", "[B100]") {
  Lab lab;
  lab.options.commands = {"cat", "head -c 10", "tr x y", "sh -c 'exit 3'", "sendfile-copy"};
  lab.options.output = GENERATE("null", "pipe", "file");
  INFO(lab.options.output);
  const std::string before = read_file(lab.options.input);
  const Timing timing = lab.run();
  CHECK((read_file(lab.options.input) == before));
  std::size_t left = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(lab.layout.corpus)) ++left;
  CHECK(left == 0);
  const std::vector<RowResult>& rows = timing.result.rows;
  CHECK(rows[0].ok.size() == 2);
  CHECK(rows[0].again.size() == 2);
  CHECK(timing.checks[0][0].note.empty());
  CHECK(timing.checks[0][1].note == "its output is 10 of 100,000 bytes of input: it is no copy");
  CHECK(timing.checks[0][2].note == "its output has other bytes than its input");
  CHECK(rows[3].ok.empty());
  CHECK(timing.checks[0][3].status == "failed");
  CHECK(timing.checks[0][0].not_a_copy.empty());
  if (!find_program("strace").empty() && timing.checks[0][4].calls_note.empty())
    CHECK(timing.checks[0][4].not_a_copy == (lab.options.output == "null" ? "moves no data into the null device" : ""));

  const auto json = nlohmann::json::parse(timing_json(timing.plan, timing.checks, timing.result));
  REQUIRE(json["results"].size() == 5);
  const auto& cat = json["results"][0];
  for (const char* key : {"command", "mean", "stddev", "median", "user", "system", "min", "max", "times", "exit_codes"}) {
    INFO(key);
    CHECK(cat.contains(key));
  }
  CHECK(cat["command"].get<std::string>() == "cat");
  CHECK(cat["times"].size() == 2);
  CHECK(cat["mean"].get<double>() == 0.25);
  CHECK(cat["iobench"]["status"].get<std::string>() == "ok");
  CHECK(json["results"][3]["mean"].is_null());
  CHECK(json["results"][3]["iobench"]["status"].get<std::string>().find("failed") == 0);
  const std::string csv = timing_csv(timing.plan, timing.result);
  CHECK(csv.find("command,mean,stddev,median,user,system,min,max\ncat,0.25,0,0.25,") == 0);
  CHECK(csv.find("\nsh -c 'exit 3',,,,,,,\n") != std::string::npos);
}

TEST_CASE("results are kept where they are asked for") {
  Lab lab;
  lab.options.commands = {"cat", "readwrite"};
  lab.session.results = lab.scratch / "kept";
  lab.run();
  CHECK(read_samples(lab.scratch / "kept" / "samples.csv").samples.size() == 6 + 2 * 2);  // two limits a round
  const StoredPlan stored = plan_from_json(read_file(lab.scratch / "kept" / "plan.json"), "plan.json");
  CHECK(stored.plan.free_commands);
}
