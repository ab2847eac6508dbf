// SPDX-License-Identifier: MIT
// A results directory, read once: what report, advice and warnings are made from.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "plan.h"
#include "samples.h"
#include "summary.h"
#include "surroundings.h"
#include "system.h"
#include "toolbox.h"

namespace iobench {

struct Findings {
  StoredPlan stored;
  StoredSamples samples;
  StoredSurroundings surroundings;      // no rounds: not recorded
  std::vector<SuiteResult> results;     // one per suite of the plan
  std::string machine_json;             // empty: missing
  std::string session_json;             // empty: missing
  std::set<std::string> bytewise;       // tools that move a byte a call of their library
  std::vector<Tool> strategies;         // the tools of ours that some row is of, as data/tools.toml tells them

  const std::vector<RowCheck>& checks(std::size_t suite) const;  // empty: none were kept
};

// Reads plan.json and samples.csv of `results` and, where they are, surroundings.csv, machine.json and session.json;
// what the tools are is in data/tools.toml of the layout. Throws Error as plan_from_json, read_samples,
// read_surroundings and Toolbox::load do.
Findings read_findings(const std::filesystem::path& results, const Layout& layout);

// What was measured on one kind of run, over all suites: equal ends, regime, size, copies per run and syncing.
struct MeasuredRow {
  std::size_t suite = 0, row = 0;  // indices into Plan::suites and PlannedSuite::rows
};
std::vector<std::vector<MeasuredRow>> rows_by_conditions(const Plan& plan);  // in order of their first rows

}  // namespace iobench
