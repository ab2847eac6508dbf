// SPDX-License-Identifier: MIT
#include "suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <set>

#include "system.h"
#include "units.h"

namespace iobench {

const std::vector<std::string>& metric_names() {
  static const std::vector<std::string> all = {
      "wall",         "return",        "delivered",       "durable",          "cpu",
      "user",         "system",        "bytes_per_s",     "operations_per_s", "wall_per_copy",
      "cpu_per_copy", "user_per_copy", "system_per_copy", "cpu_per_byte",     "peak_memory",
      "device_read"};
  return all;
}

const std::vector<std::string>& plot_kinds() {
  static const std::vector<std::string> all = {"sweep", "bars", "fit"};
  return all;
}

namespace {

const std::vector<std::string> suite_keys = {"title",     "question", "discussion", "size",  "group", "baseline",
                                             "published", "in_bench", "row",        "claim", "table", "plot",  "open_question"};

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "VARIABLE=VALUE and VARIABLE=VALUE" taken apart; a variable is empty where there is no "=".
Pairs conditions_of(const std::string& only) {
  constexpr std::string_view both = " and ";
  Pairs found;
  for (std::size_t begin = 0; !only.empty() && begin <= only.size();) {
    const std::size_t end = std::min(only.find(both, begin), only.size());
    const std::string part = only.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos)
      found.emplace_back("", part);
    else
      found.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    begin = end + both.size();
  }
  return found;
}

// "64K" and "65536" are the same; so are equal texts.
bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto digit = [](const std::string& text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; };
  if (!digit(a) || !digit(b)) return false;
  try {
    return parse_size(a) == parse_size(b);
  } catch (const Error&) {
    return false;  // two different texts that are not both sizes
  }
}

std::size_t matching_lines(const Published& published, const PublishedTable& table, const Row& row, std::size_t& last) {
  std::size_t matches = 0;
  if (!is_shown(row, published.only)) return 0;
  for (std::size_t line = 0; line < table.rows.size(); ++line) {
    const bool all = std::all_of(published.match.begin(), published.match.end(), [&](const auto& pair) {
      const auto column = std::find(table.columns.begin(), table.columns.end(), pair.first);
      return column != table.columns.end() &&
             same_value(table.rows[line][static_cast<std::size_t>(column - table.columns.begin())],
                        fill_in(pair.second, row));
    });
    if (!all) continue;
    ++matches;
    last = line;
  }
  return matches;
}

// Reads one suite file: first what the file says apart from its rows, so that the variables it mentions are known, then
// the rows, then whether both fit together.
class SuiteReader {
 public:
  SuiteReader(const std::filesystem::path& path, const Toolbox& toolbox)
      : toolbox_(toolbox), root_(load_document(path)) {
    suite_.path = path;
    suite_.name = path.stem().string();
  }

  Experiment read() {
    check_name(root_.place, "suite", suite_.name);
    root_.allow_only(suite_keys);
    read_head();
    read_published();
    for (const Value* table : root_.tables_at("table")) read_table(*table);
    for (const Value* plot : root_.tables_at("plot")) read_plot(*plot);
    read_rows();
    check_group_and_baseline();
    check_published();
    for (const Value* claim : root_.tables_at("claim")) suite_.claims.push_back(load_claim(*claim, suite_.rows));
    const std::vector<const Value*> tables = root_.tables_at("table");
    for (std::size_t i = 0; i < tables.size(); ++i) check_table(*tables[i], suite_.tables[i]);
    const std::vector<const Value*> plots = root_.tables_at("plot");
    for (std::size_t i = 0; i < plots.size(); ++i) check_plot(*plots[i], suite_.plots[i]);
    for (const Value* question : root_.tables_at("open_question")) read_question(*question);
    return std::move(suite_);
  }

 private:
  void read_head() {
    suite_.title = root_.need_text("title");
    suite_.question = root_.need_text("question");
    suite_.discussion = root_.text_at("discussion");
    suite_.in_bench = root_.flag_at("in_bench", true);
    suite_.group = root_.texts_at("group");
    suite_.baseline = root_.pairs_at("baseline");
    mentioned_.insert(suite_.group.begin(), suite_.group.end());
    for (const auto& [variable, value] : suite_.baseline) mentioned_.insert(variable);
  }

