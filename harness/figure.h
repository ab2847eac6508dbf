// SPDX-License-Identifier: MIT
// Results to the numbers and words of a figure: what plots/KIND.gp draws without computing anything. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan.h"
#include "summary.h"

namespace iobench {

// What a script is given: ARG1 terminal, ARG2 picture, ARG3 data file, then these.
struct Drawing {
  std::string name;      // of the PlotSpec
  std::string kind;      // plots/KIND.gp
  std::string title;     // ARG4
  std::string subtitle;  // ARG5: conditions, then how the numbers were got, a line each
  std::string x_label;   // ARG6
  std::string y_label;   // ARG7
  std::string numbers;   // ARG8: counts and axis ends, separated by spaces; each script says which
  std::string data;      // content of the .dat file
  std::string note;      // why there is nothing to draw
  std::vector<std::string> omitted;  // rows left out, each with its reason
};

// One per figure of the suite's file. `moves_nothing` as in suite_tables: such rows are left out.
std::vector<Drawing> suite_drawings(const PlannedSuite& suite, const SuiteResult& result,
                                    const std::optional<PublishedTable>& published,
                                    const std::set<std::string>& moves_nothing = {});

// Text as the scripts can show it: one line, at most `limit` code points, nothing that gnuplot or an SVG reader would
// take for markup.
std::string figure_text(const std::string& text, std::size_t limit = 120);

// Heights for names beside the ends of lines: as near to `wanted` as `gap` between any two allows, inside [low, high].
std::vector<double> spread_labels(const std::vector<double>& wanted, double gap, double low, double high);

}  // namespace iobench
