// SPDX-License-Identifier: MIT
#include "toolbox.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "../../harness/toolbox.h"
#include "process.h"
#include "units.h"

namespace iobench::testing {

namespace {

using Words = std::vector<std::string>;

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Through through(const Tool& tool) {
  for (const char* stream : {"ifstream", "buffered", "streambuf"})
    if (tool.name.starts_with(stream)) return Through::stream;
  const Words stdio = {"getputc", "fgetputc", "freadwrite", "getputc-unlocked"};
  return contains(stdio, tool.name) ? Through::stdio : Through::calls;
}

// What one call moves; for a bytewise tool, which has no block, its library's buffer: stdio's is a file's st_blksize, and
// libstdc++ uses 8,191 of its 8,192 bytes.
std::size_t block_of(const Tool& tool) {
  if (!tool.block.empty()) return parse_size(tool.block);
  return through(tool) == Through::stream ? 8191 : 4096;
}

// Those that neither read nor write, or not both.
struct Way {
  const char* name;
  const char* reads_by;
  const char* writes_by;
};
const Way ways[] = {{"sendfile-copy", "sendfile", "sendfile"},
                    {"copy-file-range", "copy_file_range", "copy_file_range"},
                    {"splice-copy", "splice", "splice"},
                    {"io-uring-copy", "io_uring", "io_uring"},
                    {"mmap-copy", "mmap", "write"},
                    {"vmsplice-copy", "read", "vmsplice"},
                    {"direct-copy", "pread64", "pwrite64"}};

CopyTool copy_tool(const Tool& tool) {
  CopyTool copy = {tool.name, tool.options, tool.inputs, tool.outputs, block_of(tool), through(tool), "read", "write"};
  for (const Way& way : ways)
    if (tool.name == way.name) {
      copy.reads_by = way.reads_by;
      copy.writes_by = way.writes_by;
    }
  return copy;
}

std::vector<CopyTool> list_tools(bool also_other_output) {
  const char* root = std::getenv("IOBENCH_ROOT");
  if (!root) throw Error("IOBENCH_ROOT is not set: run the tests by `meson test`");
  const Toolbox toolbox = Toolbox::load(std::filesystem::path(root) / "data/tools.toml");
  std::vector<CopyTool> tools;
  for (const Tool& tool : toolbox.tools())
    if (tool.copies() && !tool.source.empty() && !tool.takes_names && (tool.name != "io-uring-copy" || has_io_uring()) &&
        (also_other_output || (tool.undone_by.empty() && tool.undoes.empty())))
      tools.push_back(copy_tool(tool));
  return tools;
}

}  // namespace

bool has_io_uring() {
  static const bool has = [] {
    const Descriptor null = open_file("/dev/null", O_RDWR);
    const bool refused = run({tool_path("io-uring-copy")}, {.in = null.get(), .out = null.get()}).status == 77;
    if (refused) std::cout << "SKIP: io_uring is not to be had here, as in many containers\n";
    return !refused;
  }();
  return has;
}

bool CopyTool::has(const std::string& option) const { return contains(options, option); }

bool CopyTool::serves(const std::string& input, const std::string& output) const {
  return contains(inputs, input) && contains(outputs, output);
}

std::string CopyTool::output(const std::string& wanted) const {
  return contains(outputs, wanted) ? wanted : outputs.front();
}

// O_DIRECT knows multiples of 4K only.
bool CopyTool::takes_block(const std::string& block) const {
  return has("-b") && (name != "direct-copy" || parse_size(block) % 4096 == 0);
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
