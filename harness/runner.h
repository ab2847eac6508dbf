// SPDX-License-Identifier: MIT
// One run: one hyperfine call that runs plumb that runs the tool; the account that plumb writes and the JSON that
// hyperfine writes become one Sample. The only place that knows hyperfine's options and both formats.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  std::string user;                // "UID:GID" that the command runs as, empty: whoever we are
  std::string cgroup;              // folder of the control group that the command enters, empty: none
  std::string fresh;               // a file that is removed between the runs of `repeat`, empty: none
  std::vector<std::string> prefix;  // put in front of all of it, to run it in another network namespace; empty: here
};

// What plumb wrote down about one job.
struct Account {
  bool valid = false;              // false: plumb left none (it was killed)
  int status = 0;                  // of the command: exit status or 128 + signal; 125 to 127: plumb's own
  std::string error;               // last line of the command's standard error, or why there is no account
  Sample figures;  // the fields of a sample that plumb measures; device reads include those of a pipe's feeder
  std::uint64_t read_bytes = 0;    // by read calls of any kind (rchar), the loader's included
};

class Runner {
 public:
  // Paths of the programs; `scratch` is a private directory for accounts and JSON.
  Runner(std::filesystem::path hyperfine, std::filesystem::path plumb, std::filesystem::path scratch);

  // Timed, through hyperfine. Fills every field of a Sample that hyperfine and plumb know; status ok, unsupported (the
  // tool ended with 77) or failed, with the reason; "interrupted" is not to be kept.
  Sample time(const Job& job) const;
  // Untimed, plumb alone. With output "-" the command's output goes to `consume` as it comes.
  // After `timeout_s` it is ended, and the account is invalid and says so.
  Account run_once(const Job& job, const std::function<void(std::string_view)>& consume = {},
                   std::optional<double> timeout_s = {}) const;
  // plumb's argument vector for a job, without --account: what a reader types to repeat the run by hand.
  std::vector<std::string> plumb_argv(const Job& job) const;

 private:
  std::vector<std::string> accounted_argv(const Job& job, const std::filesystem::path& account) const;

  std::filesystem::path hyperfine_, plumb_, scratch_;
};

// A word as hyperfine's own splitting (-N) reads it back unchanged: always single-quoted, since an unquoted " #x" is a
// comment to it.
std::string quote_word(const std::string& word);

// ok, unsupported or failed, and why, from the status a command ended with and the last line of its standard error.
std::pair<std::string, std::string> judge_status(int status, const std::string& error);

// System calls of a command by name, from the summary that strace -c writes.
struct CallCounts {
  std::vector<std::pair<std::string, std::uint64_t>> calls;  // as strace orders them
  std::uint64_t total = 0;
  std::string note;  // why there are none
};
// Runs the job once under strace -f -c, with plumb outside of it.
CallCounts count_calls(const Runner& runner, const Job& job, const std::filesystem::path& strace,
                       const std::filesystem::path& scratch);
CallCounts parse_strace_summary(const std::string& text);

// Instructions of a command, as valgrind's cachegrind counts them.
struct InstructionCount {
  std::uint64_t instructions = 0;
  std::string note;  // why there are none
};
// Runs the job once under valgrind, with plumb outside of it.
InstructionCount count_instructions(const Runner& runner, const Job& job, const std::filesystem::path& valgrind,
                                    const std::filesystem::path& scratch);
InstructionCount parse_cachegrind_log(const std::string& text);

}  // namespace iobench