  void read_published() {
    const Value* table = root_.find("published");
    if (!table) return;
    if (table->kind != Value::Kind::table) fail(table->place, "'published' must be a table: [published]");
    table->allow_only({"file", "match", "only", "units", "rounding", "errors", "group", "minus"});
    Published published;
    published.file = table->need_text("file");
    const Place& place = table->need("file").place;
    check_name(place, "published file", published.file);
    const std::filesystem::path csv = suite_.path.parent_path().parent_path() / "published" / published.file;
    if (!std::filesystem::exists(csv))
      fail(place, fmt::format("no published figures '{}' beside the suites", published.file));
    figures_ = load_published(csv);
    published.match = table->pairs_at("match");
    if (table->find("match") && published.match.empty())
      fail(table->need("match").place, "'match' is empty: every row would match");
    for (const auto& [column, text] : published.match) {
      need_published_column(table->need("match").place, column);
      for (const std::string& name : placeholders(text, table->need("match").place)) mentioned_.insert(name);
    }
    published.only = table->text_at("only");
    for (const auto& [variable, value] : conditions_of(published.only)) mentioned_.insert(variable);
    published.units = read_factors(*table, "units");
    published.rounding = read_factors(*table, "rounding");
    published.errors = table->pairs_at("errors");
    for (const auto& [column, error] : published.errors)
      for (const std::string& name : {column, error}) need_published_column(table->need("errors").place, name);
    published.group = table->texts_at("group");
    for (const std::string& column : published.group) need_published_column(table->need("group").place, column);
    published.minus = table->pairs_at("minus");
    for (const auto& [column, value] : published.minus) {
      need_published_column(table->need("minus").place, column);
      need_published_cell(table->need("minus").place, column, value);
    }
    suite_.published = published;
  }

  void need_published_column(const Place& place, const std::string& column) const {
    if (!contains(figures_.columns, column))
      fail(place, fmt::format("unknown published column '{}'{}", column, suggestion(column, figures_.columns)));
  }

  // { COLUMN = 0.05 }: columns of the CSV, numbers above 0.
  Factors read_factors(const Value& table, const std::string& key) const {
    Factors factors;
    table.pairs_at(key);  // says what is wrong with anything but a table of scalars
    if (!table.find(key)) return factors;
    for (const Entry& entry : table.need(key).entries) {
      need_published_column(entry.place, entry.key);
      factors.emplace_back(entry.key, table.need(key).number_at(entry.key, 0));
      if (factors.back().second == 0) fail(entry.place, fmt::format("'{}' must be above 0", entry.key));
    }
    return factors;
  }

  void need_published_cell(const Place& place, const std::string& column, const std::string& value) const {
    const auto at = static_cast<std::size_t>(
        std::find(figures_.columns.begin(), figures_.columns.end(), column) - figures_.columns.begin());
    std::vector<std::string> known;
    for (const std::vector<std::string>& line : figures_.rows) {
      if (line[at] == value) return;
      if (!contains(known, line[at])) known.push_back(line[at]);
    }
    fail(place, fmt::format("no published {} is '{}'{}", column, value, suggestion(value, known)));
  }

  void read_table(const Value& table) {
    table.allow_only({"title", "columns", "headings", "only", "lines", "step", "minus", "published_only"});
    TableSpec spec;
    spec.title = table.need_text("title");
    spec.published_only = table.flag_at("published_only", false);
    if (!spec.published_only) table.need("columns");
    spec.columns = table.texts_at("columns");
    if (table.find("columns") && spec.columns.empty())
      fail(table.need("columns").place, "'columns' is an empty list");
    if (spec.published_only)
      for (const char* key : {"only", "lines", "step", "minus"})
        if (table.find(key))
          fail(table.need(key).place, fmt::format("a table with 'published_only' has no '{}': it has no rows of ours", key));
    spec.headings = table.texts_at("headings");
    if (spec.columns.empty() && !spec.headings.empty())
      fail(table.need("headings").place, "'headings' need 'columns': one heading for each");
    if (!spec.headings.empty() && spec.headings.size() != spec.columns.size())
      fail(table.need("headings").place,
           fmt::format("{} headings for {} columns", spec.headings.size(), spec.columns.size()));
    spec.only = table.text_at("only");
    spec.lines = table.texts_at("lines");
    spec.step = table.text_at("step");
    spec.minus = table.pairs_at("minus");
    mention(spec.only);
    mention(spec.minus);
    mentioned_.insert(spec.lines.begin(), spec.lines.end());
    if (!spec.step.empty()) mentioned_.insert(spec.step);
    for (const std::string& column : spec.columns) {
      const ColumnKey key = parse_column_key(column);
      mention(key.only);
      if (key.kind == ColumnKey::Kind::row_value) mentioned_.insert(key.name);
      if (key.is_published())
        for (const std::string& name : placeholders(key.name, table.need("columns").place)) mentioned_.insert(name);
    }
    suite_.tables.push_back(spec);
  }

  void mention(const Pairs& pairs) {
    for (const auto& [variable, value] : pairs) mentioned_.insert(variable);
  }
  void mention(const std::string& only) { mention(conditions_of(only)); }

