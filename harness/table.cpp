// SPDX-License-Identifier: MIT
// The rows and columns of each table are chosen first, then every cell is made; notes say how the numbers are to be
// read.
#include "table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "column.h"
#include "units.h"
#include "words.h"

namespace iobench {

namespace {

constexpr const char* published_prefix = "published.";

// Whether every filled cell of a published column is a number, and so belongs on the right.
bool is_numeric(const PublishedTable& table, const std::string& column) {
  const auto at = std::find(table.columns.begin(), table.columns.end(), column) - table.columns.begin();
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const std::vector<std::string>& row) {
    const auto index = static_cast<std::size_t>(at);
    return index < row.size() && row[index].find_first_not_of("0123456789.+-eE") == std::string::npos;
  });
}

// The rows and columns of one table, chosen before any cell is made.
struct Selection {
  std::string title;
  std::vector<std::size_t> rows;
  std::vector<std::string> columns;
  std::vector<std::string> headings;
};

class TableMaker {
 public:
  TableMaker(const PlannedSuite& suite, const SuiteResult& result, const std::vector<RowCheck>& checks,
             const std::optional<PublishedTable>& published)
      : suite_(suite), result_(result), checks_(checks), published_(published) {}

  Table make(Selection selection) const {
    Table table;
    complete(selection);
    table.title = selection.title;
    for (std::size_t i = 0; i < selection.columns.size(); ++i)
      table.columns.push_back(column(selection.columns[i], i < selection.headings.size() ? selection.headings[i] : ""));
    CellNotes cell_notes;
    for (const std::size_t row : selection.rows) {
      table.rows.emplace_back();
      for (const std::string& key : selection.columns) table.rows.back().push_back(cell(key, row, cell_notes));
    }
    for (const std::size_t row : selection.rows)
      if (check(row) && !check(row)->note.empty())
        cell_notes.add(check(row)->note, suite_.rows[row].row.label);
    if (selection.rows.empty()) table.notes.push_back("no row of the suite belongs to this table");
    add_notes(table, selection);
    for (const std::string& line : cell_notes.lines()) table.notes.push_back(line);
    return table;
  }

  Selection standard(const Group& group) const {
    Selection selection;
    selection.title = suite_.experiment.title;
    selection.rows = group.rows;
    selection.columns = {"label", "wall", "wall_interval", "bytes_per_s"};
    const bool synced = std::any_of(group.rows.begin(), group.rows.end(), [&](std::size_t row) { return suite_.rows[row].row.sync; });
    if (synced) selection.columns.insert(selection.columns.end() - 1, {"return", "durable"});
    if (group.baseline != SIZE_MAX) selection.columns.push_back("ratio");
    selection.columns.push_back("cpu");
    if (!synced) selection.columns.push_back("calls_per_mib");
    selection.columns.push_back("n");
    return selection;
  }

  Selection specified(const TableSpec& spec) const {
    Selection selection;
    selection.title = spec.title.empty() ? suite_.experiment.title : spec.title;
    selection.columns = spec.columns;
    selection.headings = spec.headings;
    for (std::size_t row = 0; row < suite_.rows.size(); ++row)
      if (is_shown(suite_.rows[row].row, spec.only)) selection.rows.push_back(row);
    return selection;
  }

 private:
  const RowCheck* check(std::size_t row) const { return row < checks_.size() ? &checks_[row] : nullptr; }

  // Sink, regime and trouble are never left to guess.
  void complete(Selection& selection) const {
    std::vector<const PlannedRow*> rows;
    bool trouble = false;
    for (const std::size_t row : selection.rows) {
      rows.push_back(&suite_.rows[row]);
      trouble = trouble || status_words(result_.rows[row], check(row)) != "ok";
    }
    const Conditions common = conditions(rows);
    selection.title = joined(selection.title, common.text);
    const auto add = [&](bool wanted, const char* key) {
      if (wanted && !std::count(selection.columns.begin(), selection.columns.end(), key))
        selection.columns.push_back(key);
    };
    add(!common.one_sink, "sink");
    add(!common.one_cache, "cache");
    add(!common.one_size, "size");
    add(trouble, "status");
  }

  Column column(const std::string& key, const std::string& heading) const {
    if (key.starts_with(published_prefix)) {
      const std::string name = key.substr(std::string_view(published_prefix).size());
      return {heading.empty() ? name + ", published" : heading,
              {"published_" + name},
              published_ && is_numeric(*published_, name)};
    }
    const BuiltInColumn* found = find_column(key);
    if (!found) throw Error(fmt::format("{}: unknown column '{}'", suite_.experiment.path.string(), key));
    return {heading.empty() ? found->heading : heading, found->csv, found->numeric};
  }

  Cell cell(const std::string& key, std::size_t row, CellNotes& notes) const {
    const PlannedRow& planned = suite_.rows[row];
    if (!key.starts_with(published_prefix))
      return find_column(key)->cell({suite_, result_, planned, result_.rows[row], check(row), notes});
    if (!published_ || !suite_.experiment.published) return {"–", {}};
    const std::string value = published_value(*suite_.experiment.published, *published_, planned.row,
                                              key.substr(std::string_view(published_prefix).size()));
    return {value.empty() ? "–" : value, {value}};
  }

