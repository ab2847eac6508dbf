// SPDX-License-Identifier: MIT
// Experiments, sizes and a seed to a fixed list of runs: groups, families, rounds, order. Pure. plan.json is this, and
// a session does nothing that is not in it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "bound.h"
#include "suite.h"

namespace iobench {

struct PlannedRow {
  Row row;
  std::size_t group = 0;          // index into PlannedSuite::groups
  std::uint64_t size_bytes = 0;   // of one copy
  std::vector<std::string> argv;  // program, then its arguments; the session turns the program into a path
  std::uint64_t payload_bytes() const;  // of one copy, without the heads of its records
  std::uint64_t moved_bytes() const { return size_bytes * row.repeat; }  // by a run
  std::uint64_t operations() const;                                      // of a run: copies, records, streams
  bool operator==(const PlannedRow&) const = default;
};

// A group: rows that are compared with its baseline. The baseline is measured twice a round (NAME/again).
struct Group {
  std::string name;                 // "input=corpus output=null cache=warm"; "all" when the suite names no group
  std::vector<std::size_t> rows;    // indices into PlannedSuite::rows, file order
  std::size_t baseline = SIZE_MAX;  // index into PlannedSuite::rows; SIZE_MAX: a single row, nothing to compare
  std::size_t comparisons() const { return baseline == SIZE_MAX ? 0 : rows.size() - 1; }
  std::size_t rounds = 0;
  bool operator==(const Group&) const = default;
};

struct PlannedSuite {
  Experiment experiment;
  std::vector<PlannedRow> rows;
  std::vector<Group> groups;
  std::set<Limit> limits;          // that bound its rows: measured once a round, as rows of their own (limit_row)
  std::size_t rounds() const;      // the largest of the groups
  bool operator==(const PlannedSuite&) const = default;
};

// One measurement to make. again: the baseline's second slot of the round, stored as row NAME/again.
struct Run {
  std::size_t suite = 0;
  std::size_t row = 0;
  std::size_t round = 0;  // from 1
  bool again = false;
  bool operator==(const Run&) const = default;
};

inline constexpr std::size_t most_rounds = 10000;  // that anybody may ask for, and that plan.json may name

struct PlanOptions {
  std::uint64_t corpus_bytes = 1u << 30;
  bool apply_shares = true;  // the suites run together as `make bench`; false when they were named
  std::uint64_t seed = 0;
  std::size_t rounds = 0;  // 0: by the rule
  std::string cpus;        // every command is pinned to these; empty: to none
  bool confinable = true;  // there is a memory cgroup; otherwise confined rows run cold, and are named so
  std::string confinement_obstacle;  // why there is none and what to do about it, in words
  bool other_machine = false;  // rows on a plain network use servers on another machine
  bool operator==(const PlanOptions&) const = default;
};

struct Plan {
  PlanOptions options;
  bool free_commands = false;  // of a command line, not of suites: they need not be copies
  std::vector<PlannedSuite> suites;
  std::vector<Run> runs;  // in the order in which they are made
  bool operator==(const Plan&) const = default;
};

// Groups the rows, finds each baseline (Error naming the suite's file when `baseline` picks none or several in a group
// of more than one row), applies the rounds rule and shuffles: suites one after the other, in each round the groups
// that need it in random order, rows at random inside their group (Fisher-Yates on a generator of our own, so that a
// seed gives the same order everywhere).
Plan make_plan(std::vector<Experiment> experiments, const PlanOptions& options);

// A command that ends with --fill is told how much.
void complete_fill(std::vector<std::string>& argv, std::uint64_t bytes);
// What the group's comparisons ask for, or the claims of the suite if some of them read its times, whichever is more.
std::size_t rounds_by_rule(const PlannedSuite& suite, const Group& group);

// Rows that the plan confines, or would if it could.
std::size_t confined_rows(const Plan& plan);

// What a plan costs, for --list and for progress before anything was measured. Rough, from data/tools.toml; the time to
// generate corpora that are not there yet is not in it.
struct PlanCost {
  double seconds = 0;                  // checks, preparations and runs
  std::uint64_t written_bytes = 0;     // by checks and runs to files of the disk
  std::uint64_t free_space_bytes = 0;  // needed at once on the disk: corpora and the largest output
};
PlanCost estimate_cost(const Plan& plan, const Toolbox& toolbox);
inline constexpr std::uint64_t least_memory_limit_bytes = 8u << 20;  // twice what the largest block and a C++ program take
// The memory that a confined row may use: half of what it moves, and enough for any tool to run.
std::uint64_t memory_limit_bytes(const PlannedRow& row);
double estimate_run_s(const PlannedRow& row, const Toolbox& toolbox);  // of the command alone, without preparation

// At most this much is moved under strace, which makes a call some 50 times as dear: 4 MiB in blocks of 512 bytes are
// 16,384 calls, a third of a second (2026-11-30, 2 cores of an AMD EPYC (Zen 4), `strace -f -c readwrite -b 512`), and a
// block of 4 MiB is still a whole one.
inline constexpr std::uint64_t counted_bytes_limit = 4u << 20;

// How a row was checked and counted once before it was timed, kept in plan.json beside the row.
struct RowCheck {
  std::string status = "ok";  // ok, unsupported, failed, mismatch
  std::string reason;
  std::uint64_t program_bytes = 0;
  double calls_per_mib = -1;  // system calls per MiB moved, start-up taken off; -1: not counted (reason in calls_note)
  std::uint64_t startup_calls = 0;
  std::vector<std::pair<std::string, std::uint64_t>> calls;  // by name, at counted_bytes
  std::uint64_t counted_bytes = 0;
  std::string calls_note;
  double instructions_per_byte = -1;  // counted by valgrind on a small input, start-up taken off; -1: not counted
  std::string instructions_note;
  std::string note;        // odd, and no failure: "its output is not its input"; empty: nothing
  std::string not_a_copy;  // why its time is not that of a copy, and is not ranked against copies; empty: it is one
  bool operator==(const RowCheck&) const = default;
};
using RowChecks = std::vector<std::vector<RowCheck>>;  // [suite][row]

// plan.json: everything above, so that a report and a resumed run need no other file; the order of the runs as arrays
// [suite, row, round, again]. `checks` may be empty. Of a suite's path only the file's name is kept: results are
// published. Reading throws Error, one line, when the text is cut, of another schema or inconsistent.
std::string plan_to_json(const Plan& plan, const RowChecks& checks);
struct StoredPlan {
  Plan plan;
  RowChecks checks;
};
StoredPlan plan_from_json(const std::string& json, const std::string& path_for_errors);

}  // namespace iobench
