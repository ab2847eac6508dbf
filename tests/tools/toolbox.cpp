// SPDX-License-Identifier: MIT
#include "toolbox.h"

#include <algorithm>

#include "process.h"

namespace iobench::testing {

namespace {

using Words = std::vector<std::string>;

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::vector<CopyTool> list_tools() {
  const Words any_input = {"file", "pipe", "fifo", "socket", "tty", "null"};
  const Words any_output = {"file", "append", "pipe", "fifo", "socket", "tty", "null", "full"};
  std::vector<CopyTool> tools = {
      {"getputc", {}, any_input, any_output, 4096},
      {"fgetputc", {}, any_input, any_output, 4096},
      {"freadwrite", {"-b", "-n"}, any_input, any_output, 8192},
      {"readwrite", {"-b", "-n", "--drain", "--fill"}, any_input, any_output, 1024},
      {"ifstream-bytewise", {"--drain", "--fill"}, any_input, any_output, 8191},
      {"sendfile-copy", {"-b", "-n"}, {"file"}, {"file", "pipe", "fifo", "socket", "tty", "null"}, 1 << 20},
  };
  for (std::size_t kib = 1; kib <= 1024; kib *= 2) {
    const std::string name = "buffered-" + (kib < 1024 ? std::to_string(kib) + "K" : "1M");
    tools.push_back({name, {"-n", "--drain", "--fill"}, any_input, any_output, kib * 1024});
  }
  return tools;
}

}  // namespace

bool CopyTool::has(const std::string& option) const { return contains(options, option); }

bool CopyTool::serves(const std::string& input, const std::string& output) const {
  return contains(inputs, input) && contains(outputs, output);
}

const std::vector<CopyTool>& copy_tools() {
  static const std::vector<CopyTool> tools = list_tools();
  return tools;
}

std::vector<std::string> command(const CopyTool& tool, const std::string& block) {
  std::vector<std::string> argv = {tool_path(tool.name)};
  if (!block.empty() && tool.has("-b")) argv.insert(argv.end(), {"-b", block});
  return argv;
}

}  // namespace iobench::testing
