// SPDX-License-Identifier: MIT
// A claim's rows are first asked whether they may be judged at all; then their values are brought together by round,
// and the interval and the noise floor are held against the bounds.
#include "verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "units.h"
#include "words.h"

namespace iobench {

const char* to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::confirmed:
      return "CONFIRMED";
    case Outcome::refuted:
      return "REFUTED";
    case Outcome::inconclusive:
      return "INCONCLUSIVE";
  }
  return "";
}

namespace {

bool is_above(double value, const Bounds& bounds) {
  return bounds.high && (bounds.high_included ? value > *bounds.high : value >= *bounds.high);
}

bool is_below(double value, const Bounds& bounds) {
  return bounds.low && (bounds.low_included ? value < *bounds.low : value <= *bounds.low);
}

// Of all numbers from `low` to `high`.
Outcome held_against(const Bounds& bounds, double low, double high) {
  if (is_above(low, bounds) || is_below(high, bounds)) return Outcome::refuted;
  if (is_above(high, bounds) || is_below(low, bounds)) return Outcome::inconclusive;
  return Outcome::confirmed;
}

class ClaimJudge {
 public:
  ClaimJudge(const PlannedSuite& suite, const SuiteResult& result, const std::vector<RowCheck>& checks,
             const ClaimSpec& claim)
      : suite_(suite), result_(result), checks_(checks), claim_(claim), bounds_(parse_bounds(claim.holds_if)) {
    for (const std::string& name : claim.rows) rows_.push_back(row_named(name));
    if (!claim.minus.empty()) control_ = row_named(claim.minus);
    verdict_.level = family_level(suite.experiment.claims.size());
  }

  ClaimVerdict verdict() {
    for (const std::size_t row : all_rows())
      if (const std::string why = obstacle(row); !why.empty()) return inconclusive(name(row) + ": " + why);
    if (is_counted(claim_.metric)) return judge_counts();
    if (const std::string why = no_copy_among_copies(); !why.empty()) return inconclusive(why);
    return judge_samples();
  }

 private:
  using ByRound = std::map<std::uint64_t, double>;

  std::size_t row_named(const std::string& wanted) const {
    for (std::size_t row = 0; row < suite_.rows.size(); ++row)
      if (suite_.rows[row].row.name == wanted) return row;
    throw Error(fmt::format("suite '{}': a claim names row '{}', which is not there", suite_.experiment.name, wanted));
  }

  const std::string& name(std::size_t row) const { return suite_.rows[row].row.name; }
  const RowCheck* check(std::size_t row) const { return row < checks_.size() ? &checks_[row] : nullptr; }
  std::vector<std::size_t> all_rows() const {
    std::vector<std::size_t> all = rows_;
    if (control_) all.push_back(*control_);
    return all;
  }

  ClaimVerdict inconclusive(const std::string& why) {
    verdict_.outcome = Outcome::inconclusive;
    verdict_.reason = why;
    return verdict_;
  }

  // Why nothing can be told from this row; empty: nothing is in the way.
  std::string obstacle(std::size_t row) const {
    const RowCheck* checked = check(row);
    if (is_counted(claim_.metric)) {
      if (!checked) return "it was not checked, and nothing counted";
      if (checked->status != "ok") return checked->status + (checked->reason.empty() ? "" : ": " + checked->reason);
      if (claim_.metric == "program_bytes") return checked->program_bytes > 0 ? "" : "its program's size is not known";
      if (claim_.metric == "instructions_per_byte") {
        if (checked->instructions_per_byte >= 0) return "";
        return "its instructions were not counted" + (checked->instructions_note.empty() ? "" : ": " + checked->instructions_note);
      }
      if (checked->calls_per_mib >= 0 && std::isfinite(checked->calls_per_mib)) return "";
      return "its calls were not counted" + (checked->calls_note.empty() ? "" : ": " + checked->calls_note);
    }
    const RowResult& own = result_.rows[row];
    if (const std::string status = status_words(own, checked); status != "ok") return status;
    if (suite_.rows[row].row.not_confined) return "it ran cold, not confined to less memory than its file";
    const bool is_split = claim_.metric == "user" || claim_.metric == "system";
    if (is_split && own.cpu_is_sampled()) return "too little CPU time to split it into user and system";
    return "";
  }

