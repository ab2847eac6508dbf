// SPDX-License-Identifier: MIT
#include "pairs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "share.h"
#include "statistics.h"
#include "units.h"
#include "words.h"

namespace iobench {

namespace {

// What makes a source, and a sink, and their order.
using Source = std::tuple<Input, Cache, bool, std::uint64_t>;
using Sink = std::tuple<Output, bool, std::uint64_t>;

Source source_of(const Row& row) {
  return {row.input, row.cache, row.not_confined, row.input == Input::tcp ? row.link_bits_per_s : 0};
}
Sink sink_of(const Row& row) {
  return {row.output, row.sync, row.output == Output::tcp ? row.link_bits_per_s : 0};
}

class GridMaker {
 public:
  GridMaker(const PlannedSuite& suite, const SuiteResult& result) : suite_(suite), result_(result) {}

  PairGrid make(const std::string& only) const {
    std::map<Source, std::string> sources;
    std::map<Sink, std::string> sinks;
    std::map<std::pair<Source, Sink>, PairCell> cells;
    for (std::size_t index = 0; index < suite_.rows.size(); ++index) {
      const Row& row = suite_.rows[index].row;
      if (!is_shown(row, only) || !row.ranked || row.expect != Expected::copy) continue;
      sources[source_of(row)] = source_words(row);
      sinks[sink_of(row)] = sink_words(row);
      add(cells[{source_of(row), sink_of(row)}], index);
    }
    PairGrid grid;
    for (const auto& [sink, name] : sinks) grid.sinks.push_back(name);
    for (const auto& [source, name] : sources) {
      grid.sources.push_back(name);
      grid.cells.emplace_back();
      for (const auto& [sink, other] : sinks) {
        grid.cells.back().push_back(cells[{source, sink}]);
        compare(grid.cells.back().back());
      }
    }
    return grid;
  }

 private:
  double throughput(std::size_t row) const {
    const Summary rate = result_.rows[row].summary("bytes_per_s");
    return rate.n > 0 && std::isfinite(rate.median) ? rate.median : 0;
  }

  void add(PairCell& cell, std::size_t row) const {
    cell.rows.push_back(row);
    if (!(throughput(row) > 0)) return;
    if (!result_.rows[row].not_a_copy.empty()) {
      cell.no_copies.push_back(row);
      return;
    }
    std::optional<std::size_t>& best = suite_.rows[row].row.peer ? cell.best_peer : cell.best;
    if (!best || throughput(row) > throughput(*best)) best = row;
  }

  void compare(PairCell& cell) const {
    if (!cell.best || !cell.best_peer) return;
    const std::size_t ours = suite_.rows[*cell.best].group, theirs = suite_.rows[*cell.best_peer].group;
    const double level = family_level(suite_.groups[ours].comparisons());
    cell.lead = row_ratio(result_.rows[*cell.best], result_.rows[*cell.best_peer], "bytes_per_s", level);
    const Interval& interval = cell.lead->interval;
    const double floor = std::max(result_.groups[ours].noise_floor, result_.groups[theirs].noise_floor);
    if (!(cell.lead->ratio > 0)) return;
    const bool within_noise = std::fabs(std::log(cell.lead->ratio)) <= std::log(floor);
    cell.verdict = !interval.reaches(level) ? PairCell::Verdict::too_few
                   : within_noise           ? PairCell::Verdict::no_difference
                   : interval.low > 1       ? PairCell::Verdict::ahead
                   : interval.high < 1      ? PairCell::Verdict::behind
                                            : PairCell::Verdict::no_difference;
  }

  const PlannedSuite& suite_;
  const SuiteResult& result_;
};

class PairTable {
 public:
  PairTable(const PlannedSuite& suite, const SuiteResult& result) : suite_(suite), result_(result) {}

  Table make(const TableSpec& spec) const {
    const PairGrid grid = pair_grid(suite_, result_, spec.only);
    Table table;
    std::vector<const PlannedRow*> shown;
    for (const auto& line : grid.cells)
      for (const PairCell& cell : line)
        for (const std::size_t row : cell.rows) shown.push_back(&suite_.rows[row]);
    table.title = joined(spec.title, conditions(shown).text);
    table.columns.push_back({"from", {"source"}, false});
    for (const std::string& sink : grid.sinks) table.columns.push_back({"to " + sink, keys(sink), false});
    for (std::size_t source = 0; source < grid.sources.size(); ++source) {
      table.rows.push_back({{grid.sources[source], {grid.sources[source]}}});
      for (const PairCell& cell : grid.cells[source]) table.rows.back().push_back(words(cell));
    }
    add_notes(table, grid);
    return table;
  }

 private:
  static std::vector<std::string> keys(const std::string& sink) {
    std::string stem;
    for (const char c : sink) {
      if (std::isalnum(static_cast<unsigned char>(c)))
        stem += c;
      else if (!stem.ends_with('_'))
        stem += '_';
    }
    std::vector<std::string> named;
    for (const char* key :
         {"best", "bytes_per_s", "of_limit", "best_peer", "lead", "lead_low", "lead_high", "lead_level", "verdict"})
      named.push_back(stem + "_" + key);
    return named;
  }

