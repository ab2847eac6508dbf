// SPDX-License-Identifier: MIT
// What every kind of figure is made of: a row's point with its interval, the published one beside it, the unit of the
// axis, the words around it. The scripts under plots/ compute nothing; sweep, bars and fit_plot do the layout.
// Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bound.h"
#include "original.h"
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
  double x = 0, y = 0, low = 0, high = 0;  // low = high = y: no interval; published: neither rounding nor error known
  std::string row;
};

// How a metric is written on an axis: what it is, with its unit in parentheses.
struct Scale {
  double unit = 1;
  std::string label;
};

// What a figure shows: ours with the published figures beside it, or the published ones by themselves.
enum class Shown { measured, published };

// One figure's view of a suite: the rows that it shows and what there is to show of each.
class FigureSource {
 public:
  // Rows that are no copies are left out.
  FigureSource(const PlannedSuite& suite, const SuiteResult& result, const std::optional<PublishedTable>& published,
               const PlotSpec& spec, Shown shown = Shown::measured);

  const PlannedSuite& suite() const { return suite_; }
  const SuiteResult& result() const { return result_; }
  const PlotSpec& spec() const { return spec_; }
  const Originals& originals() const { return originals_; }
  const std::vector<std::size_t>& rows() const { return rows_; }  // indices into PlannedSuite::rows
  bool published_alone() const { return shown_ == Shown::published; }

  // Ours, absolute, as a multiple of its baseline or less its control; none: no valid sample, or published figures
  // alone. Always finite, and above 0 unless a control is taken off.
  std::optional<Point> measured(std::size_t row) const;
  std::optional<Point> published(std::size_t row) const;
  std::vector<std::pair<std::string, Point>> published_lines() const;  // by themselves, with their names
  bool is_baseline(std::size_t row) const;
  Scale scale(double typical) const;
  // The limit that bounds the row, where the axis is one of bytes a second and it was measured.
  std::optional<Bound> limit(std::size_t row) const;
  // The values of the row's series variables: "pipe, warm".
  std::string series_of(std::size_t row) const;

  // A drawing with name, kind, title and the rows left out so far.
  Drawing begin() const;
  void omit(std::size_t row, const std::string& reason);
  // Conditions of the drawn rows; on a second line what points and whiskers are. For published figures alone what
  // their author says of them.
  std::string subtitle(const std::vector<std::size_t>& drawn) const;
  // The head of a data file: '#' lines.
  std::string head(const Drawing& drawing, const std::string& columns) const;

 private:
  std::optional<Point> point_of(const std::optional<Estimate>& estimate) const;
  std::string how_measured(const std::vector<std::size_t>& drawn) const;
  std::string how_published() const;

  const PlannedSuite& suite_;
  const SuiteResult& result_;
  const PlotSpec& spec_;
  Originals originals_;
  Shown shown_;
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
