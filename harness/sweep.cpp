// SPDX-License-Identifier: MIT
// Positions of names and ends of axes are computed here, so that plots/sweep.gp only draws.
#include "sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "grid.h"
#include "units.h"
#include "words.h"

namespace iobench {

namespace {

struct Series {
  std::string name;
  std::vector<Point> points;
};

// The values of the figure's series variables: "pipe, warm".
std::string series_name(const PlotSpec& spec, const Row& row) {
  std::vector<std::string> parts;
  for (const std::string& variable : spec.series) {
    const std::string value = variable == "output" ? sink_words(row.output)
                              : variable == "cache" ? cache_words(row)
                              : variable == "sync"  ? std::string(row.sync ? "durable" : "")
                                                    : row.value(variable);
    if (!value.empty() && !(variable == "cache" && row.cache == Cache::none)) parts.push_back(value);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Ours and the published ones, in order of their first rows; points in order of x.
std::vector<Series> collect(FigureSource& source, std::vector<std::size_t>& drawn) {
  std::vector<Series> all;
  const auto add = [&](const std::string& name, const Point& point) {
    auto place = std::find_if(all.begin(), all.end(), [&](const Series& series) { return series.name == name; });
    if (place == all.end()) place = all.insert(all.end(), {name, {}});
    place->points.push_back(point);
  };
  for (const std::size_t row : source.rows()) {
    const Row& planned = source.suite().rows[row].row;
    double x = 0;
    try {
      x = static_cast<double>(parse_size(planned.value(source.spec().x)));
    } catch (const Error&) {
      source.omit(row, fmt::format("its {} is not a size", source.spec().x));
      continue;
    }
    std::optional<Point> point = source.measured(row);
    if (!point)
      source.omit(row, "no valid sample");
    else if (!(x > 0))
      source.omit(row, fmt::format("its {} has no place on a logarithmic axis", source.spec().x));
    else {
      point->x = x;
      drawn.push_back(row);
      add(series_name(source.spec(), planned), *point);
    }
    if (std::optional<Point> then = source.published(row); then && x > 0) {
      then->x = x;
      const std::string name = series_name(source.spec(), planned);
      add("published" + (name.empty() ? "" : ", " + name), *then);
    }
  }
  for (Series& series : all)
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const Point& a, const Point& b) { return a.x < b.x; });
  return all;
}

// The ends of the axes.
struct Range {
  double x_low = std::numeric_limits<double>::infinity(), x_high = 0, y_high = 0;
};

Range range_of(const std::vector<Series>& all) {
  Range range;
  for (const Series& series : all)
    for (const Point& point : series.points) {
      range.x_low = std::min(range.x_low, point.x);
      range.x_high = std::max(range.x_high, point.x);
      range.y_high = std::max(range.y_high, point.high);
    }
  if (range.x_low == range.x_high) {
    range.x_low /= 2;
    range.x_high *= 2;
  }
  return range;
}

// Bytes a second of the memory-copy limit, where the figure asks for it and it fits the axis; 0: none.
double limit_of(const FigureSource& source) {
  const bool wanted =
      source.spec().limit == "memory-copy" && source.spec().y == "bytes_per_s" && !source.spec().relative;
  const std::optional<Summary>& copy = source.result().memory_copy;
  return wanted && copy && copy->n > 0 && drawable(copy->median) ? copy->median : 0;
}

// A name beside the end of its line, in the axis' unit; line 0: the limit.
struct Name {
  std::string text;
  double y = 0;
  std::size_t line = 0;
};

// Where the names stand, and the end of the x axis that leaves room for them. A character is about 8 pixels wide in a
// plot of 1070 (plots/style.gp); names longer than half of it would leave no plot.
struct NamePlace {
  double x = 0, x_end = 0;
};
NamePlace place_names(const std::vector<Name>& names, const Range& range) {
  constexpr double plot_width = 1070, character_width = 8, margin = 40, indent = 20;
  std::size_t longest = 0;
  for (const Name& name : names) longest = std::max(longest, code_points(name.text));
  const double width = std::min(0.5 * plot_width, margin + character_width * static_cast<double>(longest));
  const double octaves_per_pixel = std::log2(range.x_high / range.x_low) / (plot_width - width);
  return {range.x_high * std::exp2(octaves_per_pixel * indent), range.x_high * std::exp2(octaves_per_pixel * width)};
}

std::string data_of(const std::vector<Series>& all, const std::vector<Name>& names, double x_names, double y_end) {
  // A line of text is 13 of about 600 pixels high; 0.042 of the axis keeps two of them apart.
  std::vector<double> wanted;
  for (const Name& name : names) wanted.push_back(name.y);
  const std::vector<double> heights = spread_labels(wanted, y_end * 0.042, 0, y_end);
  std::string data = "# names of the lines: x, y, line (0: limit), name\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    data += fmt::format("{}\t{}\t{}\t{}\n", format_exact(x_names), format_exact(heights[i]), names[i].line,
                        data_text(names[i].text));
  for (const Series& series : all) {
    data += fmt::format("\n\n# {}\n", series.name.empty() ? "all rows" : printable(series.name));
    for (const Point& point : series.points) data += data_point(point) + "\n";
  }
  return data;
}

}  // namespace

// Numbers: series, first x, last x, end of the x axis with room for names, end of the y axis, limit or 0.
Drawing draw_sweep(FigureSource source) {
  std::vector<std::size_t> drawn;
  std::vector<Series> all = collect(source, drawn);
  Drawing drawing = source.begin();
  if (drawn.empty()) {
    drawing.note = "no valid sample to draw";
    return drawing;
  }
  const Range range = range_of(all);
  const double limit = limit_of(source);
  const Scale scale = source.scale(std::max(range.y_high, limit));
  const double y_end = std::max(range.y_high, limit) / scale.unit * 1.06;

  std::vector<Name> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (Point& point : all[i].points)
      for (double* value : {&point.y, &point.low, &point.high}) *value /= scale.unit;
    names.push_back({figure_text(all.size() > 1 ? all[i].name : "", 40), all[i].points.back().y, i + 1});
  }
  if (limit > 0) names.push_back({"memory copy, " + format_rate(limit), limit / scale.unit, 0});
  const NamePlace place = place_names(names, range);

  drawing.subtitle = source.subtitle(drawn);
  drawing.x_label =
      source.spec().x == "block" ? "block size (bytes per call)" : figure_text(source.spec().x) + " (bytes)";
  drawing.y_label = scale.label;
  drawing.numbers = fmt::format("{} {} {} {} {} {}", all.size(), format_exact(range.x_low), format_exact(range.x_high),
                                format_exact(place.x_end), format_exact(y_end), format_exact(limit / scale.unit));
  drawing.data =
      source.head(drawing, fmt::format("{} over {}; columns: x, y, low, high, row", scale.label, drawing.x_label)) +
      data_of(all, names, place.x, y_end);
  return drawing;
}

std::vector<double> spread_labels(const std::vector<double>& wanted, double gap, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<double> placed = wanted;
  double floor = low;
  for (const std::size_t i : order) {  // upwards, off the one below
    placed[i] = std::max(placed[i], floor);
    floor = placed[i] + gap;
  }
  double ceiling = high;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {  // and down again from the top
    placed[*i] = std::min(placed[*i], ceiling);
    ceiling = placed[*i] - gap;
  }
  return placed;
}

}  // namespace iobench
