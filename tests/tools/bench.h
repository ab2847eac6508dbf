// SPDX-License-Identifier: MIT
// plumb as a test uses it: command lines in one string, a file of input, and the account read back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "process.h"

namespace iobench::testing {

// "plumb" and the words of `line`, which | separates.
std::vector<std::string> plumb(const std::string& line);

// What plumb wrote with --account. The constructor throws unless it is one valid JSON object.
class Account {
 public:
  explicit Account(const std::string& text);
  std::vector<std::string> keys() const;  // as they stand there
  bool is_null(const std::string& key) const;
  std::int64_t number(const std::string& key) const;
  double seconds(const std::string& key) const;
  std::string text(const std::string& key) const;
  static bool is_valid(const std::string& text);

 private:
  std::string text_;
};

// A scratch directory with a file of input in it.
struct Bench {
  static constexpr std::size_t size = (1 << 20) + 7;

  Scratch scratch;
  std::string bytes = some_bytes(size);
  std::string in = scratch.write("in", bytes);
  std::string out = scratch / "out";
  std::string account_path = scratch / "account.json";
  Descriptor null = open_file("/dev/null", 2);  // O_RDWR
  Launch ends{.in = null.get(), .out = null.get()};

  Ended run(const std::string& line) const;
  Ended run_accounted(const std::string& line) const;
  std::string accounted(const std::string& line) const { return "--account|" + account_path + "|" + line; }
  Account account() const;
  std::string output() const { return read_file(out); }
};

// The children of a process, as far as the kernel lists them.
std::vector<pid_t> children_of(pid_t pid);
bool is_gone(pid_t pid);

}  // namespace iobench::testing
