// SPDX-License-Identifier: MIT
// Sources by sinks: who is fastest, what may be said of its lead, what is never ranked, and how the grid is drawn and
// written.
#include "pairs.h"

#include <algorithm>
#include <sstream>

#include "catch.h"
#include "csv.h"
#include "golden.h"
#include "made_up_pairs.h"
#include "plot.h"
#include "scratch.h"
#include "table.h"

using namespace iobench;
namespace fs = std::filesystem;

namespace {

struct Found {
  MadeUp made;
  SuiteResult result;
  const PlannedSuite& suite() const { return made.plan.suites[0]; }
  PairGrid grid(const std::string& only = "") const { return pair_grid(suite(), result, only); }
  const PairCell cell(const std::string& source, const std::string& sink) const {
    const PairGrid all = grid();
    const auto place = [](const std::vector<std::string>& names, const std::string& name) {
      return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    };
    return all.cells.at(place(all.sources, source)).at(place(all.sinks, sink));
  }
  std::string name(const std::optional<std::size_t>& row) const { return row ? suite().rows[*row].row.tool : "none"; }
};

Found found(std::size_t rounds = 8) {
  Found all;
  all.made.plan.options.corpus_bytes = 1u << 30;
  add_pairs(all.made, rounds);
  all.result = summarize_results(all.made.plan, all.made.samples, all.made.checks, {"splice-copy"}).at(0);
  return all;
}

Drawing drawing_of(const Found& all) {
  return suite_drawings(all.suite(), all.result, all.made.checks[0], std::nullopt).at(0);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The last digits of exp and log are the C library's own.
std::string rounded(const std::string& text) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, '\t');) {
      try {
        field = format_fixed(parse_number(field), 6);
      } catch (const Error&) {
      }
      out += field + "\t";
    }
    out += "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("the grid has every source and every sink, in their order") {
  const PairGrid grid = found().grid();
  CHECK(grid.sources == std::vector<std::string>{"warm file", "file in memory", "pipe", "TCP", "UNIX socket"});
  CHECK(grid.sinks == std::vector<std::string>{"null device", "pipe", "new file", "file, in place", "file in memory",
                                               "TCP", "UNIX socket"});
  CHECK(found().grid("input=pipe").sources == std::vector<std::string>{"pipe"});
}

TEST_CASE("the fastest of ours is held against the fastest peer") {
  const Found all = found();
  const PairCell ahead = all.cell("warm file", "new file");
  CHECK(all.name(ahead.best) == "io-uring-copy");
  CHECK(all.name(ahead.best_peer) == "dd");
  REQUIRE(ahead.lead);
  CHECK(ahead.lead->ratio == Approx(1.2 / 0.95 / 0.65).epsilon(0.03));
  CHECK(ahead.lead->pairs == 8);
  CHECK(ahead.lead->interval.reaches(family_level(4)));
  CHECK(ahead.verdict == PairCell::Verdict::ahead);
  const PairCell behind = all.cell("UNIX socket", "UNIX socket");
  CHECK(behind.lead->ratio < 0.7);
  CHECK(behind.verdict == PairCell::Verdict::behind);
  std::size_t equal = 0;
  for (const auto& line : all.grid().cells)
    for (const PairCell& cell : line) {
      if (cell.verdict != PairCell::Verdict::no_difference) continue;
      ++equal;
      CHECK(cell.lead->ratio == Approx(1).epsilon(0.1));
    }
  CHECK(equal > 0);
  CHECK(found(5).cell("warm file", "new file").verdict == PairCell::Verdict::too_few);
}

TEST_CASE("what moves nothing is never the fastest, but is told") {
  Found all = found();
  for (Sample& sample : all.made.samples)
    if (sample.row.ends_with("-null-splice-copy")) sample.wall_s = *sample.wall_s / 50;
  all.result = summarize_results(all.made.plan, all.made.samples, all.made.checks, {"splice-copy"}).at(0);
  CHECK(all.name(all.cell("warm file", "null device").best) == "io-uring-copy");
  CHECK(all.cell("warm file", "null device").no_copies.size() == 1);
  CHECK(all.cell("warm file", "pipe").no_copies.empty());
  const Table table = suite_tables(all.suite(), all.result, {}, std::nullopt).at(0);
  CHECK(std::count(table.notes.begin(), table.notes.end(),
                   "* not ranked there: splice-copy 1M moves no data into the null device") == 1);
  CHECK(contains(table.rows[0][1].text, " *; "));
  CHECK_FALSE(contains(table.rows[0][2].text, "*"));
  CHECK(contains(drawing_of(all).subtitle, "* what moves nothing there is not ranked"));
}

TEST_CASE("where all of ours move nothing, that is said beside the fastest peer") {
  Found all = found();
  all.result =
      summarize_results(all.made.plan, all.made.samples, all.made.checks, {"splice-copy", "readwrite", "io-uring-copy"})
          .at(0);
  const Cell cell = suite_tables(all.suite(), all.result, {}, std::nullopt).at(0).rows[0][1];
  CHECK(contains(cell.text, "ours copy nothing; dd 128K, "));
  CHECK(cell.fields.back() == "ours copy nothing");
  CHECK(contains(drawing_of(all).data, "0\t4\tNaN\t\"ours copy nothing *\"\t\"dd 128K\""));
}

