// SPDX-License-Identifier: MIT
#include "share.h"

#include <fmt/format.h>

#include <cmath>

#include "units.h"

namespace iobench {

Share share_of_limit(const PlannedSuite& suite, const SuiteResult& result, std::size_t row) {
  Share found;
  const RowResult& own = result.rows[row];
  if (!own.not_a_copy.empty()) {
    found.words = "not a copy";
    return found;
  }
  found.bound = bound_of(passage_of(suite.rows[row].row), result.limits);
  if (!found.bound) {
    found.words = "no limit";
    return found;
  }
  const Summary rate = own.summary("bytes_per_s");
  if (rate.n == 0 || !std::isfinite(rate.median) || !(found.bound->bytes_per_s > 0)) return found;
  found.share = rate.median / found.bound->bytes_per_s;
  found.words = fmt::format("{} of {}", share_percent(*found.share), found.bound->name);
  return found;
}

std::string share_percent(double share) {
  const double percent = 100 * share;
  return format_fixed(percent, percent < 0.995 ? 2 : percent < 9.95 ? 1 : 0) + " %";
}

}  // namespace iobench
