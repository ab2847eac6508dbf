// SPDX-License-Identifier: MIT
// What a suite or a plan from a stranger may make the harness run: the templates of data/tools.toml, filled in, and
// nothing else, unless --allow-commands says so.
#include "permission.h"

#include <cstdlib>
#include <functional>

#include "catch.h"
#include "message.h"
#include "scratch.h"
#include "session.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

fs::path root() { return std::getenv("IOBENCH_ROOT"); }
Toolbox shipped_tools() { return Toolbox::load(root() / "data/tools.toml"); }

std::string suite_of(const std::string& keys) {
  return "title = \"T\"\nquestion = \"Q?\"\n[[row]]\nname = \"a\"\ninput = \"corpus\"\noutput = \"file\"\ncache = \"warm\"\n" + keys;
}

// What loading it says, and the status that this would be.
std::pair<std::string, int> refusal(const fs::path& suite, bool allow = false) {
  try {
    load_experiment(suite, shipped_tools(), {allow, {}});
  } catch (const Error& error) {
    const std::string text = error.what();
    return {text.substr(text.rfind('/', text.find(": ")) + 1), error.status()};
  }
  return {"", 0};
}

}  // namespace

TEST_CASE("a command of a suite's own is run only where that is allowed") {
  const Scratch scratch;
  const fs::path suite = scratch.file("odd.toml", suite_of("command = [\"/bin/cp\", \"{source}\", \"{destination}\", \"{extra}\"]\nextra = \"-p\"\n"));
  const auto [said, status] = refusal(suite);
  CHECK(status == 2);
  CHECK(said ==
        "odd.toml:8: suite 'odd', row 'a': it runs a command of its own, '/bin/cp'; only with --allow-commands are those run "
        "that data/tools.toml has no template for");
  const Experiment allowed = load_experiment(suite, shipped_tools(), {true, {}});
  CHECK(allowed.rows.at(0).program == "/bin/cp");
  CHECK(allowed.rows.at(0).tool == "cp");
  CHECK(allowed.rows.at(0).arguments == std::vector<std::string>{"{source}", "{destination}", "-p"});
  const Plan plan = make_plan({allowed}, {});
  CHECK(message_of([&] { require_known_commands(plan, shipped_tools(), "plan.json"); }).find("--allow-commands") != std::string::npos);
  CHECK(refusal(scratch.file("x.toml", suite_of("command = []\n")), true).first == "x.toml:8: 'command' is an empty list");
  CHECK(refusal(scratch.file("x.toml", suite_of("command = [\"a\"]\ntool = \"readwrite\"\n")), true).first ==
        "x.toml:8: 'command' and 'tool': a row has one of them");
  CHECK(refusal(scratch.file("x.toml", suite_of("command = [\"a\\u0000b\"]\n")), true).first ==
        "x.toml:8: 'command' has a control character");
}

TEST_CASE("a suite cannot say what iobench puts into a peer's command") {
  const Scratch scratch;
  for (const char* place : {"source", "destination", "peers", "built"}) {
    INFO(place);
    const std::string text = suite_of(std::string("tool = \"cp\"\n") + place + " = \"/etc/passwd\"\n");
    CHECK(refusal(scratch.file("x.toml", text)).first ==
          std::string("x.toml:9: '") + place + "' is what iobench itself puts into commands: it cannot be a row's");
  }
  // Words of a tool are its options, whatever a variable holds.
  for (const char* word : {"64K of=/tmp/x", "64K --fill", "$(id)", "-n", "../x"}) {
    INFO(word);
    CHECK(refusal(scratch.file("x.toml", suite_of(std::string("tool = \"readwrite -b {block}\"\nblock = \"") + word + "\"\n"))).second != 0);
  }
}

TEST_CASE("plans of every suite, and of the reference results, hold known commands only") {
  const Toolbox toolbox = shipped_tools();
  for (const std::string& name : suite_names(root() / "data")) {
    INFO(name);
    for (const std::uint64_t corpus : {std::uint64_t{1} << 20, std::uint64_t{1} << 30}) {
      const Plan plan = make_plan({load_suite(root() / "data", name, toolbox)}, {corpus, true, 1, 0, "", false});
      const Plan stored = plan_from_json(plan_to_json(plan, {}), "plan.json").plan;
      CHECK(message_of([&] { require_known_commands(stored, toolbox, "plan.json"); }) == "no error");
    }
  }
}

TEST_CASE("a plan that was edited runs nothing that no tool has") {
  const Scratch scratch;
  const Toolbox toolbox = shipped_tools();
  std::vector<Experiment> suites;
  for (const char* tool : {"readwrite -b 4K", "cp", "java-stream"})
    suites.push_back(load_experiment(
        scratch.file("small" + std::to_string(suites.size()) + ".toml", suite_of(std::string("tool = \"") + tool + "\"\n")), toolbox));
  const Plan plan = make_plan(suites, {});
  REQUIRE(message_of([&] { require_known_commands(plan, toolbox, "plan.json"); }) == "no error");
  const std::vector<std::pair<std::string, std::function<void(PlannedRow&)>>> edits = {
      {"argv", [](PlannedRow& row) { row.argv = {"/bin/sh", "-c", "id"}; }},
      {"command", [](PlannedRow& row) { row.row.program = row.argv[0] = "/bin/sh"; }},
      {"command", [](PlannedRow& row) { row.row.build = {"touch", "/tmp/built"}; }},
      {"argv", [](PlannedRow& row) { row.argv.push_back("/etc/passwd"); }},
      {"", [](PlannedRow& row) { row.argv.push_back("--evil"); row.row.arguments.push_back("--evil"); }},
      {"is no tool of ours", [](PlannedRow& row) { row.row.made_by = {"/bin/sh", "--fill"}; }},
      {"there is no tool 'sh'", [](PlannedRow& row) { row.row.tool = "sh"; }},
      {"there is no tool 'plumb'", [](PlannedRow& row) { row.row.tool = "plumb"; }},
      {"{destination}", [](PlannedRow& row) { row.row.values.emplace_back("destination", "/etc/passwd"); }},
      {"command", [](PlannedRow& row) { row.row.takes_names = !row.row.takes_names; }},
  };
  for (std::size_t suite = 0; suite < 3; ++suite)
    for (const auto& [says, edit] : edits) {
      Plan edited = plan;
      edit(edited.suites[suite].rows[0]);
      const std::string said = message_of([&] { require_known_commands(edited, toolbox, "results/plan.json"); });
      INFO(said);
      CHECK(said.starts_with("results/plan.json: suite 'small" + std::to_string(suite) + "', row 'a': "));
      CHECK(said.find(says) != std::string::npos);
      CHECK(said.find("--allow-commands") != std::string::npos);
      CHECK(said.find('\n') == std::string::npos);
    }
}
