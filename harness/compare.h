// SPDX-License-Identifier: MIT
// Two results, B against A: whether they may be compared, then for each row that both have the ratio of wall times with
// its interval and one of four verdicts. Pure but for compare_results, which reads the two directories.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "blocks.h"
#include "comparability.h"
#include "findings.h"
#include "statistics.h"

namespace iobench {

enum class Verdict { faster, slower, no_difference, cannot_tell };
const char* to_string(Verdict verdict);  // "no difference"

// What a ratio of B over A says.
// slower, faster: the interval, at the family's level, excludes 1 and the ratio is farther from it than the noise
// floor. no difference: the interval lies within 5 % of 1 either way, or within the noise floor where that is more.
// cannot tell: everything else, also without an interval or a noise floor; `reason` says why and what would help.
struct Judgement {
  Verdict verdict = Verdict::cannot_tell;
  std::string reason;  // of cannot_tell; of no difference "over 8.1 %" where only the noise floor holds the interval
};
// `noise_floor` is a ratio; 1: not known. `comparisons`: how many rows share the error.
Judgement judge(const UnpairedRatio& ratio, double noise_floor, std::size_t comparisons);

struct ComparedRow {
  RowMatch match;
  Summary a, b;         // wall seconds
  UnpairedRatio ratio;  // of wall times, B over A, at family_level of the rows compared
  double noise_floor = 1;
  Judgement judgement;
};

struct Comparison {
  std::string not_comparable;     // why nothing is compared, in one line; empty: something is
  std::vector<ComparedRow> rows;  // in the order of A's plan
  std::vector<Block> blocks;      // for people: comparability, tables, how to read them
  Table table;                    // all rows in one, for CSV
  // Whether some row is slower by more than `threshold`, its whole interval being above it.
  bool slower(double threshold = 1) const;
};
// The names stand for the two in what people read.
Comparison compare(const Findings& a, const Findings& b, const std::string& a_name, const std::string& b_name);
// Throws Error "A: …" or "B: …" for a directory that cannot be read.
Comparison compare_results(const std::filesystem::path& a, const std::filesystem::path& b, const Layout& layout);

}  // namespace iobench
