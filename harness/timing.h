// SPDX-License-Identifier: MIT
// `iobench time`: commands that a user types, to a plan like any suite's, and the result to what hyperfine's users know.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "check.h"
#include "corpus.h"
#include "plan.h"
#include "grid.h"
#include "session.h"
#include "summary.h"
#include "warnings.h"

namespace iobench {

struct TimingOptions {
  std::vector<std::string> commands;  // each as a shell would read it
  bool shell = false;                 // each is given to `sh -c` whole
  std::string input;                  // "FILE", "pipe:FILE", "zero"; empty: none
  std::string output = "null";        // null, pipe, file (a new one each run), tmpfs
  std::string cache;                  // warm, cold, confined; empty: warm where a file is read
  bool sync = false;
  PlanOptions plan;
};

// One row a command, one group, the first command the baseline. Throws Error, status 2: no command, a word that is none
// of the above, a command that needs a shell, and what does not go together.
Plan plan_timing(const TimingOptions& options);
// The file that the rows read; none: they read none. Throws Error, status 1: missing, not a regular file, empty.
std::optional<Corpus> timing_input(const TimingOptions& options);

// A command line as words: blanks part them; '…', "…" and \ quote. Throws Error, status 2, for an open quote and for
// what only a shell understands, unquoted: | & ; < > ( ) $ ` * ? [ # ~ at their places.
std::vector<std::string> split_command(const std::string& text);

struct Timing {
  SessionEnd end;
  Plan plan;
  RowChecks checks;
  SuiteResult result;
  Table table;
  std::vector<std::string> warnings;  // as sentences
};
// Runs the plan like any other, in a scratch directory that is removed unless `session.results` names one.
Timing run_timing(const TimingOptions& options, SessionOptions session, const Layout& layout, const Toolbox& toolbox);

// What hyperfine exports, of the wall times: the keys of its JSON, and under "iobench" what it does not know (status,
// sink, regime, the ratio with its interval and level); the columns of its CSV. Commands without a valid run have no
// figures. The Markdown is that of to_markdown.
std::string timing_json(const Plan& plan, const RowChecks& checks, const SuiteResult& result);
std::string timing_csv(const Plan& plan, const SuiteResult& result);

}  // namespace iobench
