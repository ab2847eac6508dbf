// SPDX-License-Identifier: MIT
// Results to plain sentences, a group at a time: who is fastest, which block size is enough, what failed. Every
// sentence rests on the intervals of summary and admits what it cannot tell apart. What to do about it is advice's.
// Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "plan.h"
#include "summary.h"

namespace iobench {

// One or two sentences a group, then what failed or was not run.
std::vector<std::string> answers(const PlannedSuite& suite, const SuiteResult& result,
                                 const std::vector<RowCheck>& checks);

}  // namespace iobench