  void read_plot(const Value& table) {
    table.allow_only({"name", "kind", "title", "x", "y", "x_label", "y_label", "series", "published",
                      "published_lines", "only", "relative", "minus", "log"});
    PlotSpec spec;
    spec.name = table.need_text("name");
    check_name(table.need("name").place, "plot", spec.name);
    for (const PlotSpec& other : suite_.plots)
      if (other.name == spec.name) fail(table.need("name").place, fmt::format("plot '{}' is there twice", spec.name));
    spec.kind = table.need_text("kind");
    need_word(table, "kind", spec.kind, "plot kind", plot_kinds());
    spec.title = table.need_text("title");
    if (spec.kind == "fit") {  // of wall time over blocks, and nothing else
      refuse(table, spec.kind,
             {"x", "y", "x_label", "y_label", "series", "published", "published_lines", "relative", "minus", "log"});
      spec.x = "block";
      spec.y = "wall";
    } else {
      spec.x = spec.kind == "bars" ? table.text_at("x", "label") : table.need_text("x");
      spec.y = table.need_text("y");
      need_word(table, "y", spec.y, "metric", metric_names());
    }
    spec.series = table.texts_at("series");
    spec.published = table.text_at("published");
    spec.only = table.text_at("only");
    spec.relative = table.flag_at("relative", false);
    if (spec.kind == "sweep") refuse(table, spec.kind, {"published_lines", "minus"});
    if (spec.kind == "bars") refuse(table, spec.kind, {"x_label", "log"});
    spec.x_label = table.text_at("x_label");
    spec.y_label = table.text_at("y_label");
    spec.published_lines = table.text_at("published_lines");
    spec.minus = table.pairs_at("minus");
    spec.log = table.flag_at("log", false);
    if (spec.relative && !spec.minus.empty())
      fail(table.need("minus").place, "'minus' and 'relative' cannot go together: a difference or a multiple");
    mentioned_.insert(spec.x);
    mentioned_.insert(spec.series.begin(), spec.series.end());
    mention(spec.only);
    mention(spec.minus);
    if (!spec.published.empty())
      for (const std::string& name : placeholders(spec.published, table.need("published").place)) mentioned_.insert(name);
    suite_.plots.push_back(spec);
  }

