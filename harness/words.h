// SPDX-License-Identifier: MIT
// The words that tables, figures and sentences share: sinks, regimes, sizes, states, ratios with their intervals. Pure.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "plan.h"
#include "summary.h"

namespace iobench {

std::string sink_words(Output output);                                     // "null device", "pipe", "new file"
std::string sink_words(const Row& row);                                    // the same; "new file, durable" when it is synced
std::string source_words(const Row& row);                                  // "warm file", "pipe", "TCP over 100 Mbit/s"
std::string strategy_words(const PlannedRow& row);                         // its tool, block, options: "readwrite 64K", "cat"
std::string cache_words(const Row& row);                                   // "warm", "cold (not confined)"; empty: none
std::string size_words(const PlannedRow& row);                             // "1 GiB", "38,123 bytes x 300"
std::string status_words(const RowResult& result, const RowCheck* check);  // "ok", "failed: 2 of 10 runs: …"
// "80.9–82.1 ms", "-3.20 to 4.10 µs": both ends as `format` writes them, the unit once where it is the same.
std::string range_words(const Interval& interval, std::string (*format)(double));
std::string row_words(const PlannedRow& row);                              // its label if that names the tool, else its command
std::string speed_words(const PlannedRow& row, const RowResult& result);   // "14.6 GB/s", or of many copies "811 µs per copy"
std::string ratio_words(double ratio, const Interval& interval);           // "1.037 [1.021, 1.052]"; "–" for none
std::string ratio_words(const PairedRatio& ratio);                         // "1.037 [1.021, 1.052]"; "–" for none
std::string floor_words(double noise_floor);  // of a floor above 1: "2.8 %", "a factor of 2.1"
// "range of 7 rounds, 98.4 %" or "order statistics of 11 rounds, 98.8 %"; empty: no interval.
std::string interval_words(const RowResult& result, const std::string& metric_name);

// What the rows have in common: "warm file to the null device, 1 GiB per run". Parts in which they differ are left out.
struct Conditions {
  std::string text;
  bool one_sink = true, one_cache = true, one_size = true;
};
Conditions conditions(const std::vector<const PlannedRow*>& rows);
std::string group_words(const PlannedSuite& suite, std::size_t group);  // what its rows have in common

// "CPU of a copy: warm file to the null device"; after a question the conditions are a sentence of their own.
std::string joined(const std::string& title, std::string conditions);


}  // namespace iobench
