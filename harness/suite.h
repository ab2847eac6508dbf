// SPDX-License-Identifier: MIT
// data/suites/NAME.toml to an experiment: what it asks, its rows, what is compared with what, its claims, tables and
// figures. Every mistake in a file is one Error "FILE:LINE: what is wrong; did you mean …?", found before anything is
// measured: that is why the words for columns and metrics live here, below the modules that compute them. The rows
// themselves are made in row, the claims in claim, the tools known to toolbox.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "claim.h"
#include "published.h"
#include "row.h"
#include "toolbox.h"

namespace iobench {

// Published figures beside ours: which row of the CSV belongs to which of our rows.
struct Published {
  std::string file;  // under data/published/
  Pairs match;       // CSV column -> template over the row's values
  std::string only;  // rows of ours that have a published one, as in TableSpec; empty: any
  bool operator==(const Published&) const = default;
};

// One table of the report. A column is one of column_keys() or "published.COLUMN".
struct TableSpec {
  std::string title;
  std::vector<std::string> columns;   // keys
  std::vector<std::string> headings;  // one per column; empty: the keys' own
  std::string only;                   // "VARIABLE=VALUE", or several with " and ": rows for which they hold; empty: all
  bool operator==(const TableSpec&) const = default;
};

// One figure. kind names plots/KIND.gp.
struct PlotSpec {
  std::string name;  // file stem, unique in its suite
  std::string kind;  // "sweep" (y over a numeric x, log axis, intervals) | "bars" | "fit" (wall time over blocks and
                     // its fit on bytes and calls)
  std::string title;
  std::string x;  // row variable with sizes ("block"), or for bars "label" or another value of the row
  std::string y;  // one of metric_names()
  std::vector<std::string> series;  // variables whose values make the series
  std::string limit;                // "memory-copy": drawn as a line, measured once a round
  std::string published;            // published CSV column drawn beside ours, empty: none
  std::string only;                 // as in TableSpec
  bool relative = false;            // y as a multiple of the group's baseline, then and now
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

// What a table's column, a figure's y and a figure's kind may be called. table and summary test that they serve each.
const std::vector<std::string>& column_keys();
const std::vector<std::string>& metric_names();
const std::vector<std::string>& plot_kinds();

// `suite_toml` is DATA/suites/NAME.toml; published figures are looked for in DATA/published/.
Experiment load_experiment(const std::filesystem::path& suite_toml, const Toolbox& toolbox);
// DATA/suites/NAME.toml by its name; an unknown one is an Error with a suggestion and status 2.
Experiment load_suite(const std::filesystem::path& data, const std::string& name, const Toolbox& toolbox);
// data/suites/*.toml: names in sorted order.
std::vector<std::string> suite_names(const std::filesystem::path& data);

// Whether a table or figure with this `only` shows the row.
bool is_shown(const Row& row, const std::string& only);
// The cell of `column` in the one CSV row that matches, or empty. Sizes match as sizes: "64K" is 65536.
std::string published_value(const Published& published, const PublishedTable& table, const Row& row,
                            const std::string& column);

}  // namespace iobench
