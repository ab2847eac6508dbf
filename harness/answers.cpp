// SPDX-License-Identifier: MIT
// The fastest row is the one with the smallest median; what is said against the others rests on paired intervals at the
// level of the group's family.
#include "answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "block_sweep.h"
#include "units.h"
#include "words.h"

namespace iobench {

namespace {

// One group's sentences.
class GroupWords {
 public:
  GroupWords(const PlannedSuite& suite, const SuiteResult& result, std::size_t group)
      : suite_(suite), result_(result), group_(group) {
    for (const std::size_t row : suite.groups[group].rows)
      if (suite.rows[row].row.ranked && result.rows[row].not_a_copy.empty() && median_wall(result.rows[row])) rows_.push_back(row);
    const auto faster = [&](std::size_t a, std::size_t b) {
      return *median_wall(result.rows[a]) < *median_wall(result.rows[b]);
    };
    if (!rows_.empty()) {
      fastest_ = *std::min_element(rows_.begin(), rows_.end(), faster);
      slowest_ = *std::max_element(rows_.begin(), rows_.end(), faster);
    }
  }

  std::string text() const {
    if (rows_.empty()) return "";
    std::vector<const PlannedRow*> planned;
    for (const std::size_t row : rows_) planned.push_back(&suite_.rows[row]);
    std::string said = conditions(planned).text + ": ";
    said[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(said[0])));
    if (rows_.size() == 1)
      return said +
             fmt::format("{} reaches {}.", label(fastest_), speed_words(suite_.rows[fastest_], result_.rows[fastest_]));
    said += fmt::format("{} has the best median, {}", label(fastest_),
                        speed_words(suite_.rows[fastest_], result_.rows[fastest_]));
    return said + peers() + "; " + slowest() + "." + enough();
  }

 private:
  std::string label(std::size_t row) const { return row_words(suite_.rows[row]); }

  double level() const { return family_level(rows_.size() - 1); }

  // Rows of which it is not shown that they are slower: their interval reaches 1, or the noise floor.
  std::string peers() const {
    std::vector<std::string> names;
    for (const std::size_t row : rows_) {
      if (row == fastest_) continue;
      const PairedRatio ratio = row_ratio(result_.rows[row], result_.rows[fastest_], "wall", level());
      const bool within_floor = ratio.ratio > 0 && ratio.ratio <= result_.groups[group_].noise_floor;
      if (!ratio.interval.exists() || ratio.interval.low <= 1 || within_floor) names.push_back(label(row));
    }
    if (names.empty()) return "";
    if (names.size() > 3) return fmt::format(", not told apart from {} others", names.size());
    return fmt::format(", not told apart from {}", fmt::join(names, ", "));
  }

  std::string slowest() const {
    const PairedRatio ratio = row_ratio(result_.rows[slowest_], result_.rows[fastest_], "wall", level());
    return fmt::format("{} takes {} times as long", label(slowest_), ratio_words(ratio));
  }

  // Of the sweep that the fastest row belongs to: a block is a choice within one tool.
  std::string enough() const {
    for (const BlockSweep& sweep : block_sweeps(suite_, result_)) {
      if (std::count(sweep.rows.begin(), sweep.rows.end(), fastest_) == 0) continue;
      const FastBlocks fast = fast_blocks(suite_, result_, sweep);
      if (fast.rows.empty()) return "";
      return fmt::format(" The smallest block not shown slower than {} times the best is {}.",
                         format_fixed(fast_enough, 2), format_size(*block_of(suite_.rows[fast.rows.front()].row)));
    }
    return "";
  }

  const PlannedSuite& suite_;
  const SuiteResult& result_;
  std::size_t group_;
  std::vector<std::size_t> rows_;
  std::size_t fastest_ = 0, slowest_ = 0;
};

}  // namespace

std::vector<std::string> answers(const PlannedSuite& suite, const SuiteResult& result,
                                 const std::vector<RowCheck>& checks) {
  constexpr std::size_t shown = 10;
  std::vector<std::string> said;
  for (std::size_t group = 0; group < suite.groups.size(); ++group)
    if (std::string text = GroupWords(suite, result, group).text(); !text.empty())
      said.push_back(std::move(text));
  std::size_t troubled = 0;
  for (std::size_t row = 0; row < suite.rows.size(); ++row) {
    const std::string status = status_words(result.rows[row], row < checks.size() ? &checks[row] : nullptr);
    const bool refused = suite.rows[row].row.expect == Expected::refusal && status.starts_with("unsupported");
    if (status == "ok" || refused || ++troubled > shown) continue;
    said.push_back(fmt::format("{}: {}.", suite.rows[row].row.name, status));
  }
  if (troubled > shown)
    said.push_back(fmt::format("{} more rows without all their figures; the tables name them.", troubled - shown));
  return said;
}

}  // namespace iobench