  void read_question(const Value& table) {
    table.allow_only({"asks", "answer"});
    const QuestionSpec spec{table.need_text("asks"), table.need_text("answer")};
    const Place& place = table.need("answer").place;
    for (const std::string& text : placeholders(spec.answer, place)) check_answer_place(place, text);
    suite_.questions.push_back(spec);
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

  void need_row(const Place& place, const std::string& name) const {
    std::vector<std::string> known;
    for (const Row& row : suite_.rows) known.push_back(row.name);
    if (!contains(known, name)) fail(place, fmt::format("unknown row '{}'{}", name, suggestion(name, known)));
  }

  static void refuse(const Value& table, const std::string& kind, const std::vector<const char*>& keys) {
    for (const char* key : keys)
      if (table.find(key))
        fail(table.need(key).place, fmt::format("a figure of kind '{}' has no '{}'", kind, key));
  }

  static void need_word(const Value& table, const std::string& key, const std::string& word, const std::string& what,
                        const std::vector<std::string>& known) {
    if (!contains(known, word))
      fail(table.need(key).place, fmt::format("unknown {} '{}'{}", what, word, suggestion(word, known)));
  }

  void read_rows() {
    const std::vector<const Value*> tables = root_.tables_at("row");
    if (tables.empty()) fail(root_.place, "no [[row]]: there is nothing to run");
    std::map<std::string, int> lines;
    for (const Value* table : tables)
      for (Row& row : load_rows(*table, toolbox_, mentioned_, root_.find("size"))) {
        const auto [first, is_new] = lines.emplace(row.name, row.line);
        if (!is_new)
          fail(table->need("name").place,
               fmt::format("row '{}' is there twice{}", row.name,
                           first->second == row.line ? ": its name must hold every list, like {block}"
                                                     : fmt::format(": first at line {}", first->second)));
        suite_.rows.push_back(std::move(row));
      }
  }

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

  void check_group_and_baseline() const {
    for (const std::string& variable : suite_.group) need_variable(root_.need("group").place, "group", variable);
    for (const auto& [variable, value] : suite_.baseline) {
      const Place& place = root_.need("baseline").place;
      need_variable(place, "baseline", variable);
      need_value(place, "baseline", variable, value);
    }
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

  void check_published() const {
    if (!suite_.published || suite_.published->match.empty()) return;
    const Place& place = root_.need("published").need("match").place;
    for (const auto& [column, text] : suite_.published->match)
      for (const std::string& name : placeholders(text, place)) need_variable(place, "match", name);
    check_only(*root_.find("published"), suite_.published->only);
    std::size_t matched = 0;
    for (const Row& row : suite_.rows) {
      std::size_t last = 0;
      const std::size_t matches = matching_lines(*suite_.published, figures_, row, last);
      if (matches > 1)
        fail(place, fmt::format("row '{}' matches {} rows of {}", row.name, matches, suite_.published->file));
      matched += matches;
    }
    if (matched == 0) fail(place, fmt::format("no row matches any row of {}", suite_.published->file));
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
    if (names.empty()) need_published_column(place, column);
    for (const std::string& name : names) need_variable(place, column, name);
    for (const Row& row : suite_.rows)
      if (!names.empty() && is_shown(row, only) && is_shown(row, where)) need_published_column(place, fill_in(column, row));
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

  void check_table(const Value& table, const TableSpec& spec) const {
    if (spec.published_only) {
      if (!suite_.published) fail(table.need("published_only").place, "'published_only', but there is no [published]");
      for (const std::string& column : spec.columns) {
        const ColumnKey key = parse_column_key(column);
        if (key.kind != ColumnKey::Kind::published || !key.only.empty())
          fail(table.need("columns").place,
               fmt::format("'{}': a table with 'published_only' has columns like \"published.{}\"", column,
                           figures_.columns.front()));
        need_published_column(table.need("columns").place, key.name);
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

  // Every line of the CSV as a bar of its own: its name is made of the CSV's columns.
  void check_published_lines(const Value& table, const PlotSpec& spec) const {
    const Place& place = table.need("published_lines").place;
    if (!suite_.published) fail(place, "'published_lines', but there is no [published]");
    need_published_column(table.need("published").place, spec.published);
    if (spec.relative) fail(place, "'published_lines' and 'relative' cannot go together: no row of ours is beside a line");
    const std::vector<std::string> names = placeholders(spec.published_lines, place);
    if (names.empty()) fail(place, "'published_lines' names each line by its columns, like \"{program}, 1985\"");
    for (const std::string& column : names) need_published_column(place, column);
  }

  static void need_size(const Place& place, const Row& row, const std::string& variable) {
    try {
      parse_size(row.value(variable));
    } catch (const Error& error) {
      fail(place, fmt::format("row '{}' has no size as its {}: {}", row.name, variable, error.what()));
    }
  }

  const Toolbox& toolbox_;
  const Value root_;
  Experiment suite_;
  PublishedTable figures_;
  std::set<std::string> mentioned_;
};

}  // namespace

Experiment load_experiment(const std::filesystem::path& suite_toml, const Toolbox& toolbox) {
  return SuiteReader(suite_toml, toolbox).read();
}

Experiment load_suite(const std::filesystem::path& data, const std::string& name, const Toolbox& toolbox) {
  const std::vector<std::string> names = suite_names(data);
  if (!contains(names, name)) throw Error(fmt::format("unknown suite '{}'{}", name, suggestion(name, names)), 2);
  return load_experiment(data / "suites" / (name + ".toml"), toolbox);
}

namespace {

// "perlman-1985": "1985"; other names come after all years.
std::string year_of(const std::string& name) {
  const std::size_t dash = name.rfind('-');
  const std::string last = dash == std::string::npos ? "" : name.substr(dash + 1);
  const bool is_year = last.size() == 4 && last.find_first_not_of("0123456789") == std::string::npos;
  return is_year ? last : "none";
}

}  // namespace

std::vector<std::string> suite_names(const std::filesystem::path& data) {
  std::vector<std::string> names;
  std::error_code code;
  std::filesystem::directory_iterator entries(data / "suites", code);
  if (code) throw_errno(fmt::format("open {}", (data / "suites").string()), code.value());
  for (const std::filesystem::directory_entry& entry : entries)
    if (entry.path().extension() == ".toml" && entry.is_regular_file()) names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(year_of(a), a) < std::pair(year_of(b), b);
  });
  return names;
}

AnswerPlace answer_place(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  const bool by = words.size() == 3 && (words[0] == "served" || words[0] == "refused") && words[1] == "by";
  const bool of = words.size() == 3 && words[1] == "of";
  if (by || of) return {words[0], words[2], ""};
  if (words.size() == 5 && words[1] == "of" && words[3] == "over") return {words[0], words[2], words[4]};
  return {};
}

bool has_values(const Row& row, const Pairs& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const auto& pair) { return row.matches(pair.first, pair.second); });
}

bool is_shown(const Row& row, const std::string& only) {
  return has_values(row, conditions_of(only));
}

std::optional<std::size_t> published_line(const Published& published, const PublishedTable& table, const Row& row) {
  std::size_t line = 0;
  if (published.match.empty() || matching_lines(published, table, row, line) != 1) return std::nullopt;
  return line;
}

std::string published_value(const Published& published, const PublishedTable& table, const Row& row,
                            const std::string& column) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), column);
  const std::optional<std::size_t> line = published_line(published, table, row);
  if (found == table.columns.end() || !line) return {};
  return table.rows[*line][static_cast<std::size_t>(found - table.columns.begin())];
}

}  // namespace iobench
