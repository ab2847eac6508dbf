// SPDX-License-Identifier: MIT
// Results to the tables of a suite: which rows and columns, and the notes that say how to read them. Columns are those
// of column.h, values of the rows, and the published figures, as they are or set in relation (column_key.h). Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grid.h"
#include "plan.h"
#include "summary.h"

namespace iobench {

// The tables of one suite: those its file names, or the standard one when it names none, one per group. Every table
// says sink, regime and size: in its title where they are the same for all rows, otherwise in columns of their own.
// Rows that are no copies are never ranked against copies.
std::vector<Table> suite_tables(const PlannedSuite& suite, const SuiteResult& result,
                                const std::vector<RowCheck>& checks, const std::optional<PublishedTable>& published);

}  // namespace iobench
