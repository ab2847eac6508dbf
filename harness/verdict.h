// SPDX-License-Identifier: MIT
// What the samples say of each claim of a suite: an estimate with its interval, paired by round, and one of three
// verdicts. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan.h"
#include "statistics.h"
#include "summary.h"

namespace iobench {

enum class Outcome { confirmed, refuted, inconclusive };
const char* to_string(Outcome outcome);  // "CONFIRMED"

// The reason that the noise floor gives; how large it is stands beside it in people's tables.
inline constexpr const char* within_noise_floor = "a bound is nearer to the estimate than the noise floor";

struct ClaimVerdict {
  Outcome outcome = Outcome::inconclusive;
  std::string reason;                 // of inconclusive, one line; otherwise empty
  std::optional<double> estimate;     // in the claim's own unit: a ratio, seconds, bytes a second, …, over `per`
  Interval interval;                  // in the same unit; none: counted, not sampled, or not measured
  double level = 0;                   // that the interval has to reach
  std::size_t rounds = 0;             // in which all of the claim's rows were measured; 0: counted, or not measured
  std::optional<double> noise_floor;  // of a ratio a ratio, otherwise in the claim's unit; none: counted or not known
};

// One per claim of the suite, in order. The rule, of which METHODOLOGY.md tells the reasons:
// - The m claims of a suite share an error of 5 %: each interval is at the level family_level(m). A ratio's is that of
//   paired_ratio, a difference's (also of a value and its `minus`) that of paired_difference, a value's that of
//   summarize. With `minus` that row's value of the same round is subtracted first.
// - CONFIRMED: the interval lies wholly where the claim holds; REFUTED: wholly where it does not; and in both cases no
//   bound is as near to the estimate as the noise floor. INCONCLUSIVE: everything else; also when one of the rows was
//   not measured, not verified or not in its regime in every run, when only one of two is a copy, or when the rounds do
//   not reach the level.
// - The noise floor is that of the claim's metric: the largest of the groups of the claim's rows; where one of them
//   has none, the largest of the suite's. It is a ratio f. Of a value or difference it is f - 1 times the largest
//   median of its rows; of a ratio whose sides have a `minus` the same of each side, over that side, whichever is
//   larger.
// - Counted metrics (calls_per_mib, program_bytes, instructions_per_byte) have neither interval nor floor: the number itself is judged.
std::vector<ClaimVerdict> judge_claims(const PlannedSuite& suite, const SuiteResult& result,
                                       const std::vector<RowCheck>& checks);

}  // namespace iobench
