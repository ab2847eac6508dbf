// SPDX-License-Identifier: MIT
// The copy tools of data/tools.toml, which the tests are multiplied out from, with what each accepts. A pair of ends
// that a tool does not name is either refused with 77, nothing consumed or written, or copied whole. A tool that takes
// names instead of standard input and output is in neither list: copy_files.cpp tests it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace iobench::testing {

// What a tool makes its calls through: itself, so that it goes on after a signal and waits for a descriptor that is not
// ready, or a library, which may have lost count by then.
enum class Through { calls, stdio, stream };

struct CopyTool {
  std::string name;
  std::vector<std::string> options;  // "-b", "-n", "--drain", "--fill", …
  std::vector<std::string> inputs;   // of "file", "pipe", "fifo", "socket", "tty", "null"
  std::vector<std::string> outputs;  // of "file", "append", "pipe", "fifo", "socket", "tty", "null", "full"
  std::size_t block_bytes;           // what one call or one array moves; for a bytewise tool its buffer
  Through through;
  std::string reads_by;              // "read", unless the strategy is another call; "io_uring"
  std::string writes_by;             // "write"

  bool has(const std::string& option) const;
  bool serves(const std::string& input, const std::string& output) const;
  // The kind of output to try it with: `wanted` if it serves that, otherwise the first that it does.
  std::string output(const std::string& wanted = "file") const;
  bool moves_in_kernel() const { return reads_by == writes_by && reads_by != "io_uring"; }
  bool takes_block(const std::string& block) const;  // has -b, and the strategy can have blocks of that size
};

// Whether the kernel lets this process use io_uring; says so when it does not, and io-uring-copy is in none of the lists.
bool has_io_uring();

// Those whose output is their input, byte for byte.
const std::vector<CopyTool>& copy_tools();

// All from standard input to standard output: also those whose output is another, which records.cpp tests further.
const std::vector<CopyTool>& stream_tools();

// argv of a tool with "-b SIZE" where it has one and `block` is not empty.
std::vector<std::string> command(const CopyTool& tool, const std::string& block = "");

}  // namespace iobench::testing
