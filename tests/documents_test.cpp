// SPDX-License-Identifier: MIT
// The documents cannot rot: their blocks marked `sh` are run, their `make` words are targets, their suite is a suite, the
// paths they name exist.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>

#include "catch.h"
#include "plan.h"
#include "message.h"
#include "samples.h"
#include "scratch.h"
#include "splice.h"
#include "suite.h"
#include "system.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

const fs::path& root() {
  static const fs::path path = std::getenv("IOBENCH_ROOT");
  return path;
}

// Contents of the blocks fenced with ```LANGUAGE.
std::vector<std::string> blocks(const std::string& text, const std::string& language) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (inside && line == "```")
      inside = false;
    else if (inside)
      found.back() += line + "\n";
    else if (line == "```" + language) {
      inside = true;
      found.emplace_back();
    }
  }
  return found;
}

const char* const documents[] = {"README.md", "METHODOLOGY.md", "CONTRIBUTING.md"};

}  // namespace

TEST_CASE("the README's tables and figures are those of the reference results", "[documents]") {
  // After a new reference run: build/harness/iobench report --splice README.md
  const std::string text = read_file(root() / "README.md");
  CHECK(text.find("<!-- BEGIN: results/reference/") != std::string::npos);
  CHECK((spliced(root() / "README.md") == text));
}

TEST_CASE("a part of a document that cannot be put in says where and why", "[documents]") {
  const Scratch scratch;
  scratch.file("t.md", "| a |\n");
  scratch.file("p.svg", "<svg/>");
  const std::string part = "<!-- BEGIN: t.md -->\nold\n<!-- END -->\n";
  const fs::path good = scratch.file("good", "before\n" + part + "between\n<!-- BEGIN: p.svg | What it shows -->\n<!-- END -->\n");
  CHECK(splice(good).find("2 parts put in") != std::string::npos);
  CHECK(read_file(good) ==
        "before\n<!-- BEGIN: t.md -->\n\n| a |\n\n<!-- END -->\nbetween\n<!-- BEGIN: p.svg | What it shows -->\n\n"
        "![What it shows](p.svg)\n\n<!-- END -->\n");
  CHECK(splice(good).find("2 parts are as their files") != std::string::npos);
  const auto refused = [&](const std::string& content) { return message_of([&] { splice(scratch.file("bad", content)); }); };
  CHECK(refused("x\n<!-- BEGIN: t.md -->\n").find("bad:2: a BEGIN without its END") != std::string::npos);
  CHECK(refused(part + "<!-- END -->\n").find("bad:4: an END without its BEGIN") != std::string::npos);
  CHECK(refused("<!-- BEGIN: none.md -->\n<!-- END -->\n").find("bad:1: open ") != std::string::npos);
  CHECK(refused("<!-- BEGIN: none.svg -->\n<!-- END -->\n").find("none.svg: No such file") != std::string::npos);
  CHECK(refused("nothing\n").find("it has no line") != std::string::npos);
  CHECK(read_file(scratch / "bad") == "nothing\n");
}

TEST_CASE("the README's single tools work as written", "[documents]") {
  const std::vector<std::string> examples = blocks(read_file(root() / "README.md"), "sh");
  REQUIRE_FALSE(examples.empty());
  for (const std::string& example : examples) {
    const Scratch scratch;
    SpawnOptions options;
    options.directory = scratch.path();
    options.environment = {"PATH=" + std::string(std::getenv("IOBENCH_TOOLS")) + ":" + std::getenv("PATH")};
    options.timeout_s = 60;
    const Finished finished = run_command({"sh", "-e", "-c", example}, options);
    INFO(example << finished.err);
    CHECK(finished.status == 0);
  }
}

TEST_CASE("every make target that a document names exists, and so does every path", "[documents]") {
  const std::string makefile = read_file(root() / "Makefile");
  const std::regex target("`?make ([a-z][a-z-]*)"), path("`((?:tools|harness|data|plots|tests)/[-A-Za-z0-9_./]+)`");
  for (const char* document : documents) {
    const std::string text = read_file(root() / document);
    for (std::sregex_iterator match(text.begin(), text.end(), target), end; match != end; ++match) {
      // Prose says "make" too: only words in code are targets.
      const std::string before = text.substr(0, static_cast<std::size_t>(match->position()));
      const bool code = match->str().front() == '`' || before.empty() || before.back() == '\n';
      if (!code) continue;
      INFO(document << ": make " << (*match)[1]);
      CHECK(makefile.find("\n" + (*match)[1].str() + ":") != std::string::npos);
    }
    for (std::sregex_iterator match(text.begin(), text.end(), path), end; match != end; ++match) {
      const std::string named = (*match)[1];
      if (named.find("NAME") != std::string::npos || named.find("window-copy") != std::string::npos || named.starts_with("data/corpus"))
        continue;
      INFO(document << ": " << named);
      CHECK(fs::exists(root() / named));
    }
  }
}

TEST_CASE("the suite in CONTRIBUTING is one", "[documents]") {
  const std::vector<std::string> suites = blocks(read_file(root() / "CONTRIBUTING.md"), "toml");
  REQUIRE(suites.size() == 1);
  const Scratch scratch;
  std::ofstream(scratch.path() / "page.toml") << suites[0];
  const Experiment experiment = load_experiment(scratch.path() / "page.toml", Toolbox::load(root() / "data/tools.toml"));
  CHECK(experiment.rows.size() == 4);
  CHECK(make_plan({experiment}, {}).suites.at(0).groups.size() == 2);
}

TEST_CASE("METHODOLOGY names only columns that samples.csv has", "[documents]") {
  const std::string text = read_file(root() / "METHODOLOGY.md");
  const std::vector<std::string>& columns = sample_columns();
  const std::regex cell("^\\| (`[a-z_`, ]+`) \\|");
  std::istringstream lines(text);
  std::size_t named = 0;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, cell)) continue;
    const std::string names = match[1];
    const std::regex word("`([a-z_]+)`");
    for (std::sregex_iterator name(names.begin(), names.end(), word), end; name != end; ++name) {
      INFO((*name)[1]);
      CHECK(std::find(columns.begin(), columns.end(), (*name)[1]) != columns.end());
      ++named;
    }
  }
  CHECK(named >= 10);
}