  static bool has(const Selection& selection, const char* key) {
    return std::count(selection.columns.begin(), selection.columns.end(), key) > 0;
  }

  // How the numbers are to be read; one line an idea.
  void add_notes(Table& table, const Selection& selection) const {
    if (has(selection, "wall_interval")) {
      std::set<std::string> words;
      for (const std::size_t row : selection.rows)
        if (const std::string text = interval_words(result_.rows[row], "wall"); !text.empty()) words.insert(text);
      if (!words.empty()) table.notes.push_back(fmt::format("interval of the median: {}", fmt::join(words, "; ")));
    }
    const auto returns_early = [&](std::size_t row) {
      const Row& planned = suite_.rows[row].row;
      return !planned.sync && (planned.output == Output::file || planned.output == Output::over);
    };
    if (std::any_of(selection.rows.begin(), selection.rows.end(), returns_early))
      table.notes.push_back(
          "a time to a file is that until the copy returns, while its bytes may still be in memory; until they are on the "
          "device, only rows with `sync` tell");
    if (has(selection, "ratio") || has(selection, "cpu_times_baseline")) add_baseline_notes(table, selection);
    const bool with_published = std::any_of(selection.columns.begin(), selection.columns.end(),
                                            [](const std::string& key) { return key.starts_with(published_prefix); });
    if (with_published && published_)
      for (const std::string& note : published_->notes) table.notes.push_back("published: " + note);
    if (with_published && !published_) table.notes.push_back("the published figures were not found");
  }

  // The intervals of one group's ratios that a selection shows, and how many rounds each comes from.
  std::set<std::pair<std::size_t, double>> ratio_levels(std::size_t group, const Selection& selection) const {
    std::set<std::pair<std::size_t, double>> levels;
    const auto add = [&](const std::optional<PairedRatio>& ratio) {
      if (ratio && ratio->interval.exists()) levels.emplace(ratio->pairs, ratio->interval.level);
    };
    for (const std::size_t row : selection.rows) {
      if (suite_.rows[row].group != group) continue;
      if (has(selection, "ratio") && result_.rows[row].not_a_copy.empty())
        add(result_.rows[row].against_baseline);
      if (has(selection, "cpu_times_baseline")) add(cpu_to_baseline(suite_, result_, row));
    }
    return levels;
  }

  // ", paired by round, signed-rank intervals of 98.4 % each: 7 rounds, 3 comparisons"
  std::string level_words(std::size_t group, const Selection& selection) const {
    std::vector<std::string> words;
    for (const auto& [rounds, level] : ratio_levels(group, selection))
      words.push_back(fmt::format("{} each: {} round{}", format_percent(level), rounds, rounds == 1 ? "" : "s"));
    if (words.empty()) return ", without intervals";
    const std::size_t comparisons = suite_.groups[group].comparisons();
    return fmt::format(", paired by round, signed-rank intervals of {}, {} comparison{}", fmt::join(words, ", or "),
                       comparisons, comparisons == 1 ? "" : "s");
  }

  // What ratios are to, once for all groups of which the same is said; then the noise floor of each.
  void add_baseline_notes(Table& table, const Selection& selection) const {
    std::set<std::size_t> groups;
    for (const std::size_t row : selection.rows)
      if (suite_.groups[suite_.rows[row].group].baseline != SIZE_MAX) groups.insert(suite_.rows[row].group);
    if (groups.empty()) return;
    std::set<std::string> texts;
    for (const std::size_t group : groups) texts.insert(ratio_note(group, selection));
    CellNotes ratios;
    std::vector<std::string> floors;
    for (const std::size_t group : groups) {
      const std::string& name = suite_.groups[group].name;
      ratios.add(ratio_note(group, selection), texts.size() > 1 ? name : "");
      const GroupResult& compared = result_.groups[group];
      floors.push_back((groups.size() > 1 && !name.empty() ? name + " " : "") +
                       (compared.noise_floor > 1 ? floor_words(compared.noise_floor) : "not known") +
                       (compared.note.empty() ? "" : ": " + compared.note));
    }
    for (const std::string& line : ratios.lines()) table.notes.push_back(line);
    const char* whose = groups.size() > 1 ? "each group's baseline" : "the baseline";
    table.notes.push_back(
        fmt::format("noise floor, the wall time of {} against itself: {}", whose, fmt::join(floors, "; ")));
  }

  std::string ratio_note(std::size_t group, const Selection& selection) const {
    return "ratios are to " + suite_.rows[suite_.groups[group].baseline].row.label + level_words(group, selection);
  }

  const PlannedSuite& suite_;
  const SuiteResult& result_;
  const std::vector<RowCheck>& checks_;
  const std::optional<PublishedTable>& published_;
};

}  // namespace

std::vector<Table> suite_tables(const PlannedSuite& suite, const SuiteResult& result,
                                const std::vector<RowCheck>& checks, const std::optional<PublishedTable>& published) {
  const TableMaker maker(suite, result, checks, published);
  std::vector<Table> tables;
  for (const TableSpec& spec : suite.experiment.tables) tables.push_back(maker.make(maker.specified(spec)));
  if (tables.empty())
    for (const Group& group : suite.groups) tables.push_back(maker.make(maker.standard(group)));
  return tables;
}

}  // namespace iobench
