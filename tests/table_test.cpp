// SPDX-License-Identifier: MIT
// Tables: the three writers with every awkward label, and what the columns say of made-up results.
#include "table.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "catch.h"
#include "column.h"
#include "csv.h"
#include "golden.h"
#include "made_up.h"
#include "made_up_originals.h"
#include "original.h"
#include "words.h"

using namespace iobench;

namespace {

const std::vector<std::string> odd_names{"a|b",
                                         "x, \"y\"",
                                         "two\nlines",
                                         "tab\there",
                                         "`date`",
                                         "=1+1",
                                         "+1",
                                         "-1 x",
                                         "@SUM(A1)",
                                         "üñ 🙂",
                                         "<b>&amp;",
                                         "a\\",
                                         "a\\|b",
                                         "# head",
                                         "1. item",
                                         "*_x_*",
                                         "$HOME",
                                         "[a](b)",
                                         std::string(300, 'w'),
                                         "",
                                         " ",
                                         "\x1b[31mred",
                                         "bad \xff utf",
                                         "~~x~~",
                                         "- item"};

Table odd_table() {
  Table table;
  table.title = "# Odd | names\nand more";
  table.columns = {{"na|me", {"na,me"}, false}, {"value", {"value", "unit"}, true}};
  for (const std::string& name : odd_names) table.rows.push_back({{name, {name}}, {"1.5", {"1.5"}}});
  table.notes = {"a note | with\n> things"};
  return table;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Cells of a GitHub table row: bars that no backslash escapes part them.
std::size_t markdown_cells(const std::string& line) {
  std::size_t bars = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\')
      ++i;
    else if (line[i] == '|')
      ++bars;
  }
  return bars - 1;
}

bool has_no_nonsense(const std::string& text) {
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  std::replace_if(
      lower.begin(), lower.end(), [](unsigned char c) { return !std::isalnum(c); }, ' ');
  lower = " " + lower + " ";
  return lower.find(" nan ") == std::string::npos && lower.find(" inf ") == std::string::npos &&
         lower.find("infinity") == std::string::npos;
}

std::vector<Table> tables_of(const MadeUp& made, std::size_t suite = 0,
                             const std::set<std::string>& moves_nothing = {}) {
  const std::vector<SuiteResult> results = summarize_results(made.plan, made.samples, made.checks, moves_nothing);
  return suite_tables(made.plan.suites.at(suite), results.at(suite), made.checks.at(suite), std::nullopt);
}

// The cell's text in the row with this label and the column with this heading.
std::string cell(const Table& table, const std::string& label, const std::string& heading) {
  for (std::size_t column = 0; column < table.columns.size(); ++column)
    for (const auto& row : table.rows)
      if (table.columns[column].heading == heading && row.at(0).text == label) return row.at(column).text;
  return "no such cell";
}

bool has_note(const Table& table, const std::string& part) {
  return std::any_of(table.notes.begin(), table.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

// A baseline and one row with the given times, in as many rounds.
MadeUp pair_of(const std::vector<double>& base, const std::vector<double>& other, double cpu_s = 1) {
  MadeUp made;
  made.plan.options.corpus_bytes = 1u << 20;
  made.add_suite("pair", "A pair");
  made.add_row("base", "all", base.size(), {"readwrite"});
  made.add_row("other", "all", base.size(), {"sendfile-copy"});
  made.set_baseline("base");
  for (std::size_t i = 0; i < base.size(); ++i) {
    made.samples.push_back(made.sample(0, i + 1, base[i], cpu_s));
    made.samples.push_back(made.sample(0, i + 1, base[i] * (i % 2 ? 1.01 : 0.995), cpu_s, true));
  }
  for (std::size_t i = 0; i < other.size(); ++i) made.samples.push_back(made.sample(1, i + 1, other[i], cpu_s));
  return made;
}

}  // namespace

TEST_CASE("Markdown keeps its columns whatever the names", "[B103]") {
  const std::vector<std::string> lines = lines_of(to_markdown(odd_table()));
  CHECK(lines.at(0) == "**\\# Odd \\| names and more**");
  std::size_t rows = 0;
  for (const std::string& line : lines)
    if (line.starts_with("|")) {
      INFO(line);
      CHECK(markdown_cells(line) == 2);
      ++rows;
    }
  CHECK(rows == odd_names.size() + 2);
  CHECK(lines.back() == "- a note \\| with \\> things");
}

TEST_CASE("nothing in Markdown is taken for markup", "[B103]") {
  CHECK(markdown_escape("<script>") == "&lt;script\\>");
  CHECK(markdown_escape("a & b") == "a &amp; b");
  CHECK(markdown_escape("`x` *y* _z_ [l](u) $m$ ~~s~~") == "\\`x\\` \\*y\\* \\_z\\_ \\[l\\](u) \\$m\\$ \\~\\~s\\~\\~");
  CHECK(markdown_escape("# x") == "\\# x");
  CHECK(markdown_escape("- x") == "\\- x");
  CHECK(markdown_escape("+ x") == "\\+ x");
  CHECK(markdown_escape("12. x") == "12\\. x");
  CHECK(markdown_escape("12.5 x") == "12.5 x");
  CHECK(markdown_escape("    code") == "code");
  CHECK(markdown_escape("a\nb\r\nc") == "a b  c");
  CHECK(markdown_escape("tail\\") == "tail\\\\");
  CHECK(markdown_escape("") == "");
}

TEST_CASE("CSV round-trips, with formulas disarmed", "[B103]") {
  const std::vector<CsvRecord> records = parse_csv(to_csv(odd_table()), "odd.csv");
  REQUIRE(records.size() == odd_names.size() + 1);
  CHECK(records[0].fields == std::vector<std::string>{"na,me", "value", "unit"});
  for (std::size_t i = 0; i < odd_names.size(); ++i) {
    INFO(odd_names[i]);
    REQUIRE(records[i + 1].fields.size() == 3);
    const std::string& name = records[i + 1].fields[0];
    const bool formula = odd_names[i] == "=1+1" || odd_names[i] == "-1 x" || odd_names[i] == "@SUM(A1)" ||
                         odd_names[i] == "- item" || odd_names[i] == "+1";
    CHECK(name == (formula ? "'" : "") + odd_names[i]);
    CHECK(records[i + 1].fields[2].empty());
  }
  Table numbers;
  numbers.columns = {{"x", {"x"}, true}};
  numbers.rows = {{{"", {"-1.5"}}}, {{"", {"-1e-05"}}}, {{"", {"-1e5-x"}}}};
  CHECK(to_csv(numbers) == "x\n-1.5\n-1e-05\n'-1e5-x\n");
}

TEST_CASE("text is aligned on code points and holds no control characters") {
  Table table;
  table.title = "T";
  table.columns = {{"name", {"name"}, false}, {"value", {"value"}, true}};
  table.rows = {{{"üü", {}}, {"1 µs", {}}}, {{"a\x1b[31m\nb", {}}, {"10 ms", {}}}, {{"\xff", {}}, {"–", {}}}};
  CHECK(to_text(table) == "T\n\nname      value\n────────  ─────\nüü         1 µs\na [31m b  10 ms\n?             –\n");
}

TEST_CASE("text fits its width where it can, and loses nothing") {
  Table table = odd_table();
  table.columns.push_back({"a rather long heading for a narrow column", {"x"}, true});
  const std::string text = to_text(table, 60);
  std::size_t letters = 0;
  for (const std::string& line : lines_of(text)) {
    INFO(line);
    CHECK(code_points(line) <= 60);
  }
  letters = static_cast<std::size_t>(std::count(text.begin(), text.end(), 'w'));
  CHECK(letters == 300 + 3);  // the long name, and "two", "narrow", "with"
  CHECK(wrap("", 5) == std::vector<std::string>{""});
  CHECK(wrap("ab cd", 2) == std::vector<std::string>{"ab", "cd"});
  CHECK(wrap("abcde", 2) == std::vector<std::string>{"ab", "cd", "e"});
  CHECK(wrap("🙂🙂🙂", 2) == std::vector<std::string>{"🙂🙂", "🙂"});
}

TEST_CASE("every column that a suite may name is served") {
  MadeUp made;
  made.plan.options.corpus_bytes = 1u << 30;
  add_perlman(made);
  Experiment& experiment = made.plan.suites[0].experiment;
  experiment.tables = {TableSpec{"all", column_keys(), {}, "", {}, "", {}, false}};
  const Table table = tables_of(made).at(0);
  REQUIRE(table.columns.size() >= column_keys().size());
  for (std::size_t i = 0; i < column_keys().size(); ++i) {
    INFO(column_keys()[i]);
    const BuiltInColumn* column = find_column(column_keys()[i]);
    REQUIRE(column != nullptr);
    CHECK_FALSE(table.columns[i].heading.empty());
    for (const auto& row : table.rows) {
      CHECK_FALSE(row[i].text.empty());
      CHECK(row[i].fields.size() <= table.columns[i].keys.size());
    }
  }
  experiment.tables[0].columns = {"speed"};
  CHECK_THROWS_AS(tables_of(made), Error);
}

TEST_CASE("golden: standard tables and tables of a suite's file") {
  MadeUp made;
  made.plan.options.corpus_bytes = 1u << 30;
  add_buffer_sweep(made);
  add_perlman(made);
  const std::vector<SuiteResult> results = summarize_results(made.plan, made.samples);
  const PublishedTable published{
      {"made up, 1985"},
      {"program", "total_s"},
      {{"fgetputc", "2.3"}, {"getputc", "0.8"}, {"freadwrite", "1.2"}, {"readwrite", "0.1"}}};
  std::string text, markdown, csv;
  for (std::size_t suite = 0; suite < 2; ++suite)
    for (const Table& table : suite_tables(made.plan.suites[suite], results[suite], made.checks[suite], published)) {
      text += to_text(table) + "\n";
      markdown += to_markdown(table) + "\n";
      for (const CsvRecord& record : parse_csv(to_csv(table), "table.csv")) {
        // The last digits of exp and log are the C library's own.
        for (std::string field : record.fields) {
          try {
            field = format_fixed(parse_number(field), 6);
          } catch (const Error&) {
          }
          csv += csv_field(field) + ",";
        }
        csv += "\n";
      }
    }
  check_golden("tables.txt", text);
  check_golden("tables.md", markdown);
  check_golden("tables.csv", csv);
  for (const std::string& line : lines_of(text)) CHECK(code_points(line) <= 100);
  CHECK(has_no_nonsense(text + markdown + csv));
}

TEST_CASE("what is the same of several groups is noted once, and what all of several tables note is taken out") {
  MadeUp made;
  made.plan.options.corpus_bytes = 1u << 30;
  add_perlman(made);
  TableSpec both;
  both.title = "Both";
  both.columns = {"name", "ratio"};
  made.plan.suites[0].experiment.tables = {both, both};
  std::vector<Table> tables = tables_of(made);
  const auto notes_with = [](const Table& table, const std::string& part) {
    return std::count_if(table.notes.begin(), table.notes.end(),
                         [&](const std::string& note) { return note.find(part) != std::string::npos; });
  };
  CHECK(notes_with(tables[0], "ratios are to") == 1);
  CHECK(has_note(tables[0], "noise floor, the wall time of each group's baseline against itself: size=corpus 0.9 %; "
                            "size=38123 1.1 %"));
  std::erase_if(made.samples, [](const Sample& sample) { return sample.row.ends_with("-small") && sample.round > 6; });
  CHECK(has_note(tables_of(made)[0], "size=38123: ratios are to readwrite, paired by round, signed-rank intervals of "
                                     "96.9 % each: 6 rounds"));

  tables[1].notes.push_back("own");
  const std::vector<std::string> all = tables[0].notes;
  CHECK(take_common_notes(tables) == all);
  CHECK(tables[0].notes.empty());
  CHECK(tables[1].notes == std::vector<std::string>{"own"});
  tables.resize(1);
  tables[0].notes = all;
  CHECK(take_common_notes(tables).empty());
  CHECK(tables[0].notes == all);
}

TEST_CASE("a table says sink, regime and size, in its title or in columns") {
  MadeUp made = pair_of({1, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2, 2});
  CHECK(tables_of(made).at(0).title == "A pair: warm file to the null device, 1 MiB per run");
  made.plan.suites[0].rows[1].row.output = Output::pipe;
  made.plan.suites[0].rows[1].row.cache = Cache::cold;
  made.plan.suites[0].rows[1].size_bytes = 4096;
  const Table table = tables_of(made).at(0);
  CHECK(table.title == "A pair: file, 4 KiB to 1 MiB per run");
  CHECK(cell(table, "other", "sink") == "pipe");
  CHECK(cell(table, "other", "cache") == "cold");
  CHECK(cell(table, "base", "size") == "1 MiB");
}

TEST_CASE("differences are claimed, or not, in words") {
  const std::vector<double> base{1, 1.001, 0.999, 1.002, 0.998, 1.003, 0.997};
  std::vector<double> other(7, 2.0);
  Table table = tables_of(pair_of(base, other)).at(0);
  CHECK(cell(table, "base", "times baseline") == "baseline");
  CHECK(cell(table, "other", "times baseline").find("≈") == std::string::npos);
  CHECK(cell(table, "other", "n") == "no such cell");  // as many everywhere: the notes say how many
  CHECK(has_note(table, "range of 7 rounds, 98.4 %"));
  CHECK(has_note(table, "signed-rank intervals of 95.3 % each: 7 rounds, 1 comparison"));
  CHECK(has_note(table, "noise floor, the wall time of the baseline against itself: 1.0 %"));
  CHECK(table.rows[1][5].fields.back() == "slower");

  other = base;
  std::reverse(other.begin(), other.end());
  table = tables_of(pair_of(base, other)).at(0);
  CHECK(cell(table, "other", "times baseline").find("≈") != std::string::npos);
  CHECK(has_note(table, "no difference"));
  CHECK(table.rows[1][5].fields.back() == "no difference");

  table = tables_of(pair_of(base, other), 0, {"sendfile-copy"}).at(0);
  CHECK(cell(table, "other", "times baseline") == "not a copy");
  CHECK(has_note(table, "moves no data"));
}

TEST_CASE("small CPU times are sums, and their split is not shown") {
  MadeUp made = pair_of(std::vector<double>(7, 1.0), std::vector<double>(7, 1.0), 0.06);
  made.plan.suites[0].experiment.tables = {
      TableSpec{"cpu", {"label", "user", "system", "cpu", "cpu_times_baseline", "cpu_per_copy"}, {}, "", {}, "", {}, false}};
  const Table table = tables_of(made).at(0);
  CHECK(cell(table, "other", "user") == "–");
  CHECK(cell(table, "other", "system") == "–");
  CHECK(cell(table, "other", "CPU") == "420 ms in 7 runs");
  CHECK(cell(table, "other", "CPU per copy") == "420 ms in 7 copies");
  CHECK(cell(table, "other", "CPU to baseline") == "1.000 of sums");
  CHECK(has_note(table, "sampling"));
}

TEST_CASE("odd samples are told in words, never as numbers that are none", "[B93][B95][B97][B124]") {
  MadeUp made = pair_of({}, {});
  SECTION("no samples") {
    const Table table = tables_of(made).at(0);
    CHECK(cell(table, "base", "status") == "not run");
    CHECK(cell(table, "base", "wall, median") == "–");
  }
  SECTION("zero times") {
    made = pair_of({0, 0, 0}, {0, 0, 0}, 0);
    const Table table = tables_of(made).at(0);
    CHECK(cell(table, "base", "wall, median") == "0 s");
    CHECK(cell(table, "base", "throughput") == "–");
    CHECK(cell(table, "other", "times baseline") == "–");
    CHECK(has_note(table, "zero"));
    CHECK(
        has_note(table, "other: times baseline: 3 pairs with a value that is zero, negative or not finite left out"));
    CHECK(has_note(table, "without intervals"));
  }
  SECTION("one sample") {
    made = pair_of({1}, {2});
    const Table table = tables_of(made).at(0);
    CHECK(cell(table, "base", "wall, interval") == "–");
    CHECK(cell(table, "other", "times baseline") == "2.000");
    CHECK(has_note(table, "base, other: one value: no interval"));
    CHECK(has_note(table, "other: times baseline: one pair: no interval"));
  }
  SECTION("unequal rounds") {
    made = pair_of({1, 1, 1, 1, 1, 1, 1}, {2, 2, 2});
    const Table table = tables_of(made).at(0);
    CHECK(cell(table, "other", "n") == "3");
    CHECK(has_note(table, "only 3 values"));
    CHECK(has_note(table, "4 rounds that only one side has left out; only 3 pairs cover 75.0 %, not 95.0 %"));
    CHECK(has_note(table, "intervals of 75.0 % each: 3 rounds, 1 comparison"));
    CHECK(cell(table, "other", "times baseline") == "2.000 [2.000, 2.000] ?");
    CHECK(has_note(table, "? too few rounds"));
    CHECK(table.rows[1][5].fields.back() == "too few rounds");
  }
  SECTION("no spread") {
    made = pair_of({1, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2, 2});
    const Table table = tables_of(made).at(0);
    CHECK(has_note(table, "base, other: no spread: all 7 values are equal"));
    CHECK(has_note(table, "other: times baseline: no spread: all 7 pairs are equal"));
  }
  SECTION("CPU times that only one side has") {
    made = pair_of({1, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2, 2});
    made.samples.back().user_s.reset();
    made.plan.suites[0].experiment.tables = {TableSpec{"cpu", {"label", "cpu_times_baseline"}, {}, "", {}, "", {}, false}};
    const Table table = tables_of(made).at(0);
    CHECK(has_note(table, "other: CPU to baseline: 1 round that only one side has left out; no spread"));
    CHECK(has_note(table, "intervals of 96.9 % each: 6 rounds, 1 comparison"));
  }
  SECTION("a noise floor from few rounds") {
    made = pair_of({1, 1, 1}, {2, 2, 2});
    CHECK(has_note(tables_of(made).at(0), "%: only 3 pairs cover 75.0 %"));
  }
  SECTION("failures and a wrong copy") {
    made = pair_of({1, 1}, {2, 2});
    for (Sample& sample : made.samples)
      if (sample.row == "other") {
        sample.status = "failed";
        sample.reason = "killed by signal 9";
      }
    Table table = tables_of(made).at(0);
    CHECK(cell(table, "other", "status") == "failed: all 2 runs: killed by signal 9");
    CHECK(cell(table, "other", "wall, median") == "–");
    std::erase_if(made.samples, [](const Sample& sample) { return sample.row == "other"; });
    made.checks[0][1].status = "mismatch";
    made.checks[0][1].reason = "byte 17 differs";
    table = tables_of(made).at(0);
    CHECK(cell(table, "other", "status") == "mismatch: byte 17 differs");
  }
  for (const Table& table : tables_of(made))
    CHECK(has_no_nonsense(to_text(table) + to_markdown(table) + to_csv(table)));
}

TEST_CASE("the words that say what a row was") {
  CHECK(sink_words(Output::none) == "none");
  PairedRatio ratio;
  CHECK(ratio_words(ratio) == "–");
  ratio.ratio = 1.5;
  CHECK(ratio_words(ratio) == "1.500");
  ratio.interval = {1.25, 2, 0.95};
  CHECK(ratio_words(ratio) == "1.500 [1.250, 2.000]");
  CHECK(conditions({}).text.empty());
}

TEST_CASE("a clone is marked and never ranked, nor is anything ranked against one") {
  MadeUp made;
  made.plan.options.corpus_bytes = 1u << 30;
  add_buffer_sweep(made);
  const std::vector<std::size_t> rows = made.plan.suites[0].groups.back().rows;
  made.checks[0][rows[2]].not_a_copy = "is a clone: its output shares the extents of its input";
  const std::string label = made.plan.suites[0].rows[rows[2]].row.label;
  Table table = tables_of(made).back();
  CHECK(cell(table, label, "times baseline") == "not a copy");
  CHECK(has_note(table, label + " is a clone: its output shares the extents of its input: its time is not that of a copy"));
  made.checks[0][rows[2]].not_a_copy.clear();
  made.checks[0][made.plan.suites[0].groups.back().baseline].not_a_copy = "is a clone";
  table = tables_of(made).back();
  CHECK(cell(table, label, "times baseline") == "–");
  CHECK(has_note(table, "the baseline 64K is a clone: copies are not compared with it"));
}

namespace {

std::vector<Table> tables_of(const MadeUpOriginal& original) {
  const MadeUp& made = original.made;
  const std::vector<SuiteResult> results = summarize_results(made.plan, made.samples, made.checks);
  return suite_tables(made.plan.suites.at(0), results.at(0), made.checks.at(0), original.published);
}

}  // namespace

TEST_CASE("golden: tables in the columns of the originals") {
  std::string text, csv;
  for (const std::string& name : originals())
    for (const Table& table : tables_of(original(name))) {
      text += to_text(table, 120) + "\n";
      csv += to_csv(table).substr(0, to_csv(table).find('\n')) + "\n";
    }
  check_golden("originals.txt", text + csv);
  CHECK(has_no_nonsense(text));
}

TEST_CASE("every published figure is in a table of its suite, as it was printed") {
  for (const std::string& name : originals()) {
    const MadeUpOriginal made = original(name);
    std::string text;
    for (const Table& table : tables_of(made)) text += to_text(table, 200);
    for (const std::vector<std::string>& line : made.published.rows)
      for (std::size_t column = 0; column < line.size(); ++column) {
        const std::string& heading = made.published.columns[column];
        if (!heading.ends_with("_s")) continue;
        INFO(name << ": " << heading << " " << line[column]);
        CHECK(text.find(line[column]) != std::string::npos);
      }
  }
}

TEST_CASE("a line of several rows has a cell of each, and says what they differ in") {
  const MadeUpOriginal made = original("openjdk-2022");
  Table table = tables_of(made).at(0);
  REQUIRE(table.rows.size() == 9);
  CHECK(cell(table, "8K", "2022") == "1349.929");
  CHECK(cell(table, "4K", "2022") == "–");
  CHECK(cell(table, "16K", "step, 2022").starts_with("1.951 [1.8"));
  CHECK(cell(table, "8K", "step, 2022") == "–");   // nothing was published for 4K
  CHECK(cell(table, "4K", "step, cold") == "–");
  CHECK(cell(table, "8K", "step, warm") != cell(table, "8K", "step, cold"));
  CHECK(has_note(table, "cache of the rows that share a line: cold; warm"));
  CHECK(has_note(table, "next smaller buffer, paired by round, signed-rank intervals of"));
  CHECK(has_note(table, "brackets behind a published figure: what the published error leaves open"));
  const CsvRecord head = parse_csv(to_csv(table), "table.csv").at(0);
  CHECK(std::set<std::string>(head.fields.begin(), head.fields.end()).size() == head.fields.size());
}

TEST_CASE("a step is the ratio of wall times by round, and its published one that of the figures") {
  const MadeUpOriginal made = original("openjdk-2022");
  const std::vector<SuiteResult> results = summarize_results(made.made.plan, made.made.samples);
  const PlannedSuite& suite = made.made.plan.suites[0];
  std::vector<double> before, after;
  for (const Sample& sample : made.made.samples) {
    if (sample.row == "warm-8K") before.push_back(*sample.wall_s);
    if (sample.row == "warm-16K") after.push_back(*sample.wall_s);
  }
  for (std::size_t row = 0; row < suite.rows.size(); ++row)
    if (suite.rows[row].row.name == "warm-16K") {
      const auto step = step_from_previous(suite, results[0], row, "buffer");
      REQUIRE(step);
      CHECK(step->ratio == Approx(paired_ratio(before, after, 0.95).ratio));
      CHECK(step->interval.level >= family_level(8));
    }
}

TEST_CASE("what a copy costs over the control is a difference by round, with its interval") {
  const MadeUpOriginal made = original("nutter-2008");
  const std::vector<Table> tables = tables_of(made);
  const auto over = [&](const std::string& target, const std::string& method) {
    for (const auto& row : tables.at(0).rows)
      if (row[0].text == target && row[1].text == method) return row[6];
    return Cell{};
  };
  CHECK(over("new-name", "none").text == "control");
  const Cell stdio = over("new-name", "stdio"), same = over("same-name", "stdio");
  REQUIRE(stdio.fields.size() == 4);
  CHECK(parse_number(stdio.fields[0]) == Approx(16e-6).epsilon(0.1));
  CHECK(parse_number(same.fields[0]) == Approx(156e-6).epsilon(0.1));
  CHECK(parse_number(stdio.fields[1]) < parse_number(stdio.fields[0]));
  CHECK(parse_number(stdio.fields[3]) >= family_level(3));
  CHECK(has_note(tables.at(0), "over the control: wall time per copy less that of none, paired by round"));
  // The published table stands by itself, with its source.
  CHECK(tables.at(1).columns.size() == 6);
  CHECK(tables.at(1).rows.size() == 4);
  CHECK(has_note(tables.at(1), "published: Charles Nutter, weblog, 2008-03-30"));
}

TEST_CASE("published figures in relation to one another") {
  const MadeUpOriginal uppal = original("uppal-2004"), nutter = original("nutter-2008");
  const Table table = tables_of(uppal).at(0);
  std::vector<std::string> bytewise;
  for (const auto& row : table.rows)
    if (row[2].text == "a byte a call") bytewise.push_back(row[5].text);
  // 86.464 / 73.215 and so on.
  CHECK(bytewise == std::vector<std::string>{"1.181", "1.007", "1.304", "1.044"});

  const PlannedSuite& suite = nutter.made.plan.suites[0];
  const std::optional<PublishedTable> figures = nutter.published;
  const std::vector<Originals::Line> lines = Originals(suite, figures).lines("real_s", "{runtime}", true);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].label == "jruby");
  CHECK(lines[0].value.value == Approx((5.190 - 2.191) / 10000));
  CHECK(lines[1].value.value == Approx((5.363433 - 0.903211) / 10000));
  CHECK(Originals(suite, figures).lines("real_s", "{case}", false).size() == 4);
  CHECK(Originals(suite, std::nullopt).lines("real_s", "{case}", false).empty());
}

