// SPDX-License-Identifier: MIT
// How a suite's file names a column of a table: "wall", "row.medium", "published.wall_s", each also with " where
// VARIABLE=VALUE" behind it. What the names mean is left to column, original and table. Pure.
#pragma once

#include <string>
#include <vector>

namespace iobench {

// What a name without a prefix may be. table tests that it serves each.
const std::vector<std::string>& column_keys();

struct ColumnKey {
  enum class Kind {
    built_in,         // one of column_keys()
    row_value,        // row.VARIABLE: a value of the row
    published,        // published.COLUMN: as it was printed
    published_ratio,  // published_ratio.COLUMN: over that of the group's baseline
    published_step,   // published_step.COLUMN: over that of the row before it along the table's `step`
    published_over_control  // published_over_control.COLUMN: less that of the published control
  };
  Kind kind = Kind::built_in;
  std::string name;  // key, variable, or column of the CSV, whose {placeholders} are filled in from the row
  std::string only;  // which rows of a line it is of, "VARIABLE=VALUE" or several with " and "; empty: all
  bool is_published() const { return kind != Kind::built_in && kind != Kind::row_value; }
};
ColumnKey parse_column_key(const std::string& text);
// Whether it shows how fast rows of ours are: a table that does shows `of_limit`, too, asked or not.
bool tells_speed(const ColumnKey& column);

}  // namespace iobench
