// SPDX-License-Identifier: MIT
// Results to .dat files, and gnuplot on plots/KIND.gp to SVG and PNG. The scripts compute nothing; nothing of a label is
// ever executed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plan.h"
#include "summary.h"

namespace iobench {

struct Figure {
  std::string stem;               // file name without ending, safe and unique in the results directory
  std::string caption;            // what is shown: unit, regime, sink, interval
  std::string note;               // why there is no picture; empty: drawn
};

// Writes DIR/STEM.dat for each figure of the suite and draws DIR/STEM.svg and DIR/STEM.png with `gnuplot` (empty path:
// none, every figure says so). A figure without valid points is skipped with a note, the others are drawn. No stale or
// empty picture is left behind.
std::vector<Figure> draw_figures(const PlannedSuite& suite, const SuiteResult& result,
                                 const std::optional<PublishedTable>& published, const std::filesystem::path& plots,
                                 const std::filesystem::path& directory, const std::filesystem::path& gnuplot);

}  // namespace iobench