TEST_CASE("rounding and errors leave a published figure open") {
  MadeUp made;
  add_perlman(made);
  PlannedSuite& suite = made.plan.suites[0];
  suite.experiment.published->rounding = {{"total_s", 0.05}};
  const std::optional<PublishedTable> figures{PublishedTable{
      {"Somebody, 1985: on a machine"}, {"program", "total_s"}, {{"fgetputc", "2.3"}, {"readwrite", "0.1"}, {"getputc", "x"}}}};
  const Originals originals(suite, figures);
  const std::optional<Estimate> fgetputc = originals.ratio(0, "total_s");
  REQUIRE(fgetputc);
  CHECK(fgetputc->value == Approx(23));
  CHECK(fgetputc->low == Approx(15));
  CHECK(fgetputc->high == Approx(47));
  CHECK_FALSE(originals.ratio(3, "total_s")->is_open());  // the baseline is 1 whatever it is
  CHECK_FALSE(originals.value(1, "total_s"));             // no number
  CHECK_FALSE(originals.value(2, "total_s"));             // no line
  CHECK(originals.uncertainty("total_s") == "rounding");
  CHECK(originals.author() == "Somebody, 1985");
  CHECK(originals.conditions() == "on a machine");
  suite.experiment.published->rounding = {{"total_s", 0.1}};
  CHECK_FALSE(originals.ratio(0, "total_s")->is_open());  // over what may be 0 nothing is known
}
