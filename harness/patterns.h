// SPDX-License-Identifier: MIT
// What times may do besides scattering: rise or fall from round to round, or come in two modes. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace iobench {

// Whether values in order of rounds rise or fall: Mann's test on the number of pairs in order (Mann, Econometrica 13,
// 1945; Kendall's tau), two-sided, with its exact distribution up to 100 values and the normal one beyond. Ties count
// for neither side, which makes p larger. `change` is the slope of Theil and Sen, the median over all pairs, times the
// number of steps: from the first value to the last, in the values' unit.
struct Trend {
  double change = 0;
  double p = 1;  // 1 for fewer than 2 values
};
Trend trend(std::span<const double> values);

// Two clusters of positive values that nothing lies between: on a logarithmic scale the gap is more than 15 % of the
// lower end, and wider than the wider cluster, by a factor of 20/n where that is more; each holds 3 values or more. One
// mode of 7 to 30 values looks like two in one row of a hundred or fewer, be it normal, logarithmically normal, uniform
// or exponential (build/tests/patterns-test, by simulation). Two true modes that are wide may be missed.
struct TwoModes {
  double low = 0, high = 0;  // medians of the clusters
  std::size_t low_count = 0, high_count = 0;
};
std::optional<TwoModes> two_modes(std::span<const double> values);

}  // namespace iobench
