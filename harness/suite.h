// SPDX-License-Identifier: MIT
// data/suites/NAME.toml to an experiment: what it asks, its rows, what is compared with what, its claims, tables and
// figures. Every mistake in a file is one Error "FILE:LINE: what is wrong; did you mean …?", found before anything is
// measured: that is why the words for metrics live here, and those for columns in column_key, below the modules that compute
// them. The file is read in suite_reader and checked in suite_check; rows are made in row, claims in claim, tools known to toolbox.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "claim.h"
#include "column_key.h"
#include "published.h"
#include "row.h"
#include "toolbox.h"

namespace iobench {

using Factors = std::vector<std::pair<std::string, double>>;  // a column of the CSV and a number above 0

// Published figures beside ours: which row of the CSV belongs to which of our rows, and how its figures are to be read.
struct Published {
  std::string file;  // under data/published/
  Pairs match;       // CSV column -> template over the row's values; none: no line of the CSV is beside a row
  std::string only;  // rows of ours that have a published one, as in TableSpec; empty: any
  Factors units;     // what 1 is in the lab's own units (seconds, bytes a second): { read_mb_per_s = 1e6 }; others: 1
  Factors rounding;  // half of the last digit printed: each figure stands for anything that far off
  Pairs errors;      // CSV column -> the column with half the width of its interval
  std::vector<std::string> group;  // columns in which a line and its control are equal
  Pairs minus;                     // picks the control: { case = "control" }
  bool operator==(const Published&) const = default;
};

// One table of the report. A column is named as column_key.h says.
struct TableSpec {
  std::string title;
  std::vector<std::string> columns;   // keys
  std::vector<std::string> headings;  // one per column; empty: the keys' own
  std::string only;                   // "VARIABLE=VALUE", or several with " and ": rows for which they hold; empty: all
  std::vector<std::string> lines;  // rows with equal values of these share a line; none: a line for each row
  std::string step;                // variable with sizes, along which columns `step` and `published_step.…` go
  Pairs minus;                     // picks one row in each group, the control, for column `over_control`
  bool published_only = false;     // the CSV as it is, all of it unless `columns` choose, and nothing of ours
  bool pairs = false;              // sources by sinks (pairs.h): no columns
  bool operator==(const TableSpec&) const = default;
};

// One figure. kind names plots/KIND.gp.
struct PlotSpec {
  std::string name;  // file stem, unique in its suite
  std::string kind;  // "sweep" (y over a numeric x, log axis, intervals) | "bars" | "fit" (wall time over blocks and
                     // its fit on bytes and calls) | "pairs" (sources by sinks)
  std::string title;
  std::string x;  // row variable with sizes ("block"), or for bars "label" or another value of the row
  std::string y;  // one of metric_names()
  std::vector<std::string> series;  // variables whose values make the series, or the groups of bars
  std::string published;            // published CSV column drawn beside ours, {placeholders} filled in; empty: none
  std::string only;                 // as in TableSpec
  bool relative = false;            // y as a multiple of the group's baseline, then and now
  std::string x_label, y_label;     // of the axes, without a unit; empty: what x and y are called
  std::string published_lines;      // bars: each line of the CSV is a bar of its own, named by this template over its columns
  Pairs minus;                      // bars: y less that of the one row that it picks in each group, then and now
  bool log = false;                 // sweep: y on a logarithmic axis
  bool operator==(const PlotSpec&) const = default;
};

// What an author left open, and an answer with places for what is measured (question fills them in).
struct QuestionSpec {
  std::string asks;
  std::string answer;
  bool operator==(const QuestionSpec&) const = default;
};
// A place of an answer: "KIND of ROW", "KIND of ROW over OTHER", "served by METHOD", "refused by METHOD".
struct AnswerPlace {
  std::string kind, row, other;
};
// Without a kind: it is none of these.
AnswerPlace answer_place(const std::string& text);

struct Experiment {
  std::string name;  // file stem
  std::filesystem::path path;
  std::string title;
  std::string question;
  std::string discussion;          // optional prose printed above the table
  std::vector<std::string> group;  // rows with equal values are compared with one another
  Pairs baseline;                  // picks one row in each group
  std::vector<Row> rows;
  std::optional<Published> published;
  std::vector<ClaimSpec> claims;  // in file order
  std::vector<TableSpec> tables;
  std::vector<PlotSpec> plots;
  std::vector<QuestionSpec> questions;
  bool in_bench = true;  // part of `make bench` without SUITES
  bool operator==(const Experiment&) const = default;
};

// What a figure's y and a figure's kind may be called. summary tests that it serves each.
const std::vector<std::string>& metric_names();
const std::vector<std::string>& plot_kinds();

struct SuiteOptions {
  bool allow_commands = false;      // rows with commands of their own are taken
  std::filesystem::path published;  // where published figures are; empty: ../published of the suite's folder
};
// `suite_toml` is DATA/suites/NAME.toml, or any file that is called as its suite.
Experiment load_experiment(const std::filesystem::path& suite_toml, const Toolbox& toolbox, const SuiteOptions& options = {});
// DATA/suites/NAME.toml by its name; an unknown one is an Error with a suggestion and status 2.
Experiment load_suite(const std::filesystem::path& data, const std::string& name, const Toolbox& toolbox);
// data/suites/*.toml: by the year that a name ends with, then the others by name.
std::vector<std::string> suite_names(const std::filesystem::path& data);

// "VARIABLE=VALUE and VARIABLE=VALUE" taken apart; a variable is empty where there is no "=".
Pairs conditions_of(const std::string& only);
// Whether the row has all these values, as Row::matches understands them.
bool has_values(const Row& row, const Pairs& wanted);
// Whether a table or figure with this `only` shows the row.
bool is_shown(const Row& row, const std::string& only);
// The CSV rows that match, as indices: none where [published] shows no such row.
std::vector<std::size_t> matching_lines(const Published& published, const PublishedTable& table, const Row& row);
// The one CSV row that matches, as an index. Sizes match as sizes: "64K" is 65536.
std::optional<std::size_t> published_line(const Published& published, const PublishedTable& table, const Row& row);
// The cell of `column` in that row, or empty.
std::string published_value(const Published& published, const PublishedTable& table, const Row& row,
                            const std::string& column);

}  // namespace iobench
