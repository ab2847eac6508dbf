// SPDX-License-Identifier: MIT
// Samples to one result per row and one comparison per row with its group's baseline. Pure; tables, figures and the
// report all read this and compute nothing themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan.h"
#include "samples.h"
#include "statistics.h"

namespace iobench {

// A metric computed from one sample. Names: wall return delivered durable cpu user system bytes_per_s operations_per_s
// wall_per_copy cpu_per_copy user_per_copy system_per_copy peak_memory device_read.
// Seconds, bytes a second, copies a second, bytes. none: not measured in this sample.
std::optional<double> metric(const Sample& sample, const std::string& name);
bool is_metric(const std::string& name);

struct RowResult {
  std::size_t suite = 0;
  std::size_t row = 0;                  // index into PlannedSuite::rows
  std::vector<Sample> ok;               // in order of rounds: only these enter a figure
  std::vector<Sample> again;            // the baseline's second slot
  std::size_t failed = 0;               // samples with another status
  std::string status = "ok";            // ok, not run, or the status of the failures, with
  std::string reason;
  std::optional<PairedRatio> against_baseline;  // wall time over the baseline's, paired by round; none: is the baseline
  bool below_noise_floor = false;
  Summary summary(const std::string& metric_name) const;
  // Sum over all rounds, for CPU under 100 clock ticks where a single split is sampling.
  double total(const std::string& metric_name) const;
};

struct GroupResult {
  std::size_t suite = 0;
  std::size_t group = 0;
  std::optional<PairedRatio> again;     // NAME/again over NAME
  double noise_floor = 1;               // ratio: the larger end of that interval away from 1; 1: not known
  std::string note;
};

struct SuiteResult {
  std::vector<RowResult> rows;          // one per planned row
  std::vector<GroupResult> groups;
  std::optional<Summary> memory_copy;   // bytes a second, of row limit/memory-copy
  std::size_t runs_planned = 0;
  std::size_t runs_made = 0;
};

// One per suite of the plan. Samples of unknown rows are an Error naming the row.
std::vector<SuiteResult> summarize_results(const Plan& plan, const std::vector<Sample>& samples);

}  // namespace iobench
