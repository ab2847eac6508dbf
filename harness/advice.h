// SPDX-License-Identifier: MIT
// Results to plain sentences: who is fastest in each group, which block size is enough, what failed. Every sentence
// rests on the intervals of summary and admits what it cannot tell apart. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan.h"
#include "summary.h"

namespace iobench {

// A block size is enough when it is not shown slower than the best by more than this.
inline constexpr double fast_enough = 1.05;

// The smallest of the group's block sizes whose interval against the group's fastest block, simultaneous over the
// group, does not lie above fast_enough. Rows are indices into PlannedSuite::rows; none: fewer than three sizes, or no
// interval.
std::optional<std::size_t> smallest_fast_block(const PlannedSuite& suite, const SuiteResult& result,
                                               const std::vector<std::size_t>& rows, std::size_t fastest);

// One or two sentences a group, then what failed or was not run. `moves_nothing` as in suite_tables.
std::vector<std::string> answers(const PlannedSuite& suite, const SuiteResult& result,
                                 const std::vector<RowCheck>& checks, const std::set<std::string>& moves_nothing = {});

}  // namespace iobench
