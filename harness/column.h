// SPDX-License-Identifier: MIT
// The built-in columns of tables: key, heading, CSV headings with units, and what each shows of a row. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grid.h"
#include "plan.h"
#include "summary.h"

namespace iobench {

// Notes that cells leave, each said once; what is said of several rows names them together.
class CellNotes {
 public:
  void add(const std::string& text, const std::string& label = "");
  std::vector<std::string> lines() const;

 private:
  struct Entry {
    std::string text;
    std::vector<std::string> labels;
  };
  std::vector<Entry> entries_;
};

// What a cell is made of, and where it leaves its notes.
struct CellContext {
  const PlannedSuite& suite;
  const SuiteResult& result;
  const PlannedRow& row;
  const RowResult& own;
  const RowCheck* check;                       // nullptr: none was kept
  const TableSpec& spec;                       // of the table; a standard one names nothing
  CellNotes& notes;

  const Group& group() const { return suite.groups[row.group]; }
  void note(const std::string& text) const { notes.add(text); }
  void note_of_row(const std::string& text) const { notes.add(text, row.row.label); }
};

struct BuiltInColumn {
  const char* key;  // as in a suite's file: one of column_keys()
  const char* heading;
  std::vector<std::string> csv;  // one CSV heading for each field of a cell
  bool numeric;
  Cell (*cell)(const CellContext&);
};

// CPU over the baseline's, paired by round; none: the row is the baseline, there is none, or the CPU of either is too
// small for single runs to mean anything.
std::optional<PairedRatio> cpu_to_baseline(const PlannedSuite& suite, const SuiteResult& result, std::size_t row);

const BuiltInColumn* find_column(const std::string& key);  // nullptr: there is none

}  // namespace iobench
