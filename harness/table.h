// SPDX-License-Identifier: MIT
// Results to tables: which columns there are and what each shows. Built-in columns are in table.cpp's one list;
// "published.COLUMN" takes a column of the published figures. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grid.h"
#include "plan.h"
#include "summary.h"

namespace iobench {

bool is_column(const std::string& key);  // known built-in

// The tables of one suite: those its file names, or the standard one when it names none, one per group. Every table says
// sink, regime and size: in its title where they are the same for all rows, otherwise in columns of their own.
// `moves_nothing` names the tools that move no data into the null device; there they are never ranked against copies.
std::vector<Table> suite_tables(const PlannedSuite& suite, const SuiteResult& result, const std::vector<RowCheck>& checks,
                                const std::optional<PublishedTable>& published,
                                const std::set<std::string>& moves_nothing = {});

// The words that tables, figures and sentences share.
std::string sink_words(Output output);                    // "null device", "pipe", "new file"
std::string status_words(const RowResult& result, const RowCheck* check);  // "ok", "failed: 2 of 10 runs: …"
std::string size_words(const PlannedRow& row);            // "1 GiB", "38,123 bytes x 300"
std::string ratio_words(const PairedRatio& ratio);        // "1.037 [1.021, 1.052]"; "–" for none
std::string interval_words(const RowResult& result, const std::string& metric_name);  // "range of 7 rounds, 98.4 %"

// What the rows have in common: "warm file to the null device, 1 GiB per run". Parts in which they differ are left out.
struct Conditions {
  std::string text;
  bool one_sink = true, one_cache = true, one_size = true;
};
Conditions conditions(const std::vector<const PlannedRow*>& rows);

// Whether a row's time is that of a copy: not when its tool moves nothing into the null device.
bool is_copy(const Row& row, const std::set<std::string>& moves_nothing);

}  // namespace iobench
