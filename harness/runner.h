// SPDX-License-Identifier: MIT
// One run: one hyperfine call that runs plumb that runs the tool; the account that plumb writes and the JSON that
// hyperfine writes become one Sample. The only place that knows hyperfine's options and both formats.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "samples.h"

namespace iobench {

// What plumb is to connect and run.
struct Job {
  std::string input;               // plumb's IN, e.g. a path or "pipe:PATH"
  std::string output;              // plumb's OUT
  std::vector<std::string> argv;   // the tool by path, and its arguments
  std::uint64_t repeat = 1;
  bool sync = false;
  std::string cpus;                // list to pin to, empty: none
};

// plumb's account of one job.
struct Account {
  bool valid = false;              // false: plumb left none (killed, or it failed itself)
  int status = 0;                  // exit status of the command, 128 + signal
  std::string error;               // the last line that the command wrote to standard error
  Sample figures;                  // the fields that plumb measures
  std::uint64_t read_bytes = 0;    // rchar
  std::uint64_t delivered_bytes = 0;  // what the reader of a pipe OUT counted
};

class Runner {
 public:
  // Paths of the programs; scratch is a private directory of the session for accounts and JSON.
  Runner(std::filesystem::path hyperfine, std::filesystem::path plumb, std::filesystem::path scratch);
  // Timed, through hyperfine. Fills everything of a Sample that hyperfine and plumb know; status ok, failed or
  // unsupported (exit 77) with the reason. Interrupted: status "interrupted", not to be kept.
  Sample time(const Job& job) const;
  // Untimed, plumb alone: for verification. Output `-` gives what the command wrote to `consume` (may be empty: dropped).
  Account run_once(const Job& job) const;
  // plumb's argument vector for a job, without --account; used for plan.json and reproduction.
  std::vector<std::string> plumb_argv(const Job& job) const;

 private:
  std::filesystem::path hyperfine_, plumb_, scratch_;
};

// A word as hyperfine's own splitting (-N) reads it back unchanged.
std::string quote_word(const std::string& word);

}  // namespace iobench
