// SPDX-License-Identifier: MIT
// Experiments, sizes and a seed to a fixed list of runs: groups, families, rounds, order. Pure. plan.json is this, and a
// session does nothing that is not in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite.h"

namespace iobench {

struct PlannedRow {
  Row row;
  std::size_t group = 0;          // index into PlannedSuite::groups
  std::uint64_t size_bytes = 0;   // of one copy
  std::vector<std::string> argv;  // tool's name, then its arguments; the session turns the name into a path
};

// A group: rows that are compared with its baseline. The baseline is measured twice a round (NAME/again).
struct Group {
  std::string name;                      // "input=corpus output=null cache=warm"
  std::vector<std::size_t> rows;         // indices into PlannedSuite::rows, file order
  std::size_t baseline = SIZE_MAX;       // index into PlannedSuite::rows; SIZE_MAX: a single row, nothing to compare
  std::size_t comparisons() const { return baseline == SIZE_MAX ? 0 : rows.size() - 1; }
  std::size_t rounds = 0;
};

struct PlannedSuite {
  Experiment experiment;
  std::vector<PlannedRow> rows;
  std::vector<Group> groups;
  bool memory_copy_limit = false;  // some figure draws it: measured once a round as row "limit/memory-copy"
  std::size_t rounds() const;      // the largest of the groups
};

// One measurement to make. slot "" or "again" (the baseline's second slot of the round).
struct Run {
  std::size_t suite = 0;
  std::size_t row = 0;
  std::size_t round = 0;  // from 1
  bool again = false;
  bool operator==(const Run&) const = default;
};

struct PlanOptions {
  std::uint64_t corpus_bytes = 1u << 30;
  bool apply_shares = true;    // the suites run together as `make bench`; false when they were named
  std::uint64_t seed = 0;
  std::size_t rounds = 0;      // 0: by the rule
};

struct Plan {
  PlanOptions options;
  std::vector<PlannedSuite> suites;
  std::vector<Run> runs;       // in the order in which they are made
};

// Groups the rows, finds each baseline (Error naming the suite's file when `baseline` picks none or several in a group of
// more than one row), applies the rounds rule and shuffles: in each round the groups of a suite in random order, rows at
// random inside their group (Fisher-Yates on a generator of our own, so that a seed gives the same order everywhere).
Plan make_plan(std::vector<Experiment> experiments, const PlanOptions& options);

// What a plan costs, for --list and for progress before anything was measured. Rough, from data/tools.toml.
struct PlanCost {
  double seconds = 0;
  std::uint64_t written_bytes = 0;     // to file systems, over the whole run
  std::uint64_t free_space_bytes = 0;  // needed at once: corpora and the largest output
};
PlanCost estimate_cost(const Plan& plan, const Toolbox& toolbox);
double estimate_run_s(const PlannedRow& row, const Toolbox& toolbox);

// How a row was checked and counted once before it was timed, kept in plan.json beside the row.
struct RowCheck {
  std::string status = "ok";      // ok, unsupported, failed, mismatch
  std::string reason;
  std::uint64_t program_bytes = 0;
  double calls_per_mib = -1;      // system calls per MiB moved, start-up taken off; -1: not counted (reason in calls_note)
  std::uint64_t startup_calls = 0;
  std::vector<std::pair<std::string, std::uint64_t>> calls;  // by name, at counted_bytes
  std::uint64_t counted_bytes = 0;
  std::string calls_note;
};
using RowChecks = std::vector<std::vector<RowCheck>>;  // [suite][row]

// plan.json: everything above, so that a report and a resumed run need no other file. `checks` may be empty.
std::string plan_to_json(const Plan& plan, const RowChecks& checks);
struct StoredPlan {
  Plan plan;
  RowChecks checks;
};
StoredPlan plan_from_json(const std::string& json, const std::string& path_for_errors);

}  // namespace iobench
