// SPDX-License-Identifier: MIT
// A run of the lab: corpora placed, rows checked, the plan's runs made in order, each sample appended at once, progress
// shown. Ends early and validly on SIGINT and SIGTERM.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "corpus.h"
#include "lock.h"
#include "plan.h"
#include "system.h"

namespace iobench {

struct SessionOptions {
  // Empty: all that are part of `make bench`; "all": every suite there is. A name with a slash, or that ends with .toml,
  // is a file.
  std::vector<std::string> suites;
  std::uint64_t corpus_bytes = 1u << 30;
  std::filesystem::path results;           // empty: results/DATE-HOST[.N]
  std::filesystem::path corpus_directory;  // empty: the layout's
  std::optional<std::uint64_t> seed;       // none: from the clock, recorded
  std::size_t rounds = 0;                  // 0: by the rule
  std::string cpus;                        // pin the commands to these
  std::string net_host;  // where net-sink and net-source were started by hand, for rows on a network; empty: loopback
  bool anonymous = false;
  std::string user;  // whom root runs the commands as: a name or number; empty: whoever called sudo, or root
  bool allow_commands = false;  // also those that data/tools.toml has no template for
  bool passing = false;  // the results are not kept: they are not announced
  const MachineLock* lock = nullptr;  // told where the results are
  std::optional<Corpus> given;  // the file that every row reads instead of a corpus: its path and size
};

// The plan that the options ask for. Confined rows become cold ones, named so, where there is no memory cgroup. Throws
// Error: status 2 for an unknown suite.
Plan plan_session(const SessionOptions& options, const Layout& layout, const Toolbox& toolbox);

// What `iobench run --list` prints: rows, rounds, comparisons, time, bytes to write, free space needed and there.
std::string list_plan(const Plan& plan, const SessionOptions& options, const Layout& layout, const Toolbox& toolbox);

struct SessionEnd {
  std::filesystem::path results;
  std::size_t runs_planned = 0;
  std::size_t runs_made = 0;
  std::size_t runs_failed = 0;  // failed, mismatch, regime-not-reached; not unsupported
  int signal = 0;               // that ended it early
};
// Makes the plan's runs. Throws Error for a wrong set-up, before anything is measured; results of an interrupted session
// are valid and say so in session.json.
SessionEnd run_session(const Plan& plan, const SessionOptions& options, const Layout& layout, const Toolbox& toolbox);
// Makes what is left of the plan in `results`, in the same order. Of the options only corpus_directory counts. Throws
// Error also when the machine or a program is another one than before: samples of two would be mixed.
SessionEnd resume_session(const std::filesystem::path& results, const SessionOptions& options, const Layout& layout,
                          const Toolbox& toolbox);
// The plan of other results.
Plan stored_plan(const std::filesystem::path& results);
// The same, for running it again: same rows, same order. Throws Error for commands whose input is in no plan, and for
// commands that no tool of ours has, unless they are allowed.
Plan plan_to_run_again(const std::filesystem::path& results, const Toolbox& toolbox, bool allow_commands = false);

}  // namespace iobench
