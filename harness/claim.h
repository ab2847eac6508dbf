// SPDX-License-Identifier: MIT
// One [[claim]] of a suite: what somebody said, which rows show whether it is so, and the bounds, fixed beforehand,
// within which it holds. Every mistake is one Error FILE:LINE, as in the rest of a suite. What the samples say of a
// claim is left to verdict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "document.h"
#include "row.h"

namespace iobench {

enum class ClaimKind { ratio, difference, value };
const char* to_string(ClaimKind kind);
std::optional<ClaimKind> claim_kind_of(const std::string& word);

// Where a claim holds: between two numbers, each of which may be missing (no bound) or not count itself.
struct Bounds {
  std::optional<double> low, high;
  bool low_included = true, high_included = true;
  bool operator==(const Bounds&) const = default;
};
// "<= X", ">= X", "< X", "> X" or "X .. Y". Throws Error saying what is wrong, without a place.
Bounds parse_bounds(const std::string& holds_if);

struct ClaimSpec {
  std::string says;  // what was claimed, in our words
  std::string who;   // who claimed it; empty: not said
  ClaimKind kind = ClaimKind::ratio;
  std::vector<std::string> rows;    // of a ratio its numerator and denominator, of a difference minuend and subtrahend
  std::string minus;                // the row that is subtracted from each of them, round by round; empty: none
  double per = 1;                   // divides differences and values
  std::string metric;               // one of claim_metrics(), of a whole run
  std::optional<double> published;  // the figure of whoever claimed it, in the claim's own unit
  std::string holds_if;             // as parse_bounds takes it, in the claim's own unit: seconds, bytes, … or a ratio

  std::vector<std::string> all_rows() const;  // with `minus`
  bool operator==(const ClaimSpec&) const = default;
};

// What a claim may be about. The first are measured in every round; the last are counted once, and exact.
const std::vector<std::string>& claim_metrics();
bool is_counted(const std::string& claim_metric);

// `rows` are the suite's.
ClaimSpec load_claim(const Value& table, const std::vector<Row>& rows);

}  // namespace iobench
