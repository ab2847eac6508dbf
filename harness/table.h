// SPDX-License-Identifier: MIT
// Results to tables, and tables to text for the terminal, Markdown and CSV. Pure. Built-in columns are in table.cpp's one
// list; "published.COLUMN" takes a column of the published figures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan.h"
#include "summary.h"

namespace iobench {

struct Cell {
  std::string text;              // for people; "–" where there is nothing, never nan or inf
  std::optional<double> value;   // base unit, for CSV
};
struct Column {
  std::string key;      // CSV heading, with unit: wall_s, bytes_per_s
  std::string heading;  // for people: "wall, median", "throughput"
  bool numeric = true;
};
struct Table {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;
};

bool is_column(const std::string& key);  // known built-in; the suite loader asks through a list it is given

// The tables of one suite: those its file names, or the standard one when it names none, one per group.
std::vector<Table> suite_tables(const PlannedSuite& suite, const SuiteResult& result, const std::vector<RowCheck>& checks,
                                const std::optional<PublishedTable>& published);

std::string to_text(const Table& table, std::size_t width = 100);
std::string to_markdown(const Table& table);
std::string to_csv(const Table& table);

// Escapes for one cell or heading; exported for the report and the tests.
std::string markdown_escape(const std::string& text);

}  // namespace iobench
