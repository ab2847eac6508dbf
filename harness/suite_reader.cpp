// SPDX-License-Identifier: MIT
// Reading one suite file: first what it says apart from its rows, so that the variables it mentions are known, then the
// rows. Whether both fit together is for suite_check to say.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "suite.h"
#include "suite_check.h"
#include "system.h"

namespace iobench {

namespace {

const std::vector<std::string> suite_keys = {"title",     "question", "discussion", "size",  "group", "baseline",
                                             "published", "in_bench", "row",        "claim", "table", "plot",  "open_question"};

bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class SuiteReader {
 public:
  SuiteReader(const std::filesystem::path& path, const Toolbox& toolbox, const SuiteOptions& options)
      : toolbox_(toolbox), options_(options), root_(load_document(path)) {
    if (options_.published.empty()) options_.published = path.parent_path().parent_path() / "published";
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
    for (const Value* question : root_.tables_at("open_question"))
      suite_.questions.push_back(read_question(*question));
    check_rows_named(root_, suite_, figures_);
    for (const Value* claim : root_.tables_at("claim")) suite_.claims.push_back(load_claim(*claim, suite_.rows));
    check_shown(root_, suite_, figures_);
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
    const std::filesystem::path csv = options_.published / published.file;
    if (!std::filesystem::exists(csv))
      fail(place, fmt::format("no published figures '{}' beside the suites", published.file));
    figures_ = load_published(csv);
    published.match = table->pairs_at("match");
    if (table->find("match") && published.match.empty())
      fail(table->need("match").place, "'match' is empty: every row would match");
    for (const auto& [column, text] : published.match) {
      need_published_column(figures_, table->need("match").place, column);
      for (const std::string& name : placeholders(text, table->need("match").place)) mentioned_.insert(name);
    }
    published.only = table->text_at("only");
    for (const auto& [variable, value] : conditions_of(published.only)) mentioned_.insert(variable);
    published.units = read_factors(*table, "units");
    published.rounding = read_factors(*table, "rounding");
    published.errors = table->pairs_at("errors");
    for (const auto& [column, error] : published.errors)
      for (const std::string& name : {column, error}) need_published_column(figures_, table->need("errors").place, name);
    published.group = table->texts_at("group");
    for (const std::string& column : published.group) need_published_column(figures_, table->need("group").place, column);
    published.minus = table->pairs_at("minus");
    for (const auto& [column, value] : published.minus) {
      need_published_column(figures_, table->need("minus").place, column);
      need_published_cell(table->need("minus").place, column, value);
    }
    suite_.published = published;
  }

  // { COLUMN = 0.05 }: columns of the CSV, numbers above 0.
  Factors read_factors(const Value& table, const std::string& key) const {
    Factors factors;
    table.pairs_at(key);  // says what is wrong with anything but a table of scalars
    if (!table.find(key)) return factors;
    for (const Entry& entry : table.need(key).entries) {
      need_published_column(figures_, entry.place, entry.key);
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
    table.allow_only({"title", "columns", "headings", "only", "lines", "step", "minus", "published_only", "kind"});
    TableSpec spec;
    spec.title = table.need_text("title");
    if (table.find("kind")) return read_table_of_pairs(table, spec);
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

  void read_table_of_pairs(const Value& table, TableSpec& spec) {
    need_word(table, "kind", table.need_text("kind"), "table kind", {"pairs"});
    table.allow_only({"title", "kind", "only"});
    spec.pairs = true;
    spec.only = table.text_at("only");
    mention(spec.only);
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
    if (spec.kind == "fit" || spec.kind == "pairs") {  // of what they are, and nothing else
      refuse(table, spec.kind,
             {"x", "y", "x_label", "y_label", "series", "published", "published_lines", "relative", "minus", "log"});
      spec.x = spec.kind == "fit" ? "block" : "output";
      spec.y = spec.kind == "fit" ? "wall" : "bytes_per_s";
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

  static QuestionSpec read_question(const Value& table) {
    table.allow_only({"asks", "answer"});
    return {table.need_text("asks"), table.need_text("answer")};
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
      for (Row& row : load_rows(*table, toolbox_, mentioned_, root_.find("size"), options_.allow_commands)) {
        const auto [first, is_new] = lines.emplace(row.name, row.line);
        if (!is_new)
          fail(table->need("name").place,
               fmt::format("row '{}' is there twice{}", row.name,
                           first->second == row.line ? ": its name must hold every list, like {block}"
                                                     : fmt::format(": first at line {}", first->second)));
        suite_.rows.push_back(std::move(row));
      }
  }

  const Toolbox& toolbox_;
  SuiteOptions options_;
  const Value root_;
  Experiment suite_;
  PublishedTable figures_;
  std::set<std::string> mentioned_;
};

}  // namespace

Experiment load_experiment(const std::filesystem::path& suite_toml, const Toolbox& toolbox, const SuiteOptions& options) {
  return SuiteReader(suite_toml, toolbox, options).read();
}

Experiment load_suite(const std::filesystem::path& data, const std::string& name, const Toolbox& toolbox) {
  const std::vector<std::string> names = suite_names(data);
  if (!contains(names, name)) throw Error(fmt::format("unknown suite '{}'{}", name, suggestion(name, names)), 2);
  return load_experiment(data / "suites" / (name + ".toml"), toolbox);
}

}  // namespace iobench
