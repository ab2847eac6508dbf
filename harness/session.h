// SPDX-License-Identifier: MIT
// A run of the lab: corpora placed, rows checked, the plan's runs made in order, each sample appended at once, progress
// shown. Ends early and validly on SIGINT and SIGTERM.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plan.h"
#include "system.h"

namespace iobench {

struct SessionOptions {
  std::vector<std::string> suites;       // empty: all that are part of `make bench`
  std::uint64_t corpus_bytes = 1u << 30;
  std::filesystem::path results;         // empty: results/DATE-HOST[.N]
  std::filesystem::path corpus_directory;  // empty: the layout's
  std::optional<std::uint64_t> seed;     // none: from the clock, recorded
  std::size_t rounds = 0;                // 0: by the rule
  std::string cpus;                      // pin the commands to these
  bool anonymous = false;
  bool list_only = false;
};

// Returns the exit status: 0, 4 (rows failed), 130, 143. Throws Error for a wrong set-up.
int run_session(const SessionOptions& options, const Layout& layout);

}  // namespace iobench