  std::string speed(std::size_t row) const {
    return strategy_words(suite_.rows[row]) + ", " + format_rate(result_.rows[row].summary("bytes_per_s").median);
  }

  Cell words(const PairCell& cell) const {
    if (cell.rows.empty()) return {"–", {}};
    const std::string mark = cell.no_copies.empty() ? "" : " *";
    Cell made{"nothing measured" + mark, {}};
    made.fields.resize(9);
    made.fields[8] = to_string(cell.verdict);
    if (cell.best_peer) made.fields[3] = suite_.rows[*cell.best_peer].row.name;
    if (!cell.best) {
      made.fields[8] = cell.best_peer ? without_best(suite_, cell) : "nothing measured";
      if (cell.best_peer) made.text = fmt::format("{}; {}{}", without_best(suite_, cell), speed(*cell.best_peer), mark);
      return made;
    }
    const Share share = share_of_limit(suite_, result_, *cell.best);
    made.fields[0] = suite_.rows[*cell.best].row.name;
    made.fields[1] = format_exact(result_.rows[*cell.best].summary("bytes_per_s").median);
    if (share.share) made.fields[2] = format_exact(*share.share);
    made.text = speed(*cell.best) + (share.share ? ", " + share.words : "") + mark + "; ";
    if (!cell.lead) {
      made.text += "no peer";
      return made;
    }
    const Interval& interval = cell.lead->interval;
    made.fields[4] = format_exact(cell.lead->ratio);
    if (interval.exists()) {
      made.fields[5] = format_exact(interval.low);
      made.fields[6] = format_exact(interval.high);
      made.fields[7] = format_exact(interval.level);
    }
    made.text += fmt::format("{} times {}{}", ratio_words(*cell.lead), strategy_words(suite_.rows[*cell.best_peer]),
                             cell.verdict == PairCell::Verdict::no_difference ? " ≈"
                             : cell.verdict == PairCell::Verdict::too_few     ? " ?"
                                                                              : "");
    return made;
  }

  void add_notes(Table& table, const PairGrid& grid) const {
    std::set<std::string> marks, no_copies;
    std::set<std::pair<std::size_t, double>> levels;
    std::vector<std::string> limits;
    for (const auto& line : grid.cells)
      for (const PairCell& cell : line) {
        for (const std::size_t row : cell.no_copies)
          no_copies.insert(fmt::format("{} {}", strategy_words(suite_.rows[row]), result_.rows[row].not_a_copy));
        if (cell.verdict == PairCell::Verdict::no_difference)
          marks.insert("≈ no difference: the interval contains 1, or the lead is within the noise floor");
        if (cell.verdict == PairCell::Verdict::too_few)
          marks.insert("? too few rounds: nothing is claimed from an interval that falls short of its level");
        if (cell.lead && cell.lead->interval.exists()) levels.emplace(cell.lead->pairs, cell.lead->interval.level);
        if (!cell.best) continue;
        const std::optional<Bound> bound = share_of_limit(suite_, result_, *cell.best).bound;
        if (bound && std::find(limits.begin(), limits.end(), bound->words) == limits.end())
          limits.push_back(bound->words);
      }
    table.notes.push_back(
        "in each pair the strategy of ours with the highest median throughput, its share of the limit, and how many "
        "times the "
        "throughput of the fastest peer that is; both are chosen from the samples that they are compared by, which "
        "makes each look "
        "a little faster than it is");
    if (!levels.empty()) {
      std::vector<std::string> words;
      for (const auto& [rounds, level] : levels)
        words.push_back(fmt::format("{}: {} rounds", format_percent(level), rounds));
      table.notes.push_back(
          fmt::format("leads are paired by round, with signed-rank intervals ({})", fmt::join(words, ", ")));
    }
    if (!no_copies.empty()) table.notes.push_back(fmt::format("* not ranked there: {}", fmt::join(no_copies, "; ")));
    for (const std::string& mark : marks) table.notes.push_back(mark);
    for (const std::string& limit : limits) table.notes.push_back("limit " + limit);
    if (grid.cells.empty()) table.notes = {"no row of the suite belongs to this table"};
  }

  const PlannedSuite& suite_;
  const SuiteResult& result_;
};

}  // namespace

PairGrid pair_grid(const PlannedSuite& suite, const SuiteResult& result, const std::string& only) {
  return GridMaker(suite, result).make(only);
}

std::string without_best(const PlannedSuite& suite, const PairCell& cell) {
  const bool ours = std::any_of(cell.no_copies.begin(), cell.no_copies.end(),
                                [&](std::size_t row) { return !suite.rows[row].row.peer; });
  return ours ? "ours copy nothing" : "no strategy";
}

const char* to_string(PairCell::Verdict verdict) {
  switch (verdict) {
    case PairCell::Verdict::ahead:
      return "ahead";
    case PairCell::Verdict::behind:
      return "behind";
    case PairCell::Verdict::no_difference:
      return "no difference";
    case PairCell::Verdict::too_few:
      return "too few rounds";
    case PairCell::Verdict::none:
      return "no peer";
  }
  return "";
}

Table pair_table(const PlannedSuite& suite, const SuiteResult& result, const TableSpec& spec) {
  return PairTable(suite, result).make(spec);
}

}  // namespace iobench
