// SPDX-License-Identifier: MIT
#include "suite_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "system.h"
#include "units.h"

namespace iobench {

namespace {

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class SuiteCheck {
 public:
  SuiteCheck(const Value& root, const Experiment& suite, const PublishedTable& figures)
      : root_(root), suite_(suite), figures_(figures) {}

  void check_group_and_baseline() const {
    for (const std::string& variable : suite_.group) need_variable(root_.need("group").place, "group", variable);
    for (const auto& [variable, value] : suite_.baseline) {
      const Place& place = root_.need("baseline").place;
      need_variable(place, "baseline", variable);
      need_value(place, "baseline", variable, value);
    }
  }

  void check_published() const {
    if (!suite_.published || suite_.published->match.empty()) return;
    const Place& place = root_.need("published").need("match").place;
    for (const auto& [column, text] : suite_.published->match)
      for (const std::string& name : placeholders(text, place)) need_variable(place, "match", name);
    check_only(*root_.find("published"), suite_.published->only);
    std::size_t matched = 0;
    for (const Row& row : suite_.rows) {
      const std::size_t matches = matching_lines(*suite_.published, figures_, row).size();
      if (matches > 1)
        fail(place, fmt::format("row '{}' matches {} rows of {}", row.name, matches, suite_.published->file));
      matched += matches;
    }
    if (matched == 0) fail(place, fmt::format("no row matches any row of {}", suite_.published->file));
  }

  void check_table(const Value& table, const TableSpec& spec) const {
    if (spec.published_only) {
      if (!suite_.published) fail(table.need("published_only").place, "'published_only', but there is no [published]");
      for (const std::string& column : spec.columns) {
        const ColumnKey key = parse_column_key(column);
        if (key.kind != ColumnKey::Kind::published || !key.only.empty())
          fail(table.need("columns").place,
               fmt::format("'{}': a table with 'published_only' has columns like \"published.{}\"", column,
                           figures_.columns.front()));
        need_published_column(figures_, table.need("columns").place, key.name);
      }
      return;
    }
    check_only(table, spec.only);
    for (const std::string& column : spec.columns) check_column(table, spec, column);
    check_lines(table, spec);
    check_minus(table, spec.minus, spec.only);
    if (!spec.step.empty()) need_variable(table.need("step").place, "step", spec.step);
    for (const Row& row : suite_.rows)
      if (!spec.step.empty() && is_shown(row, spec.only)) need_size(table.need("step").place, row, spec.step);
  }

  void check_plot(const Value& table, const PlotSpec& spec) const {
    check_only(table, spec.only);
    check_minus(table, spec.minus, spec.only);
    const Place& x = table.find("x") ? table.need("x").place : table.place;
    need_variable(x, "x", spec.x);
    for (const std::string& variable : spec.series) need_variable(table.need("series").place, "series", variable);
    if (!spec.published_lines.empty()) check_published_lines(table, spec);
    else if (!spec.published.empty()) need_published(table.need("published").place, spec.published, spec.only);
    if (spec.relative && suite_.baseline.empty())
      fail(table.need("relative").place, "'relative' is against the baseline, but there is no 'baseline'");
    if (!spec.minus.empty() && !spec.published.empty() && suite_.published->minus.empty())
      fail(table.need("published").place, "figures less a control need the published control: 'minus' of [published]");
    if (spec.kind == "sweep" || spec.kind == "fit")
      for (const Row& row : suite_.rows)
        if (is_shown(row, spec.only)) need_size(x, row, spec.x);
  }

  void check_question(const Value& table, const QuestionSpec& spec) const {
    const Place& place = table.need("answer").place;
    for (const std::string& text : placeholders(spec.answer, place)) check_answer_place(place, text);
  }

 private:
  // A variable that at least one row has.
  void need_variable(const Place& place, const std::string& what, const std::string& variable) const {
    std::vector<std::string> known;
    for (const Row& row : suite_.rows) {
      if (!row.value(variable).empty()) return;
      for (const auto& [name, value] : row.values)
        if (!contains(known, name)) known.push_back(name);
    }
    known.insert(known.end(), row_values().begin(), row_values().end());
    fail(place, fmt::format("unknown variable '{}' in '{}'{}", variable, what, suggestion(variable, known)));
  }

  // At least one row has this value; otherwise it is misspelt.
  void need_value(const Place& place, const std::string& what, const std::string& variable,
                  const std::string& value) const {
    std::vector<std::string> known;
    for (const Row& row : suite_.rows) {
      const std::string present = row.value(variable);
      if (row.matches(variable, value)) return;
      if (!present.empty() && !contains(known, present)) known.push_back(present);
    }
    fail(place, fmt::format("no row has {} '{}' of '{}'{}", variable, value, what, suggestion(value, known)));
  }

  void need_row(const Place& place, const std::string& name) const {
    std::vector<std::string> known;
    for (const Row& row : suite_.rows) known.push_back(row.name);
    if (!contains(known, name)) fail(place, fmt::format("unknown row '{}'{}", name, suggestion(name, known)));
  }

  void check_answer_place(const Place& place, const std::string& text) const {
    static const std::vector<std::string> counted = {"calls_per_mib", "program_bytes", "instructions_per_byte", "cpu_ns_per_byte",
                                                     "link_speed",    "outcome",       "served",                "refused"};
    const AnswerPlace found = answer_place(text);
    if (found.kind.empty())
      fail(place, fmt::format("'{{{}}}' must be like {{wall of ROW}}, {{wall of ROW over ROW}} or {{served by METHOD}}", text));
    std::vector<std::string> kinds = counted;
    kinds.insert(kinds.end(), metric_names().begin(), metric_names().end());
    if (!contains(kinds, found.kind))
      fail(place, fmt::format("unknown figure '{}' in '{{{}}}'{}", found.kind, text, suggestion(found.kind, kinds)));
    if (!found.other.empty() && contains(counted, found.kind))
      fail(place, fmt::format("'{}' in '{{{}}}' is of one row: no 'over'", found.kind, text));
    if (found.kind == "served" || found.kind == "refused") return need_value(place, "answer", "method", found.row);
    for (const std::string& row : {found.row, found.other})
      if (!row.empty()) need_row(place, row);
  }

  void check_only(const Value& table, const std::string& only) const {
    if (!only.empty()) check_conditions(table.need("only").place, "only", only);
  }

  void check_conditions(const Place& place, const std::string& what, const std::string& only) const {
    for (const auto& [variable, value] : conditions_of(only)) {
      if (variable.empty())
        fail(place, fmt::format("'{}' must be like \"output=null\" or \"output=null and cache=warm\", not '{}'", what, only));
      need_variable(place, what, variable);
      need_value(place, what, variable, value);
    }
  }

  // A column of the CSV beside the rows shown, with its {placeholders} filled in.
  void need_published(const Place& place, const std::string& column, const std::string& only,
                      const std::string& where = {}) const {
    if (!suite_.published) fail(place, fmt::format("'{}' is a published column, but there is no [published]", column));
    if (suite_.published->match.empty())
      fail(place, fmt::format("'{}' stands beside a row, but [published] has no 'match'", column));
    const std::vector<std::string> names = placeholders(column, place);
    if (names.empty()) need_published_column(figures_, place, column);
    for (const std::string& name : names) need_variable(place, column, name);
    for (const Row& row : suite_.rows)
      if (!names.empty() && is_shown(row, only) && is_shown(row, where)) need_published_column(figures_, place, fill_in(column, row));
  }

  bool in_one_group(const Row& a, const Row& b) const {
    return std::all_of(suite_.group.begin(), suite_.group.end(),
                       [&](const std::string& variable) { return a.value(variable) == b.value(variable); });
  }

  // Exactly one row in the group of each row shown.
  void check_minus(const Value& table, const Pairs& minus, const std::string& only) const {
    if (minus.empty()) return;
    const Place& place = table.need("minus").place;
    for (const auto& [variable, value] : minus) {
      need_variable(place, "minus", variable);
      need_value(place, "minus", variable, value);
    }
    for (const Row& row : suite_.rows) {
      if (!is_shown(row, only)) continue;
      const auto controls = std::count_if(suite_.rows.begin(), suite_.rows.end(), [&](const Row& other) {
        return in_one_group(row, other) && has_values(other, minus);
      });
      if (controls != 1)
        fail(place, fmt::format("'minus' picks {} rows in the group of '{}': one is needed", controls, row.name));
    }
  }

  void check_column(const Value& table, const TableSpec& spec, const std::string& column) const {
    const Place& place = table.need("columns").place;
    const ColumnKey key = parse_column_key(column);
    check_conditions(place, column, key.only);
    const bool steps = key.kind == ColumnKey::Kind::published_step || key.name == "step";
    if (key.is_published()) need_published(place, key.name, spec.only, key.only);
    if (key.kind == ColumnKey::Kind::row_value) need_variable(place, column, key.name);
    if (key.kind == ColumnKey::Kind::built_in && !contains(column_keys(), key.name))
      fail(place, fmt::format("unknown column '{}'{}", key.name, suggestion(key.name, column_keys())));
    if (steps && spec.step.empty())
      fail(place, fmt::format("'{}' needs to know along what: step = \"VARIABLE\"", column));
    if (key.kind == ColumnKey::Kind::built_in && key.name == "over_control" && spec.minus.empty())
      fail(place, fmt::format("'{}' needs to know the control: minus = {{ VARIABLE = \"VALUE\" }}", column));
    if (key.kind == ColumnKey::Kind::published_over_control && suite_.published->minus.empty())
      fail(place, fmt::format("'{}' needs to know the published control: 'minus' of [published]", column));
    if (key.kind == ColumnKey::Kind::published_ratio && suite_.baseline.empty())
      fail(place, fmt::format("'{}' is against the baseline, but there is no 'baseline'", column));
  }

  // A cell of a line that stands for several rows must be of one of them, or the same for all.
  void check_lines(const Value& table, const TableSpec& spec) const {
    for (const std::string& variable : spec.lines) need_variable(table.need("lines").place, "lines", variable);
    if (spec.lines.empty()) return;
    for (const std::string& column : spec.columns) {
      const ColumnKey key = parse_column_key(column);
      std::map<std::string, const Row*> first;
      for (const Row& row : suite_.rows) {
        if (!is_shown(row, spec.only) || !is_shown(row, key.only)) continue;
        const auto [place, is_new] = first.emplace(line_of(spec, row), &row);
        if (is_new || cell_of(key, *place->second) == cell_of(key, row)) continue;
        fail(table.need("columns").place,
             fmt::format("'{}' is of both '{}' and '{}', which share a line: say \"{} where VARIABLE=VALUE\"", column,
                         place->second->name, row.name, column));
      }
    }
  }

  static std::string line_of(const TableSpec& spec, const Row& row) {
    std::string values;
    for (const std::string& variable : spec.lines) values += row.value(variable) + "\n";
    return values;
  }

  // What tells two rows' cells apart before anything is measured.
  std::string cell_of(const ColumnKey& key, const Row& row) const {
    if (key.kind == ColumnKey::Kind::row_value) return row.value(key.name);
    if (key.kind == ColumnKey::Kind::published)
      return published_value(*suite_.published, figures_, row, fill_in(key.name, row));
    return row.name;
  }

  // Every line of the CSV as a bar of its own: its name is made of the CSV's columns.
  void check_published_lines(const Value& table, const PlotSpec& spec) const {
    const Place& place = table.need("published_lines").place;
    if (!suite_.published) fail(place, "'published_lines', but there is no [published]");
    need_published_column(figures_, table.need("published").place, spec.published);
    if (spec.relative) fail(place, "'published_lines' and 'relative' cannot go together: no row of ours is beside a line");
    const std::vector<std::string> names = placeholders(spec.published_lines, place);
    if (names.empty()) fail(place, "'published_lines' names each line by its columns, like \"{program}, 1985\"");
    for (const std::string& column : names) need_published_column(figures_, place, column);
  }

  static void need_size(const Place& place, const Row& row, const std::string& variable) {
    try {
      parse_size(row.value(variable));
    } catch (const Error& error) {
      fail(place, fmt::format("row '{}' has no size as its {}: {}", row.name, variable, error.what()));
    }
  }

  const Value& root_;
  const Experiment& suite_;
  const PublishedTable& figures_;
};

}  // namespace

void need_published_column(const PublishedTable& figures, const Place& place, const std::string& column) {
  if (!contains(figures.columns, column))
    fail(place, fmt::format("unknown published column '{}'{}", column, suggestion(column, figures.columns)));
}

void check_rows_named(const Value& root, const Experiment& suite, const PublishedTable& figures) {
  const SuiteCheck check(root, suite, figures);
  check.check_group_and_baseline();
  check.check_published();
}

void check_shown(const Value& root, const Experiment& suite, const PublishedTable& figures) {
  const SuiteCheck check(root, suite, figures);
  const auto each = [&](const char* key, const auto& specs, auto method) {
    const std::vector<const Value*> tables = root.tables_at(key);
    for (std::size_t i = 0; i < tables.size(); ++i) (check.*method)(*tables[i], specs[i]);
  };
  each("table", suite.tables, &SuiteCheck::check_table);
  each("plot", suite.plots, &SuiteCheck::check_plot);
  each("open_question", suite.questions, &SuiteCheck::check_question);
}

}  // namespace iobench
