// SPDX-License-Identifier: MIT
// The kinds of input and output by the names that data/tools.toml uses, each made ready for one run of one tool.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "process.h"

namespace iobench::testing {

// Where a tool reads from. `bytes` must outlive it. "file", "pipe", "fifo", "socket" (UNIX), "tcp", "null" (gives
// nothing).
class Source {
 public:
  // `pieces`: 0, or the largest of the irregular pieces that a pipe or socket is fed in.
  Source(const std::string& kind, const Scratch& scratch, std::string_view bytes, std::size_t pieces = 0);
  int fd() const { return end_.get(); }
  void close() { end_.reset(); }  // once the tool has its copy

 private:
  std::unique_ptr<Feeder> feeder_;  // ends once the end below, declared later, is closed
  Descriptor end_;
};

// Where a tool writes to. "file", "append" (after `before`), "pipe", "fifo", "socket", "tcp", "tty", "null", "full".
class Sink {
 public:
  Sink(const std::string& kind, const Scratch& scratch, std::string_view before = {}, double pause_s = 0);
  int fd() const { return end_.get(); }
  // Closes our copy of the end and gives all that arrived; for the null device nothing.
  std::string collect();

 private:
  std::filesystem::path path_;
  std::unique_ptr<Drainer> drainer_;
  Descriptor end_;
};

struct Copied {
  Ended ended;
  std::string bytes;
};
// Runs argv between the two kinds of ends.
Copied copy(const std::vector<std::string>& argv, const std::string& input, const std::string& output,
            std::string_view bytes, std::size_t pieces = 0);

// One line, ended, that begins with "NAME: ".
bool is_one_line_of(const std::string& name, const std::string& err);

}  // namespace iobench::testing