  // What is no copy is never ranked against copies. What is subtracted may be anything.
  std::string no_copy_among_copies() const {
    std::size_t copies = 0;
    std::string why;
    for (const std::size_t row : rows_) {
      const std::string& no_copy = result_.rows[row].not_a_copy;
      copies += no_copy.empty();
      if (!no_copy.empty() && why.empty()) why = fmt::format("{} is not a copy: {}", name(row), no_copy);
    }
    return copies > 0 ? why : "";
  }

  double count_of(std::size_t row) const {
    if (claim_.metric == "program_bytes") return static_cast<double>(check(row)->program_bytes);
    return claim_.metric == "instructions_per_byte" ? check(row)->instructions_per_byte : check(row)->calls_per_mib;
  }

  ClaimVerdict judge_counts() {
    std::vector<double> counts;
    for (const std::size_t row : rows_) counts.push_back(count_of(row) - (control_ ? count_of(*control_) : 0));
    double counted = counts[0] / claim_.per;
    if (claim_.kind == ClaimKind::difference) counted = (counts[0] - counts[1]) / claim_.per;
    if (claim_.kind == ClaimKind::ratio) {
      for (std::size_t side = 0; side < counts.size(); ++side)
        if (!(counts[side] > 0)) return inconclusive(no_ratio(side));
      counted = counts[0] / counts[1];
    }
    verdict_.estimate = counted;
    verdict_.outcome = held_against(bounds_, counted, counted);
    return verdict_;
  }

  std::string no_ratio(std::size_t side) const {
    const std::string less = control_ ? " less " + name(*control_) : "";
    return fmt::format("{}{} is not above 0: there is no ratio", name(rows_[side]), less);
  }

  ByRound values(std::size_t row) const {
    ByRound found;
    for (const Sample& sample : result_.rows[row].ok)
      if (const std::optional<double> value = metric(sample, claim_.metric)) found[sample.round] = *value;
    return found;
  }

  // One list a row, in order of the rounds that all of them have: groups differ in how many they have.
  std::vector<std::vector<double>> in_common_rounds() const {
    std::vector<ByRound> by_row;
    for (const std::size_t row : all_rows()) by_row.push_back(values(row));
    std::vector<std::vector<double>> lists(by_row.size());
    for (const auto& [round, ignored] : by_row.front()) {
      const auto has_it = [&, number = round](const ByRound& row) { return row.contains(number); };
      if (!std::all_of(by_row.begin(), by_row.end(), has_it)) continue;
      for (std::size_t i = 0; i < by_row.size(); ++i) lists[i].push_back(by_row[i].at(round));
    }
    return lists;
  }

  ClaimVerdict judge_samples() {
    const std::vector<std::vector<double>> lists = in_common_rounds();
    verdict_.rounds = lists.front().size();
    if (verdict_.rounds == 0) return inconclusive("no round has this of all of its rows");
    std::vector<std::vector<double>> sides(lists.begin(), lists.begin() + static_cast<std::ptrdiff_t>(rows_.size()));
    if (control_)
      for (std::vector<double>& side : sides)
        for (std::size_t i = 0; i < side.size(); ++i) side[i] -= lists.back()[i];
    if (claim_.kind == ClaimKind::ratio) {
      for (std::size_t side = 0; side < sides.size(); ++side)
        if (const auto bad = std::count_if(sides[side].begin(), sides[side].end(), [](double v) { return !(v > 0); }))
          return inconclusive(fmt::format("in {} of {} rounds {}", bad, verdict_.rounds, no_ratio(side)));
      const PairedRatio ratio = paired_ratio(sides[0], sides[1], verdict_.level);
      set_estimate(ratio.ratio, ratio.interval);
    } else if (claim_.kind == ClaimKind::difference || control_) {
      const std::vector<double>& subtracted = control_ ? lists.back() : lists[1];
      const PairedDifference difference = paired_difference(lists[0], subtracted, verdict_.level);
      set_estimate(difference.difference, difference.interval);
    } else {
      const Summary summary = summarize(sides[0], verdict_.level);
      set_estimate(summary.median, summary.interval);
    }
    set_noise_floor(lists, sides);
    return decide();
  }

