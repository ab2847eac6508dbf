// SPDX-License-Identifier: MIT
// Sources by sinks: for each pair the fastest strategy of ours and its lead over the fastest peer, as a grid and as a
// table. Rows that move nothing, and rows that are in no race, are never the fastest. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grid.h"
#include "plan.h"
#include "summary.h"

namespace iobench {

// One source and one sink. Indices are of PlannedSuite::rows.
struct PairCell {
  enum class Verdict {
    ahead,          // the interval of the lead lies above 1, and the lead is above the noise floor
    behind,         // below
    no_difference,  // neither
    too_few,        // the rounds do not reach the level
    none            // one of the two is missing
  };
  std::vector<std::size_t> rows;         // all that the suite has of this pair; none: the suite does not have it
  std::optional<std::size_t> best;       // ours with the highest median throughput
  std::optional<std::size_t> best_peer;  // likewise
  std::optional<PairedRatio> lead;       // throughput of best over best_peer's, paired by round
  Verdict verdict = Verdict::none;
  std::vector<std::size_t> no_copies;  // measured, and not ranked: nothing was moved
};
struct PairGrid {
  std::vector<std::string> sources, sinks;   // in words; ordered as Input and Output are
  std::vector<std::vector<PairCell>> cells;  // by source, then by sink
};
// "ours copy nothing": what stands for the best of ours where there is none, though a peer was measured; "no strategy".
std::string without_best(const PlannedSuite& suite, const PairCell& cell);

// Of the rows that `only` shows (TableSpec). The level is that of the family of the best row's group.
PairGrid pair_grid(const PlannedSuite& suite, const SuiteResult& result, const std::string& only);

// "ahead", "behind", "no difference", "too few rounds", "no peer".
const char* to_string(PairCell::Verdict verdict);

// A line for each source, a column for each sink.
Table pair_table(const PlannedSuite& suite, const SuiteResult& result, const TableSpec& spec);

}  // namespace iobench