TEST_CASE("rows that are in no race, or are expected to copy less, are in no cell") {
  Found all = found();
  for (PlannedRow& row : all.made.plan.suites[0].rows) {
    if (row.row.tool == "io-uring-copy") row.row.ranked = false;
    if (row.row.tool == "dd") row.row.expect = Expected::part;
  }
  CHECK(all.name(all.cell("warm file", "new file").best) == "readwrite");
  CHECK(all.name(all.cell("warm file", "new file").best_peer) == "cat");
}

TEST_CASE("a pair that is not there, has no peer, has only peers, or was not measured, says so") {
  const Found all = found();
  CHECK(all.cell("UNIX socket", "TCP").rows.empty());
  const Table table = suite_tables(all.suite(), all.result, {}, std::nullopt).at(0);
  CHECK(table.rows[4][6].text == "–");
  CHECK(all.cell("file in memory", "file, in place").verdict == PairCell::Verdict::none);
  CHECK(contains(table.rows[1][4].text, "; no peer"));
  CHECK(table.rows[1][4].fields.back() == "no peer");
  CHECK_FALSE(all.cell("pipe", "new file").best);
  CHECK(contains(table.rows[2][3].text, "no strategy; dd 128K, "));
  CHECK(table.rows[3][2].text == "nothing measured");
  CHECK(table.rows[0].size() == 8);
  // The same cells, drawn: without a lead they have no colour.
  const std::string data = drawing_of(all).data;
  for (const char* words : {"1\t1\tNaN\t\"\"\t\"nothing measured\"\t\"\"\n", "2\t2\tNaN\t\"no strategy\"\t\"dd 128K\"",
                            "3\t3\tNaN\t\"io-uring-copy 512K\""})
    CHECK(contains(data, words));
  CHECK(drawing_of(all).numbers == "7 5 2 3 2");
}

TEST_CASE("a colour claims no more than the words") {
  const std::string data = drawing_of(found()).data;
  CHECK(contains(data, "6\t3\t0\t\"io-uring-copy 512K\""));  // ≈
  CHECK(contains(data, "\"≈ 1.00× dd 128K\""));
  const Drawing few = drawing_of(found(5));
  CHECK(few.numbers == "7 5 0 2 2");  // ?: no cell has a colour
  CHECK(contains(few.data, "0\t4\tNaN\t"));
  CHECK(contains(few.data, "\"? 2."));
}

TEST_CASE("without a sample there is a note and no picture, without limits no share") {
  Found all = found();
  std::erase_if(all.made.samples, [](const Sample& sample) { return limit_of_row(sample.row).has_value(); });
  all.result = summarize_results(all.made.plan, all.made.samples, all.made.checks).at(0);
  CHECK_FALSE(contains(drawing_of(all).data, " %"));
  const Table table = suite_tables(all.suite(), all.result, {}, std::nullopt).at(0);
  CHECK(table.rows[0][1].fields.at(2).empty());
  CHECK(std::any_of(table.notes.begin(), table.notes.end(),
                    [](const std::string& note) { return contains(note, "was not measured in this run"); }));
  all.made.samples.clear();
  all.result = summarize_results(all.made.plan, all.made.samples, all.made.checks).at(0);
  CHECK(drawing_of(all).note == "no valid sample to draw");
  CHECK(suite_tables(all.suite(), all.result, {}, std::nullopt).at(0).rows[0][1].text == "nothing measured");
}

TEST_CASE("golden: the grid as data of its figure and as a table") {
  const Found all = found();
  const Drawing drawing = drawing_of(all);
  const Table table = suite_tables(all.suite(), all.result, {}, std::nullopt).at(0);
  std::string csv;
  for (const CsvRecord& record : parse_csv(to_csv(table), "table.csv"))
    for (const std::string& field : record.fields) csv += field + (&field == &record.fields.back() ? "\n" : "\t");
  check_golden("pairs.txt", drawing.title + "\n" + drawing.subtitle + "\n" + drawing.y_label + "\n" + drawing.numbers +
                                "\n" + rounded(drawing.data) + "\n" + to_markdown(table) + "\n" + rounded(csv));
}

TEST_CASE("the figure is drawn", "[gnuplot]") {
  Gnuplot gnuplot(find_program("gnuplot"));
  if (!gnuplot.why_not().empty()) {
    WARN("skipped: " << gnuplot.why_not());
    return;
  }
  const Scratch scratch;
  const Found all = found();
  const fs::path plots = fs::path(std::getenv("IOBENCH_ROOT")) / "plots";
  const std::vector<Figure> figures = draw_figures("pairs", {drawing_of(all)}, plots, scratch.path(), gnuplot);
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].svg);
  const std::string svg = read_file(scratch / (figures[0].stem + ".svg"));
  for (const char* words : {"to UNIX socket", "file in memory", "io-uring-copy 512K", "no peer", "nothing measured"})
    CHECK(contains(svg, words));
}