  void set_estimate(double estimate, const Interval& interval) {
    verdict_.estimate = estimate / claim_.per;
    verdict_.interval = {interval.low / claim_.per, interval.high / claim_.per, interval.level};
  }

  // Of the claim's groups, a ratio.
  std::optional<double> floor_of_groups() const {
    std::set<std::size_t> groups;
    for (const std::size_t row : all_rows()) groups.insert(suite_.rows[row].group);
    double largest = 1;
    for (const std::size_t group : groups) {
      const std::optional<double> own = noise_floor(suite_, result_, group, claim_.metric);
      if (!own) return floor_of_suite();
      largest = std::max(largest, *own);
    }
    return largest;
  }

  std::optional<double> floor_of_suite() const {
    std::optional<double> largest;
    for (std::size_t group = 0; group < suite_.groups.size(); ++group)
      if (const std::optional<double> floor = noise_floor(suite_, result_, group, claim_.metric))
        largest = std::max(largest.value_or(1), *floor);
    return largest;
  }

  void set_noise_floor(const std::vector<std::vector<double>>& lists, const std::vector<std::vector<double>>& sides) {
    const std::optional<double> floor = floor_of_groups();
    if (!floor) return;
    if (claim_.kind == ClaimKind::ratio && !control_) {
      verdict_.noise_floor = floor;
      return;
    }
    const auto noise_of = [&](std::size_t side) {
      double largest = median(lists[side]);
      if (control_) largest = std::max(largest, median(lists.back()));
      return (*floor - 1) * largest;
    };
    const bool is_ratio = claim_.kind == ClaimKind::ratio;
    double largest = 0;
    for (std::size_t side = 0; side < sides.size(); ++side)
      largest = std::max(largest, is_ratio ? noise_of(side) / median(sides[side]) : noise_of(side));
    verdict_.noise_floor = is_ratio ? 1 + largest : largest / claim_.per;
  }

  bool is_within_floor(double bound) const {
    if (claim_.kind == ClaimKind::ratio)
      return std::fabs(std::log(*verdict_.estimate / bound)) <= std::log(*verdict_.noise_floor);
    return std::fabs(*verdict_.estimate - bound) <= *verdict_.noise_floor;
  }

  ClaimVerdict decide() {
    const Interval& interval = verdict_.interval;
    if (!interval.reaches(verdict_.level))
      return inconclusive(fmt::format("{} round{} cannot reach the level of {}: {} can", verdict_.rounds,
                                      verdict_.rounds == 1 ? "" : "s", format_percent(verdict_.level),
                                      rounds_for(suite_.experiment.claims.size())));
    const Outcome seen = held_against(bounds_, interval.low, interval.high);
    if (seen == Outcome::inconclusive) return inconclusive("a bound lies inside the interval");
    if (!verdict_.noise_floor) return inconclusive("no noise floor is known: no baseline was measured twice a round");
    for (const std::optional<double>& bound : {bounds_.low, bounds_.high})
      if (bound && is_within_floor(*bound)) return inconclusive(within_noise_floor);
    verdict_.outcome = seen;
    return verdict_;
  }

  const PlannedSuite& suite_;
  const SuiteResult& result_;
  const std::vector<RowCheck>& checks_;
  const ClaimSpec& claim_;
  const Bounds bounds_;
  std::vector<std::size_t> rows_;
  std::optional<std::size_t> control_;
  ClaimVerdict verdict_;
};

}  // namespace

std::vector<ClaimVerdict> judge_claims(const PlannedSuite& suite, const SuiteResult& result,
                                       const std::vector<RowCheck>& checks) {
  std::vector<ClaimVerdict> verdicts;
  for (const ClaimSpec& claim : suite.experiment.claims)
    verdicts.push_back(ClaimJudge(suite, result, checks, claim).verdict());
  return verdicts;
}

}  // namespace iobench
