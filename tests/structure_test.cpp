// SPDX-License-Identifier: MIT
// The tree itself: which module may include which, which library is seen by one file only, headers that stand alone,
// licence lines, and that the three places that name the tools name the same ones.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "catch.h"
#include "scratch.h"
#include "system.h"
#include "toolbox.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  REQUIRE(value != nullptr);
  return value;
}

fs::path root() { return environment("IOBENCH_ROOT"); }

std::vector<fs::path> files_in(const std::string& folder, const std::set<std::string>& endings) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(root() / folder))
    if (endings.count(entry.path().extension().string())) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE_FALSE(files.empty());
  return files;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

// What a file includes, "name.h" and <name.h> alike.
std::vector<std::string> includes(const fs::path& file) {
  static const std::regex line(R"((?:^|\n)[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">])");
  const std::string text = read_file(file);
  std::vector<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), line), end; match != end; ++match)
    names.push_back((*match)[1]);
  return names;
}

// The modules in order of dependence, as the build knows them.
std::vector<std::string> modules() { return words(environment("IOBENCH_MODULES")); }

}  // namespace

TEST_CASE("a module of the harness includes only itself and those above it") {
  const std::vector<std::string> order = modules();
  REQUIRE(order.size() > 10);
  std::map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  place["main"] = order.size();
  for (const fs::path& file : files_in("harness", {".h", ".cpp"})) {
    INFO(file);
    const auto own = place.find(file.stem().string());
    REQUIRE(own != place.end());  // every file belongs to a module of harness/meson.build
    for (const std::string& included : includes(file)) {
      const auto other = place.find(fs::path(included).stem().string());
      if (included.find('/') != std::string::npos || other == place.end() || !fs::exists(root() / "harness" / included))
        continue;
      INFO(included);
      CHECK(other->second <= own->second);
    }
  }
}

TEST_CASE("each foreign library is known to the one file that owns it") {
  const std::map<std::string, std::string> owners = {
      {"toml++/", "document.cpp"}, {"xxhash.h", "digest.cpp"}, {"CLI/", "main.cpp"}};
  for (const auto& [library, owner] : owners) {
    INFO(library);
    std::vector<std::string> users;
    for (const fs::path& file : files_in("harness", {".h", ".cpp"}))
      for (const std::string& included : includes(file))
        if (included.starts_with(library)) users.push_back(file.filename().string());
    const bool owner_there = fs::exists(root() / "harness" / owner);
    CHECK(users == (owner_there ? std::vector<std::string>{owner} : std::vector<std::string>{}));
  }
  // A format of JSON belongs to a .cpp: no header hands it on.
  for (const fs::path& file : files_in("harness", {".h"}))
    for (const std::string& included : includes(file)) {
      INFO(file);
      CHECK_FALSE(included.starts_with("nlohmann/"));
    }
}

// Sanitizers change nothing about it, and it is most of this theme's time: the plain run does it.
#ifndef __SANITIZE_ADDRESS__
TEST_CASE("each header compiles alone") {
  const Scratch scratch;
  std::string sources;
  for (const char* folder : {"harness", "tools", "tools/choosing", "tools/plumbing"})
    for (const fs::path& header : files_in(folder, {".h"}))  // twice: it must bear that too
      sources += scratch
                     .file(fmt::format("{}-{}.cpp", fs::path(folder).filename().string(), header.stem().string()),
                           fmt::format("#include \"{0}\"\n#include \"{0}\"\n", header.string()))
                     .string() +
                 "\n";
  // A compiler each, as many at once as there are processors: one after the other takes a minute.
  std::vector<std::string> command = {"xargs", "-a", scratch.file("sources", sources).string(), "-n", "1", "-P",
                                      std::to_string(std::max(1u, std::thread::hardware_concurrency()))};
  for (const std::string& word : words(environment("IOBENCH_COMPILER"))) command.push_back(word);
  for (const char* word : {"-std=gnu++20", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"})
    command.push_back(word);
  command.push_back("-I" + (root() / "tools").string());
  const Finished finished = run_command(command);
  INFO(finished.err);
  CHECK(finished.status == 0);
}
#endif

TEST_CASE("each source begins with its licence") {
  for (const char* folder : {"harness", "tools", "tools/choosing", "tools/plumbing", "tests", "tests/tools", "tests/bare"})
    for (const fs::path& file : files_in(folder, {".h", ".cpp"})) {
      INFO(file);
      CHECK(read_file(file).starts_with("// SPDX-License-Identifier: MIT\n"));
    }
  for (const char* name : {"meson.build", "harness/meson.build", "tools/meson.build", "tests/meson.build", "Makefile",
                           "data/tools.toml", "data/suites/buffer-sweep.toml", "data/suites/perlman-1985.toml"}) {
    INFO(name);
    CHECK(read_file(root() / name).starts_with("# SPDX-License-Identifier: MIT\n"));
  }
}

TEST_CASE("tools.toml, the build and the sources name the same tools") {
  std::set<std::string> in_data, sources;
  const Toolbox toolbox = Toolbox::load(root() / "data/tools.toml");
  for (const Tool& tool : toolbox.tools()) {
    if (tool.source.empty()) continue;  // a peer
    in_data.insert(tool.name);
    sources.insert(tool.source);
  }
  const std::vector<std::string> built = words(environment("IOBENCH_TOOL_NAMES"));
  CHECK(std::set<std::string>(built.begin(), built.end()) == in_data);

  // Programs of peers: each file of data/peers is run or compiled by one, and each that is named is there.
  std::set<std::string> named, there;
  for (const Tool& tool : toolbox.tools())
    for (const std::vector<std::string>& command : {tool.command, tool.build})
      for (const std::string& word : command)
        if (word.starts_with("{peers}/")) named.insert(word.substr(8));
  for (const fs::directory_entry& entry : fs::directory_iterator(root() / "data/peers"))
    there.insert(entry.path().filename().string());
  CHECK(named == there);
  CHECK(there.size() >= 5);

  // A tool's source is one with a main; what tools share has none.
  static const std::regex main_function(R"(\bint main\()");
  std::set<std::string> with_main;
  for (const fs::path& file : files_in("tools", {".cpp"}))
    if (std::regex_search(read_file(file), main_function)) with_main.insert(file.filename().string());
  CHECK(with_main == sources);
}
