// SPDX-License-Identifier: MIT
#include "toolbox.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "../../harness/toolbox.h"
#include "process.h"
#include "units.h"

namespace iobench::testing {

namespace {

using Words = std::vector<std::string>;

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// What one call moves; for a bytewise tool, which has no block, its library's buffer: stdio's is a file's st_blksize, and
// libstdc++ uses 8,191 of its 8,192 bytes.
std::size_t block_of(const Tool& tool) {
  if (!tool.block.empty()) return parse_size(tool.block);
  return tool.name.starts_with("ifstream") ? 8191 : 4096;
}

std::vector<CopyTool> list_tools(bool also_other_output) {
  const char* root = std::getenv("IOBENCH_ROOT");
  if (!root) throw Error("IOBENCH_ROOT is not set: run the tests by `meson test`");
  const Toolbox toolbox = Toolbox::load(std::filesystem::path(root) / "data/tools.toml");
  std::vector<CopyTool> tools;
  for (const Tool& tool : toolbox.tools())
    if (tool.copies() && !tool.source.empty() && !tool.takes_names &&
        (also_other_output || (tool.undone_by.empty() && tool.undoes.empty())))
      tools.push_back({tool.name, tool.options, tool.inputs, tool.outputs, block_of(tool)});
  return tools;
}

}  // namespace

bool CopyTool::has(const std::string& option) const { return contains(options, option); }

bool CopyTool::serves(const std::string& input, const std::string& output) const {
  return contains(inputs, input) && contains(outputs, output);
}

const std::vector<CopyTool>& copy_tools() {
  static const std::vector<CopyTool> tools = list_tools(false);
  return tools;
}

const std::vector<CopyTool>& stream_tools() {
  static const std::vector<CopyTool> tools = list_tools(true);
  return tools;
}

std::vector<std::string> command(const CopyTool& tool, const std::string& block) {
  std::vector<std::string> argv = {tool_path(tool.name)};
  if (!block.empty() && tool.has("-b")) argv.insert(argv.end(), {"-b", block});
  return argv;
}

}  // namespace iobench::testing
