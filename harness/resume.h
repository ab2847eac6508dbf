// SPDX-License-Identifier: MIT
// What is left of a plan when some of its samples are there already: nothing is lost, nothing is made twice. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "plan.h"
#include "samples.h"

namespace iobench {

// A run that was not proved is tried again, up to this many times in all.
inline constexpr std::uint64_t attempts_at_most = 3;

struct PendingRun {
  Run run;
  std::uint64_t attempt = 1;  // the first one that is still to be made
};
// In the plan's order. A run is done when its last attempt is: with any status but regime-not-reached, or with that one
// when there is no attempt left. Throws Error for a sample that the plan does not have, or has twice.
std::vector<PendingRun> pending_runs(const Plan& plan, const std::vector<Sample>& samples);

// Limits that have been measured, or tried: suite, round, limit.
using MeasuredOnce = std::set<std::tuple<std::string, std::uint64_t, Limit>>;
MeasuredOnce measured_limits(const std::vector<Sample>& samples);

// The name under which a run's samples are kept: the row's, or NAME/again.
std::string sample_row(const Plan& plan, const Run& run);

}  // namespace iobench
