// SPDX-License-Identifier: MIT
// The built-in columns of tables: key, heading, CSV headings with units, and what each shows of a row. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "grid.h"
#include "plan.h"
#include "summary.h"

namespace iobench {

// What a cell is made of, and where it leaves its notes.
struct CellContext {
  const PlannedSuite& suite;
  const SuiteResult& result;
  const PlannedRow& row;
  const RowResult& own;
  const RowCheck* check;                       // nullptr: none was kept
  const std::set<std::string>& moves_nothing;  // tools that move no data into the null device
  std::vector<std::string>& notes;

  const Group& group() const { return suite.groups[row.group]; }
  void note(const std::string& text) const;  // once
};

struct BuiltInColumn {
  const char* key;  // as in a suite's file: one of column_keys()
  const char* heading;
  std::vector<std::string> csv;  // one CSV heading for each field of a cell
  bool numeric;
  Cell (*cell)(const CellContext&);
};

const BuiltInColumn* find_column(const std::string& key);  // nullptr: there is none

}  // namespace iobench
