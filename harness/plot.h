// SPDX-License-Identifier: MIT
// Drawings to .dat files and, by gnuplot on plots/KIND.gp, to SVG and PNG. Everything reaches a script by argument or
// as data: nothing of a label is ever executed.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "figure.h"

namespace iobench {

// The gnuplot at hand, with the terminals it was built with.
class Gnuplot {
 public:
  // Empty path: there is none. A gnuplot that does not answer in time is not asked again.
  explicit Gnuplot(std::filesystem::path program, double timeout_s = 60);
  const std::string& why_not() const { return why_not_; }            // why nothing can be drawn; empty: it can
  const std::string& png_terminal() const { return png_terminal_; }  // "pngcairo", else "png", else empty
  // Makes `picture`: under a temporary name first, renamed when gnuplot ended with 0 and left something. Returns why
  // there is none, in words; empty: drawn.
  std::string draw(const std::filesystem::path& script, const std::string& terminal,
                   const std::filesystem::path& picture, const std::filesystem::path& data, const Drawing& drawing);

 private:
  bool has_terminal(const std::string& terminal);

  std::filesystem::path program_;
  double timeout_s_;
  std::string why_not_, png_terminal_;
};

struct Figure {
  std::string stem;                // file name without ending, safe and unique in the results directory
  std::string title;
  std::string caption;             // the title and what is shown: unit, regime, sink, interval
  bool svg = false, png = false;   // which pictures there are
  std::vector<std::string> notes;  // why there is no picture, which rows are left out
};

// One drawing per figure of the suite's file. `checks` as in suite_tables.
std::vector<Drawing> suite_drawings(const PlannedSuite& suite, const SuiteResult& result,
                                    const std::vector<RowCheck>& checks, const std::optional<PublishedTable>& published);
// The published figures by themselves, each once, whatever was measured: none of a suite without them.
std::vector<Drawing> published_drawings(const PlannedSuite& suite, const std::optional<PublishedTable>& published);
// Writes DIR/STEM.dat for each drawing of the suite and draws DIR/STEM.svg and DIR/STEM.png. What cannot be drawn says
// so in its notes, and no stale or empty picture of it is left behind.
std::vector<Figure> draw_figures(const std::string& suite, const std::vector<Drawing>& drawings,
                                 const std::filesystem::path& plots, const std::filesystem::path& directory,
                                 Gnuplot& gnuplot);

// A name as part of a file name: letters, digits, '.', '_' and '-', at most 80 bytes. Names that had to be changed get
// a digest, so that different names stay different.
std::string file_stem(const std::string& name);

}  // namespace iobench
