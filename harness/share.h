// SPDX-License-Identifier: MIT
// A row's throughput as a share of the limit that bounds it. Pure.
#pragma once

#include <optional>
#include <string>

#include "bound.h"
#include "plan.h"
#include "summary.h"

namespace iobench {

struct Share {
  std::optional<Bound> bound;   // none: nothing is moved, or the bytes pass nothing
  std::optional<double> share;  // median throughput over the bound's rate; above 1 where a strategy avoids a copy
  std::string words;            // "38 % of two copies", "not a copy", "no limit"; empty: not measured
};
Share share_of_limit(const PlannedSuite& suite, const SuiteResult& result, std::size_t row);
// "38 %", "0.41 %", "243 %".
std::string share_percent(double share);

}  // namespace iobench
