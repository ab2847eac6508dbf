// SPDX-License-Identifier: MIT
// What every kind of figure is made of: a row's point with its interval, the published one beside it, the unit of the
// axis, the words around it. The scripts under plots/ compute nothing; sweep, bars and fit_plot do the layout.
// Pure.
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
  std::string name;                  // of the PlotSpec
  std::string kind;                  // plots/KIND.gp
  std::string title;                 // ARG4
  std::string subtitle;              // ARG5: conditions, how the numbers were got, for a fit its words; a line each
  std::string x_label;               // ARG6
  std::string y_label;               // ARG7
  std::string numbers;               // ARG8: counts and axis ends, separated by spaces; each script says which
  std::string data;                  // content of the .dat file
  std::string note;                  // why there is nothing to draw
  std::vector<std::string> omitted;  // rows left out, each with its reason
};

struct Point {
  double x = 0, y = 0, low = 0, high = 0;  // low = high = y: no interval
  std::string row;
};

// How a metric is written on an axis.
struct Scale {
  double unit = 1;
  std::string label;
};

// One figure's view of a suite: the rows that it shows and what there is to show of each.
class FigureSource {
 public:
  // Rows that are no copies are left out.
  FigureSource(const PlannedSuite& suite, const SuiteResult& result, const std::optional<PublishedTable>& published,
               const PlotSpec& spec);

  const PlannedSuite& suite() const { return suite_; }
  const SuiteResult& result() const { return result_; }
  const PlotSpec& spec() const { return spec_; }
  const std::vector<std::size_t>& rows() const { return rows_; }  // indices into PlannedSuite::rows

  // Ours, absolute or as a multiple of its baseline; none: no valid sample. Always above 0 and finite.
  std::optional<Point> measured(std::size_t row) const;
  std::optional<Point> published(std::size_t row) const;
  bool is_baseline(std::size_t row) const;
  Scale scale(double largest) const;

  // A drawing with name, kind, title and the rows left out so far.
  Drawing begin() const;
  void omit(std::size_t row, const std::string& reason);
  // Conditions of the drawn rows; on a second line what points and whiskers are.
  std::string subtitle(const std::vector<std::size_t>& drawn) const;
  // The head of a data file: '#' lines.
  std::string head(const Drawing& drawing, const std::string& columns) const;

 private:
  const PlannedSuite& suite_;
  const SuiteResult& result_;
  const std::optional<PublishedTable>& published_;
  const PlotSpec& spec_;
  std::vector<std::size_t> rows_;
  std::vector<std::string> omitted_;
};

// Whether a value can stand on any axis, logarithmic ones included.
bool drawable(double value);
// Text as the scripts can show it: one line, at most `limit` code points, nothing that gnuplot or an SVG reader would
// take for markup.
std::string figure_text(const std::string& text, std::size_t limit = 120);
// Such a text as a field of a data file, and a point as its first five fields, without a line end.
std::string data_text(const std::string& text);
std::string data_point(const Point& point);

}  // namespace iobench
