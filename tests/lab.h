// SPDX-License-Identifier: MIT
// A checkout of its own for a test of whole sessions: one small suite, the fake hyperfine first in PATH.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "environment.h"
#include "scratch.h"
#include "session.h"

struct Lab {
  Scratch scratch;
  iobench::Layout layout;
  Environment environment;
  iobench::SessionOptions options;
  std::filesystem::path log = scratch.path() / "log";

  explicit Lab(const std::string& suite, const std::string& more_tools = "") {
    const std::filesystem::path root = std::getenv("IOBENCH_ROOT");
    layout = {scratch.path() / "data", root / "plots", std::getenv("IOBENCH_TOOLS"), scratch.path() / "corpus", scratch.path() / "results"};
    std::filesystem::create_directories(layout.data / "suites");
    std::ofstream(layout.data / "tools.toml") << iobench::read_file(root / "data/tools.toml") << more_tools;
    std::ofstream(layout.data / "suites/small.toml") << suite;
    environment.set("PATH", (root / "tests/fakes").string() + ":" + std::getenv("PATH"));
    environment.set("FAKE_LOG", log.string());
    environment.set("FAKE_MODE", "");
    options.corpus_bytes = 1u << 20;
    options.seed = 7;
  }

  iobench::Toolbox toolbox() const { return iobench::Toolbox::load(layout.data / "tools.toml"); }

  iobench::SessionEnd run(iobench::Plan* made = nullptr) {
    const iobench::Plan plan = plan_session(options, layout, toolbox());
    if (made) *made = plan;
    return run_session(plan, options, layout, toolbox());
  }

  // A copy of the tools' folder, in which one of them is another program.
  void replace_tool(const std::string& name, const std::string& script) {
    const std::filesystem::path tools = scratch.path() / "tools";
    std::filesystem::create_directory(tools);
    for (const auto& entry : std::filesystem::directory_iterator(layout.tools))
      if (entry.is_regular_file()) std::filesystem::create_symlink(entry.path(), tools / entry.path().filename());
    std::filesystem::remove(tools / name);
    scratch.script("tools/" + name, script);
    layout.tools = tools;
  }

  std::vector<std::string> calls() const {
    std::vector<std::string> lines;
    std::istringstream text(iobench::read_file_or_empty(log));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
};
