// SPDX-License-Identifier: MIT
// The fastest row is the one with the smallest median; what is said against the others rests on paired intervals at the
// level of the group's family.
#include "advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "units.h"
#include "words.h"

namespace iobench {

namespace {

std::optional<double> median_wall(const RowResult& row) {
  const Summary summary = row.summary("wall");
  return summary.n > 0 && std::isfinite(summary.median) && summary.median > 0 ? std::optional(summary.median)
                                                                              : std::nullopt;
}

std::optional<std::uint64_t> block_of(const Row& row) {
  try {
    return parse_size(row.value("block"));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// "14.6 GB/s", or for runs of many copies the time of one.
std::string speed(const PlannedRow& planned, const RowResult& row) {
  if (planned.row.repeat > 1) return format_seconds(row.summary("wall_per_copy").median) + " per copy";
  const Summary rate = row.summary("bytes_per_s");
  return rate.n > 0 ? format_rate(rate.median) : format_seconds(row.summary("wall").median);
}

// One group's sentences.
class GroupWords {
 public:
  GroupWords(const PlannedSuite& suite, const SuiteResult& result, std::size_t group,
             const std::set<std::string>& moves_nothing)
      : suite_(suite), result_(result), group_(group) {
    for (const std::size_t row : suite.groups[group].rows)
      if (is_copy(suite.rows[row].row, moves_nothing) && median_wall(result.rows[row])) rows_.push_back(row);
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
             fmt::format("{} reaches {}.", label(fastest_), speed(suite_.rows[fastest_], result_.rows[fastest_]));
    said += fmt::format("{} has the best median, {}", label(fastest_),
                        speed(suite_.rows[fastest_], result_.rows[fastest_]));
    return said + peers() + "; " + slowest() + "." + enough();
  }

 private:
  // The label, or the whole command where the label leaves the tool to the table's title.
  std::string label(std::size_t row) const {
    const PlannedRow& planned = suite_.rows[row];
    const bool names_tool = planned.row.label.find(planned.row.tool) != std::string::npos;
    return names_tool ? planned.row.label : fmt::format("{}", fmt::join(planned.argv, " "));
  }

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

  std::string enough() const {
    const auto block = smallest_fast_block(suite_, result_, rows_, fastest_);
    if (!block) return "";
    return fmt::format(" The smallest block not shown slower than {} times the best is {}.",
                       format_ratio(fast_enough).substr(0, 4), format_size(*block_of(suite_.rows[*block].row)));
  }

  const PlannedSuite& suite_;
  const SuiteResult& result_;
  std::size_t group_;
  std::vector<std::size_t> rows_;
  std::size_t fastest_ = 0, slowest_ = 0;
};

}  // namespace

std::optional<std::size_t> smallest_fast_block(const PlannedSuite& suite, const SuiteResult& result,
                                               const std::vector<std::size_t>& rows, std::size_t fastest) {
  std::map<std::uint64_t, std::size_t> by_block;  // of the fastest row's tool: a block is a choice within one tool
  for (const std::size_t row : rows)
    if (const auto block = block_of(suite.rows[row].row);
        block && suite.rows[row].row.tool == suite.rows[fastest].row.tool)
      by_block.emplace(*block, row);
  if (by_block.size() < 3) return std::nullopt;
  for (const auto& [block, row] : by_block) {
    if (row == fastest) return row;
    const PairedRatio ratio = row_ratio(result.rows[row], result.rows[fastest], "wall", family_level(rows.size() - 1));
    if (!ratio.interval.exists()) return std::nullopt;
    if (ratio.interval.low <= fast_enough) return row;
  }
  return std::nullopt;
}

std::vector<std::string> answers(const PlannedSuite& suite, const SuiteResult& result,
                                 const std::vector<RowCheck>& checks, const std::set<std::string>& moves_nothing) {
  constexpr std::size_t shown = 10;
  std::vector<std::string> said;
  for (std::size_t group = 0; group < suite.groups.size(); ++group)
    if (std::string text = GroupWords(suite, result, group, moves_nothing).text(); !text.empty())
      said.push_back(std::move(text));
  std::size_t troubled = 0;
  for (std::size_t row = 0; row < suite.rows.size(); ++row) {
    const std::string status = status_words(result.rows[row], row < checks.size() ? &checks[row] : nullptr);
    if (status == "ok" || ++troubled > shown) continue;
    said.push_back(fmt::format("{}: {}.", suite.rows[row].row.name, status));
  }
  if (troubled > shown)
    said.push_back(fmt::format("{} more rows without all their figures; the tables name them.", troubled - shown));
  return said;
}

}  // namespace iobench
