// SPDX-License-Identifier: MIT
// Verdicts on claims as sentences and as a table: what was claimed and by whom, what was published, what was measured
// here, with which bound, interval and number of rounds, and why nothing can be told. Pure.
#pragma once

#include <string>
#include <vector>

#include "grid.h"
#include "verdict.h"

namespace iobench {

// Of one suite.
struct JudgedSuite {
  const PlannedSuite* suite = nullptr;
  std::vector<ClaimVerdict> verdicts;  // one per claim
};

// "CONFIRMED: SAYS (WHO): CPU time 22.1 times [21.8, 22.5] (interval of 98.8 %, 8 rounds), published 23;
// holds if 15 to 47." Counted metrics and claims that cannot be told have their own endings.
std::string verdict_sentence(const ClaimSpec& claim, const ClaimVerdict& verdict);
// All of a suite's: first what holds, then what fell, then what is open; in the suite's order among themselves.
std::vector<std::string> verdict_sentences(const JudgedSuite& judged);
// "Of 14 claims 6 hold, 5 fell, 3 are open."; empty without claims.
std::string verdict_counts(const std::vector<JudgedSuite>& all);
// The same in brief: source, claim, published, here, verdict.
Table headline_table(const std::vector<JudgedSuite>& all);
// A row a claim, with its suite when `names_suites`; no rows without claims. As CSV it has every number in base units.
Table verdict_table(const std::vector<JudgedSuite>& all, bool names_suites);

}  // namespace iobench
