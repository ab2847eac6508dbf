// SPDX-License-Identifier: MIT
// Samples to one result per row and one comparison per row with its group's baseline. Pure; tables, figures and the
// report all read this and compute nothing themselves.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bound.h"
#include "plan.h"
#include "samples.h"
#include "statistics.h"

namespace iobench {

// A metric computed from one sample. Names: wall return delivered durable cpu user system bytes_per_s operations_per_s
// wall_per_copy cpu_per_copy user_per_copy system_per_copy cpu_per_byte peak_memory device_read.
// Seconds, bytes a second, operations a second, bytes. none: not measured in this sample.
std::optional<double> metric(const Sample& sample, const std::string& name);
bool is_metric(const std::string& name);

struct RowResult {
  std::size_t suite = 0;
  std::size_t row = 0;        // index into PlannedSuite::rows
  std::vector<Sample> ok;     // in order of rounds: only these enter a figure
  std::vector<Sample> again;  // the baseline's second slot
  std::size_t failed = 0;     // samples with another status
  std::string status = "ok";  // ok, not run, or the status of the failures, with
  std::string reason;         // "2 of 10 runs (rounds 3, 7): write standard output: No space left on device"
  std::string note;           // odd but counted: "1 run was repeated"
  std::string not_a_copy;     // why its time is not that of a copy, and is never ranked against copies; empty: it is
  std::optional<PairedRatio> against_baseline;  // wall time over the baseline's, paired by round; none: is the baseline
  bool below_noise_floor = false;
  Summary summary(const std::string& metric_name) const;
  // Sum over all rounds; none: not measured in any.
  std::optional<double> total(const std::string& metric_name) const;
  // Whether the CPU of all rounds together is under 100 clock ticks: then the split into user and system is sampling,
  // and only the sum is worth showing.
  bool cpu_is_sampled() const;
};

struct GroupResult {
  std::size_t suite = 0;
  std::size_t group = 0;
  std::optional<PairedRatio> again;  // NAME/again over NAME
  double noise_floor = 1;            // ratio: the larger end of that interval away from 1; 1: not known
  std::string note;                  // why it is not known, or what is odd about it; empty: nothing
};

struct SuiteResult {
  std::vector<RowResult> rows;  // one per planned row
  std::vector<GroupResult> groups;
  MeasuredLimits limits;        // those of which there are samples
  std::size_t runs_planned = 0;
  std::size_t runs_made = 0;
};

// Wall seconds; none: no sample, or a median that is no time (0).
std::optional<double> median_wall(const RowResult& row);
// a's metric over b's in the rounds that both have.
PairedRatio row_ratio(const RowResult& a, const RowResult& b, const std::string& metric_name, double level);
// A row's metric over that of its group's baseline, at the level of the group's family; none: the row is the baseline,
// or its group has none.
std::optional<PairedRatio> ratio_to_baseline(const PlannedSuite& suite, const SuiteResult& result, std::size_t row,
                                             const std::string& metric_name);

// GroupResult::noise_floor of another metric than wall time; none: not known.
std::optional<double> noise_floor(const PlannedSuite& suite, const SuiteResult& result, std::size_t group,
                                  const std::string& metric_name);

// The row of a group that has these values; none: no row, or several.
std::optional<std::size_t> row_of_group(const PlannedSuite& suite, std::size_t group, const Pairs& picks);
// A row's metric less that of the row that `minus` picks in its group, paired by round, at the level of the family of
// such differences in the group; none: it is that row, or there is none.
std::optional<PairedDifference> difference_to(const PlannedSuite& suite, const SuiteResult& result, std::size_t row,
                                              const Pairs& minus, const std::string& metric_name);
// Of the rows that differ from `row` in nothing but the size `variable`, in the same group, the one with the next
// smaller size; none: it has the smallest, or no size.
std::optional<std::size_t> previous_row(const PlannedSuite& suite, std::size_t row, const std::string& variable);
// How many times as fast the row is as that one: its wall time over the row's, paired by round, at the level of the
// family of such steps in the group.
std::optional<PairedRatio> step_from_previous(const PlannedSuite& suite, const SuiteResult& result, std::size_t row,
                                              const std::string& variable);

// One per suite of the plan. Of several attempts of one round the last one stands. Samples of unknown suites, rows
// and rounds are an Error naming them. Which rows are no copies is known from their checks and from `moves_nothing`, the
// tools that move no data into the null device.
std::vector<SuiteResult> summarize_results(const Plan& plan, const std::vector<Sample>& samples, const RowChecks& checks = {},
                                           const std::set<std::string>& moves_nothing = {});

}  // namespace iobench
