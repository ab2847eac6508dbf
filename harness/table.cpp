// SPDX-License-Identifier: MIT
// The rows and columns of each table are chosen first, then every cell is made; notes say how the numbers are to be
// read.
#include "table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "column.h"
#include "original.h"
#include "pairs.h"
#include "units.h"
#include "words.h"

namespace iobench {

namespace {

// Whether every filled cell of a published column is a number, and so belongs on the right.
bool is_numeric(const PublishedTable& table, const std::string& column) {
  const auto at = std::find(table.columns.begin(), table.columns.end(), column) - table.columns.begin();
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const std::vector<std::string>& row) {
    const auto index = static_cast<std::size_t>(at);
    return index < row.size() && row[index].find_first_not_of("0123456789.+-eE") == std::string::npos;
  });
}

bool is_number_or_size(const std::string& text) {
  try {
    parse_size(text);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// The rows and columns of one table, chosen before any cell is made. A line stands for one row or, where the table
// says so, for several.
struct Selection {
  std::string title;
  std::vector<std::vector<std::size_t>> lines;
  std::vector<ColumnKey> columns;
  std::vector<std::string> headings;
  TableSpec spec;

  std::vector<std::size_t> rows() const {
    std::vector<std::size_t> all;
    for (const std::vector<std::size_t>& line : lines) all.insert(all.end(), line.begin(), line.end());
    return all;
  }
  void choose(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) columns.push_back(parse_column_key(key));
  }
};

class TableMaker {
 public:
  TableMaker(const PlannedSuite& suite, const SuiteResult& result, const std::vector<RowCheck>& checks,
             const std::optional<PublishedTable>& published)
      : suite_(suite), result_(result), checks_(checks), published_(published), originals_(suite, published) {}

  Table make(Selection selection) const {
    Table table;
    CellNotes cell_notes;
    complete(selection, cell_notes);
    table.title = selection.title;
    for (std::size_t i = 0; i < selection.columns.size(); ++i)
      table.columns.push_back(
          column(selection.columns[i], i < selection.headings.size() ? selection.headings[i] : "", selection));
    for (const std::vector<std::size_t>& line : selection.lines) {
      table.rows.emplace_back();
      for (const ColumnKey& key : selection.columns)
        table.rows.back().push_back(cell(key, line, selection.spec, cell_notes));
    }
    for (std::size_t i = 0; i < selection.columns.size(); ++i)
      if (selection.columns[i].kind == ColumnKey::Kind::built_in && selection.columns[i].name == "of_limit") name_limit_once(table, i);
    const std::vector<std::size_t> rows = selection.rows();
    for (const std::size_t row : rows)
      if (check(row) && !check(row)->note.empty())
        cell_notes.add(check(row)->note, suite_.rows[row].row.label);
    if (rows.empty()) table.notes.push_back("no row of the suite belongs to this table");
    add_notes(table, selection);
    for (const std::string& line : cell_notes.lines()) table.notes.push_back(line);
    return table;
  }

  // The published figures as they are.
  Table make_published(const TableSpec& spec) const {
    Table table;
    table.title = spec.title;
    if (!published_) {
      table.notes = {figures_not_found};
      return table;
    }
    std::vector<std::size_t> columns;
    for (std::size_t at = 0; at < published_->columns.size(); ++at)
      if (spec.columns.empty()) columns.push_back(at);
    for (const std::string& key : spec.columns)
      columns.push_back(static_cast<std::size_t>(
          std::find(published_->columns.begin(), published_->columns.end(), parse_column_key(key).name) -
          published_->columns.begin()));
    std::erase_if(columns, [&](std::size_t at) { return at == published_->columns.size(); });
    for (const std::size_t at : columns) {
      const std::string& name = published_->columns[at];
      std::string heading = name;
      std::replace(heading.begin(), heading.end(), '_', ' ');
      if (spec.headings.size() == columns.size()) heading = spec.headings[table.columns.size()];
      table.columns.push_back({heading, {"published_" + name}, is_numeric(*published_, name)});
    }
    for (const std::vector<std::string>& line : published_->rows) {
      table.rows.emplace_back();
      for (const std::size_t at : columns) table.rows.back().push_back({line[at].empty() ? "–" : line[at], {line[at]}});
    }
    for (const std::string& note : published_->notes) table.notes.push_back("published: " + note);
    return table;
  }

  Selection standard(const Group& group) const {
    Selection selection;
    selection.title = suite_.experiment.title;
    for (const std::size_t row : group.rows) selection.lines.push_back({row});
    std::vector<std::string> keys{"label", "wall", "wall_interval", "bytes_per_s", "of_limit"};
    const bool synced = std::any_of(group.rows.begin(), group.rows.end(), [&](std::size_t row) { return suite_.rows[row].row.sync; });
    if (synced) keys.insert(keys.end() - 2, {"return", "durable"});
    if (group.baseline != SIZE_MAX) keys.push_back("ratio");
    keys.push_back("cpu");
    if (!synced) keys.push_back("calls_per_mib");
    // Where all rows have as many, the note on their intervals says how many.
    const std::size_t runs = result_.rows[group.rows.front()].ok.size();
    const bool alike = runs > 1 && std::all_of(group.rows.begin(), group.rows.end(), [&](std::size_t row) { return result_.rows[row].ok.size() == runs; });
    if (!alike) keys.push_back("n");
    selection.choose(keys);
    return selection;
  }

  Selection specified(const TableSpec& spec) const {
    Selection selection;
    selection.title = spec.title.empty() ? suite_.experiment.title : spec.title;
    selection.choose(spec.columns);
    selection.headings = spec.headings;
    selection.spec = spec;
    std::vector<std::size_t> rows;  // those of a group, which are compared, stand together
    for (const Group& group : suite_.groups)
      for (const std::size_t row : group.rows)
        if (is_shown(suite_.rows[row].row, spec.only)) rows.push_back(row);
    std::vector<std::vector<std::string>> known;  // the values that make a line, one for each
    for (const std::size_t row : rows) {
      std::vector<std::string> values;
      for (const std::string& variable : spec.lines) values.push_back(suite_.rows[row].row.value(variable));
      const auto line = std::find(known.begin(), known.end(), values);
      if (spec.lines.empty() || line == known.end()) {
        known.push_back(values);
        selection.lines.push_back({row});
      } else {
        selection.lines[static_cast<std::size_t>(line - known.begin())].push_back(row);
      }
    }
    return selection;
  }

 private:
  static constexpr const char* figures_not_found = "the published figures were not found";

  const RowCheck* check(std::size_t row) const { return row < checks_.size() ? &checks_[row] : nullptr; }

  // Sink, regime and trouble are never left to guess.
  void complete(Selection& selection, CellNotes& notes) const {
    std::vector<const PlannedRow*> rows;
    bool trouble = false;
    for (const std::size_t row : selection.rows()) {
      rows.push_back(&suite_.rows[row]);
      trouble = trouble || status_words(result_.rows[row], check(row)) != "ok";
    }
    const Conditions common = conditions(rows);
    selection.title = joined(selection.title, common.text);
    add_limits(selection);
    const auto add = [&](bool wanted, const char* key) {
      if (!wanted || has(selection, key)) return;
      const ColumnKey column = parse_column_key(key);
      std::set<std::string> texts;
      for (const std::vector<std::size_t>& line : selection.lines)
        texts.insert(cell(column, line, selection.spec, notes).text);
      // What is the same in every line, in which rows differ, is said once.
      if (texts.size() == 1 && !selection.spec.lines.empty())
        notes.add(fmt::format("{} of the rows that share a line: {}", key, *texts.begin()));
      else
        selection.columns.push_back(column);
    };
    add(!common.one_sink, "sink");
    add(!common.one_cache, "cache");
    add(!common.one_size, "size");
    add(trouble, "status");
  }

  // One column for each choice of rows whose speed the table tells.
  static void add_limits(Selection& selection) {
    if (has(selection, "of_limit")) return;
    std::vector<std::pair<std::string, std::string>> choices;  // of rows, and what the table calls them
    for (std::size_t at = 0; at < selection.columns.size(); ++at) {
      const std::string& only = selection.columns[at].only;
      const bool known = std::any_of(choices.begin(), choices.end(), [&](const auto& choice) { return choice.first == only; });
      if (tells_speed(selection.columns[at]) && !known)
        choices.emplace_back(only, at < selection.headings.size() && !only.empty() ? selection.headings[at] : only);
    }
    for (const auto& [only, called] : choices) {
      ColumnKey limit = parse_column_key("of_limit");
      limit.only = only;
      if (!selection.headings.empty()) {
        selection.headings.resize(selection.columns.size());
        selection.headings.push_back(called.empty() ? "" : "of the limit: " + called);
      }
      selection.columns.push_back(limit);
    }
  }

  // Where all rows have the same limit, the heading names it.
  static void name_limit_once(Table& table, std::size_t at) {
    constexpr std::string_view of = " of ";
    std::set<std::string> names;
    const auto place = [&](const std::vector<Cell>& row) { return row[at].text.find(of); };
    for (const std::vector<Cell>& row : table.rows)
      if (place(row) != std::string::npos) names.insert(row[at].text.substr(place(row) + of.size()));
    if (names.size() != 1 || names.begin()->find(of) != std::string::npos) return;
    std::string& heading = table.columns[at].heading;
    heading = "of " + *names.begin() + heading.substr(std::min(heading.find(':'), heading.size()));
    for (std::vector<Cell>& row : table.rows)
      if (place(row) != std::string::npos) row[at].text.erase(place(row));
    table.columns[at].numeric = true;
  }

  Column column(const ColumnKey& key, const std::string& heading, const Selection& selection) const {
    Column made;
    if (key.kind == ColumnKey::Kind::built_in) {
      const BuiltInColumn* found = find_column(key.name);
      if (!found) throw Error(fmt::format("{}: unknown column '{}'", suite_.experiment.path.string(), key.name));
      made = {found->heading, found->csv, found->numeric};
    } else if (key.kind == ColumnKey::Kind::row_value) {
      const std::vector<std::size_t> rows = selection.rows();
      const bool numeric = std::all_of(rows.begin(), rows.end(), [&](std::size_t row) {
        const std::string value = suite_.rows[row].row.value(key.name);
        return value.empty() || is_number_or_size(value);
      });
      made = {key.name, {key.name}, numeric};
    } else {
      made = published_column(key);
    }
    if (!heading.empty()) made.heading = heading;
    else if (!key.only.empty()) made.heading += ", " + key.only;
    if (const std::string values = values_of(key.only); !values.empty())
      for (std::string& name : made.keys) name += values;
    return made;
  }

  Column published_column(const ColumnKey& key) const {
    std::string name;  // without its placeholders
    for (std::size_t at = 0; at < key.name.size(); ++at) {
      if (key.name[at] == '{') at = std::min(key.name.find('}', at), key.name.size());
      else name += key.name[at];
    }
    name.erase(0, name.find_first_not_of('_'));
    const std::string csv = "published_" + name;
    switch (key.kind) {
      case ColumnKey::Kind::published_ratio:
        return {name + ", published, times baseline", {csv + "_ratio"}, true};
      case ColumnKey::Kind::published_step:
        return {name + ", published, times the previous", {csv + "_step"}, true};
      case ColumnKey::Kind::published_over_control:
        return {name + ", published, over the control", {csv + "_over_control_s"}, true};
      default:
        return {name + ", published", {csv}, published_ && (key.name != name || is_numeric(*published_, name))};
    }
  }

  // "_cold" of "cache=cold": what tells columns of one name apart in a CSV file.
  static std::string values_of(const std::string& only) {
    std::string values;
    for (std::size_t at = only.find('='); at != std::string::npos; at = only.find('=', at + 1))
      values += "_" + only.substr(at + 1, only.find(' ', at) - at - 1);
    return values;
  }

  Cell cell(const ColumnKey& key, const std::vector<std::size_t>& line, const TableSpec& spec, CellNotes& notes) const {
    std::vector<std::size_t> rows;
    for (const std::size_t row : line)
      if (is_shown(suite_.rows[row].row, key.only)) rows.push_back(row);
    if (rows.empty()) return {"–", {}};
    const std::size_t first = rows.front();
    using Kind = ColumnKey::Kind;
    if (key.kind == Kind::row_value || key.kind == Kind::published) {
      const std::string value =
          key.kind == Kind::published ? originals_.text(first, key.name) : suite_.rows[first].row.value(key.name);
      return {value.empty() ? "–" : value, {value}};
    }
    if (key.is_published()) return derived_cell(key, first, spec);
    Cell cell;
    std::set<std::string> seen;  // several only where a line tells sinks, regimes, sizes or trouble of its rows
    for (const std::size_t row : rows) {
      const Cell own = find_column(key.name)->cell(
          {suite_, result_, suite_.rows[row], result_.rows[row], check(row), spec, notes});
      if (!seen.insert(own.text).second) continue;
      if (seen.size() == 1) cell = own;
      else cell.text += "; " + own.text;
    }
    return cell;
  }

  // A published figure set in relation to another one.
  Cell derived_cell(const ColumnKey& key, std::size_t row, const TableSpec& spec) const {
    using Kind = ColumnKey::Kind;
    const std::optional<Estimate> found = key.kind == Kind::published_ratio  ? originals_.ratio(row, key.name)
                                          : key.kind == Kind::published_step ? originals_.step(row, key.name, spec.step)
                                                                             : originals_.over_control(row, key.name);
    if (!found) return {"–", {}};
    const Interval open{found->low, found->high, found->is_open() ? 1.0 : 0.0};
    const std::vector<std::string> fields{format_exact(found->value)};
    if (key.kind != Kind::published_over_control) return {ratio_words(found->value, open), fields};
    const std::string seconds = format_seconds(found->value);
    return {open.exists() ? fmt::format("{} [{}]", seconds, range_words(open, format_seconds)) : seconds, fields};
  }

  static bool has(const Selection& selection, const std::string& key) {
    return std::any_of(selection.columns.begin(), selection.columns.end(), [&](const ColumnKey& column) {
      return column.kind == ColumnKey::Kind::built_in && column.name == key;
    });
  }

  // How the numbers are to be read; one line an idea.
  void add_notes(Table& table, const Selection& selection) const {
    const std::vector<std::size_t> rows = selection.rows();
    std::set<std::string> words;
    for (const auto& [key, metric_name] : {std::pair{"wall_interval", "wall"},
                                           {"wall_with_interval", "wall"},
                                           {"mb_per_s_with_interval", "bytes_per_s"},
                                           {"operations_per_s_with_interval", "operations_per_s"}})
      for (const std::size_t row : rows)
        if (const std::string text = interval_words(result_.rows[row], metric_name); has(selection, key) && !text.empty())
          words.insert(text);
    if (!words.empty()) table.notes.push_back(fmt::format("interval of the median: {}", fmt::join(words, "; ")));
    const auto returns_early = [&](std::size_t row) {
      const Row& planned = suite_.rows[row].row;
      return !planned.sync && (planned.output == Output::file || planned.output == Output::over);
    };
    if (std::any_of(rows.begin(), rows.end(), returns_early))
      table.notes.push_back(
          "a time to a file is that until the copy returns, while its bytes may still be in memory; until they are on the "
          "device, only rows with `sync` tell");
    if (has(selection, "ratio") || has(selection, "cpu_times_baseline")) add_baseline_notes(table, selection);
    add_step_note(table, selection, rows);
    add_control_notes(table, selection, rows);
    const bool with_published = std::any_of(selection.columns.begin(), selection.columns.end(),
                                            [](const ColumnKey& key) { return key.is_published(); });
    if (with_published && published_) {
      add_uncertainty_note(table, selection);
      for (const std::string& note : published_->notes) table.notes.push_back("published: " + note);
    }
    if (with_published && !published_) table.notes.push_back(figures_not_found);
  }

  // "98.4 % each: 7 rounds", several joined.
  static std::string levels_words(const std::set<std::pair<std::size_t, double>>& levels) {
    std::vector<std::string> words;
    for (const auto& [rounds, level] : levels)
      words.push_back(fmt::format("{} each: {} round{}", format_percent(level), rounds, rounds == 1 ? "" : "s"));
    return fmt::format("{}", fmt::join(words, ", or "));
  }

  void add_step_note(Table& table, const Selection& selection, const std::vector<std::size_t>& rows) const {
    if (!has(selection, "step")) return;
    std::set<std::pair<std::size_t, double>> levels;
    for (const std::size_t row : rows)
      if (const auto step = step_from_previous(suite_, result_, row, selection.spec.step); step && step->interval.exists())
        levels.emplace(step->pairs, step->interval.level);
    const std::string words = levels_words(levels);
    table.notes.push_back(fmt::format(
        "a step is how many times as fast a row is as the one with the next smaller {}, paired by round{}",
        selection.spec.step, words.empty() ? ", without intervals" : ", signed-rank intervals of " + words));
  }

  void add_control_notes(Table& table, const Selection& selection, const std::vector<std::size_t>& rows) const {
    if (!has(selection, "over_control")) return;
    std::set<std::string> controls;
    std::set<std::pair<std::size_t, double>> levels;
    for (const std::size_t row : rows) {
      const TableSpec& spec = selection.spec;
      if (const auto control = row_of_group(suite_, suite_.rows[row].group, spec.minus))
        controls.insert(suite_.rows[*control].row.label);
      const auto over = difference_to(suite_, result_, row, spec.minus, "wall_per_copy");
      if (over && over->interval.exists()) levels.emplace(over->pairs, over->interval.level);
    }
    const std::string words = levels_words(levels);
    table.notes.push_back(fmt::format("over the control: wall time per copy less that of {}, paired by round{}",
                                      fmt::join(controls, ", "),
                                      words.empty() ? ", without intervals" : ", signed-rank intervals of " + words));
  }

  void add_uncertainty_note(Table& table, const Selection& selection) const {
    std::set<std::string> why;
    for (const ColumnKey& key : selection.columns)
      if (key.is_published() && key.kind != ColumnKey::Kind::published)
        for (const std::size_t row : selection.rows())
          if (const std::string text = originals_.uncertainty(fill_in(key.name, suite_.rows[row].row)); !text.empty())
            why.insert(text);
    if (!why.empty())
      table.notes.push_back(fmt::format("brackets behind a published figure: what {} leaves open",
                                        fmt::join(why, " or ")));
  }

  // The intervals of one group's ratios that a selection shows, and how many rounds each comes from.
  std::set<std::pair<std::size_t, double>> ratio_levels(std::size_t group, const Selection& selection) const {
    std::set<std::pair<std::size_t, double>> levels;
    const auto add = [&](const std::optional<PairedRatio>& ratio) {
      if (ratio && ratio->interval.exists()) levels.emplace(ratio->pairs, ratio->interval.level);
    };
    for (const std::size_t row : selection.rows()) {
      if (suite_.rows[row].group != group) continue;
      if (has(selection, "ratio") && result_.rows[row].not_a_copy.empty())
        add(result_.rows[row].against_baseline);
      if (has(selection, "cpu_times_baseline")) add(cpu_to_baseline(suite_, result_, row));
    }
    return levels;
  }

  // ", paired by round, signed-rank intervals of 98.4 % each: 7 rounds, 3 comparisons"
  std::string level_words(std::size_t group, const Selection& selection) const {
    const std::string words = levels_words(ratio_levels(group, selection));
    if (words.empty()) return ", without intervals";
    const std::size_t comparisons = suite_.groups[group].comparisons();
    return fmt::format(", paired by round, signed-rank intervals of {}, {} comparison{}", words, comparisons,
                       comparisons == 1 ? "" : "s");
  }

  // What ratios are to, once for all groups of which the same is said; then the noise floor of each.
  void add_baseline_notes(Table& table, const Selection& selection) const {
    std::set<std::size_t> groups;
    for (const std::size_t row : selection.rows())
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
  const Originals originals_;
};

}  // namespace

std::vector<Table> suite_tables(const PlannedSuite& suite, const SuiteResult& result,
                                const std::vector<RowCheck>& checks, const std::optional<PublishedTable>& published) {
  const TableMaker maker(suite, result, checks, published);
  std::vector<Table> tables;
  for (const TableSpec& spec : suite.experiment.tables)
    tables.push_back(spec.pairs            ? pair_table(suite, result, spec)
                     : spec.published_only ? maker.make_published(spec)
                                           : maker.make(maker.specified(spec)));
  if (tables.empty())
    for (const Group& group : suite.groups) tables.push_back(maker.make(maker.standard(group)));
  return tables;
}

}  // namespace iobench
