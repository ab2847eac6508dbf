// SPDX-License-Identifier: MIT
// One tool over block sizes inside a group: which sizes are fast enough, and the fit of their times on bytes and calls.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fit.h"
#include "plan.h"
#include "statistics.h"
#include "summary.h"

namespace iobench {

// A block size is fast enough when it is not shown slower than the best by more than this.
inline constexpr double fast_enough = 1.05;
inline constexpr std::size_t fewest_sweep_sizes = 3;

// Rows of one group that differ in nothing but their variable `block`, each with a median, in order of block sizes.
struct BlockSweep {
  std::size_t group = 0;
  std::vector<std::size_t> rows;  // indices into PlannedSuite::rows, at least fewest_sweep_sizes
  std::size_t fastest = 0;        // the one with the smallest median
};

std::optional<std::uint64_t> block_of(const Row& row);  // none: it has no size as its `block`

// In order of their first rows; rows that are no copies are in none.
std::vector<BlockSweep> block_sweeps(const PlannedSuite& suite, const SuiteResult& result);

// A row's wall time over that of the sweep's fastest, at the level of the group's family.
PairedRatio ratio_to_fastest(const PlannedSuite& suite, const SuiteResult& result, const BlockSweep& sweep,
                             std::size_t row);

// The sizes not shown slower than fast_enough times the fastest: their interval reaches it, or their ratio is within
// the group's noise floor. The fastest is chosen from the same samples; build/tests/block-sweep-test shows by
// simulation that fewer than 5 % of sweeps lose a size to this that is fast enough.
struct FastBlocks {
  std::vector<std::size_t> rows;  // in order of block sizes; empty: cannot be told
  double level = 1;               // the lowest that an interval reaches; under 95 % nothing is told
};
FastBlocks fast_blocks(const PlannedSuite& suite, const SuiteResult& result, const BlockSweep& sweep);

// The fit to the sweep's medians, and how sure its costs are: the order-statistic intervals of the costs fitted to each
// round by itself.
struct SweepFit {
  Fit fit;
  Summary seconds_per_byte, seconds_per_call;  // over the rounds that have every size
};
SweepFit fit_sweep(const PlannedSuite& suite, const SuiteResult& result, const std::vector<RowCheck>& checks,
                   const BlockSweep& sweep);

}  // namespace iobench
