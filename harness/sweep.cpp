// SPDX-License-Identifier: MIT
// Positions of names and ends of axes are computed here, so that plots/sweep.gp only draws.
#include "sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "grid.h"
#include "units.h"

namespace iobench {

namespace {

struct Series {
  std::string name;
  std::vector<Point> points;
  std::size_t style = 0;   // from 1; ours and the published one beside it have the same
  bool published = false;  // hollow and dotted
};

std::optional<double> x_of(FigureSource& source, std::size_t row) {
  try {
    return static_cast<double>(parse_size(source.suite().rows[row].row.value(source.spec().x)));
  } catch (const Error&) {
    source.omit(row, fmt::format("its {} is not a size", source.spec().x));
    return std::nullopt;
  }
}

void add_point(std::vector<Series>& all, const std::string& name, bool published, const Point& point) {
  auto place = std::find_if(all.begin(), all.end(), [&](const Series& series) {
    return series.name == name && series.published == published;
  });
  if (place == all.end()) place = all.insert(all.end(), {name, {}, 0, published});
  place->points.push_back(point);
}

// The published figures beside the rows. One that is beside rows of several series belongs to none of them.
void add_published(std::vector<Series>& all, const FigureSource& source,
                   const std::vector<std::pair<std::size_t, double>>& placed) {
  using Figure = std::pair<std::size_t, std::string>;  // line and column of the CSV
  const auto figure_of = [&](std::size_t row) {
    return Figure{source.originals().line(row).value_or(SIZE_MAX),
                  fill_in(source.spec().published, source.suite().rows[row].row)};
  };
  std::map<Figure, std::set<std::string>> series_beside;
  for (const auto& [row, x] : placed) series_beside[figure_of(row)].insert(source.series_of(row));
  const bool shared = std::any_of(series_beside.begin(), series_beside.end(), [](const auto& figure) {
    return figure.first.first != SIZE_MAX && figure.second.size() > 1;
  });
  std::set<Figure> drawn;
  for (const auto& [row, x] : placed)
    if (std::optional<Point> then = source.published(row); then && drawn.insert(figure_of(row)).second) {
      then->x = x;
      add_point(all, shared ? "" : source.series_of(row), true, *then);
    }
}

// Ours in order of their first rows, then the published ones; points in order of x.
std::vector<Series> collect(FigureSource& source, std::vector<std::size_t>& drawn) {
  std::vector<Series> all;
  std::vector<std::pair<std::size_t, double>> placed;
  for (const std::size_t row : source.rows()) {
    const std::optional<double> x = x_of(source, row);
    if (!x) continue;
    std::optional<Point> point = source.measured(row);
    if (*x > 0) placed.emplace_back(row, *x);
    if (source.published_alone()) continue;
    if (!point)
      source.omit(row, "no valid sample");
    else if (!(*x > 0))
      source.omit(row, fmt::format("its {} has no place on a logarithmic axis", source.spec().x));
    else {
      point->x = *x;
      drawn.push_back(row);
      add_point(all, source.series_of(row), false, *point);
    }
  }
  add_published(all, source, placed);
  std::size_t styles = 0;
  for (Series& series : all) {
    const auto ours = std::find_if(all.begin(), all.end(), [&](const Series& other) {
      return !other.published && other.name == series.name;
    });
    series.style = series.published && ours != all.end() ? ours->style : ++styles;
    std::stable_sort(series.points.begin(), series.points.end(),
                     [](const Point& a, const Point& b) { return a.x < b.x; });
  }
  return all;
}

// What stands at the end of a line; nothing where one line is all there is.
std::string name_of(const Series& series, const std::vector<Series>& all, bool published_alone) {
  if (all.size() == 1) return "";
  const std::string kind = published_alone ? "" : series.published ? "published" : series.name.empty() ? "now, here" : "";
  return series.name + (series.name.empty() || kind.empty() ? "" : ", ") + kind;
}

// The ends of the axes.
struct Range {
  double x_low = std::numeric_limits<double>::infinity(), x_high = 0;
  double y_low = std::numeric_limits<double>::infinity(), y_high = 0;
};

Range range_of(const std::vector<Series>& all) {
  Range range;
  for (const Series& series : all)
    for (const Point& point : series.points) {
      range.x_low = std::min(range.x_low, point.x);
      range.x_high = std::max(range.x_high, point.x);
      range.y_low = std::min(range.y_low, point.low);
      range.y_high = std::max(range.y_high, point.high);
    }
  if (range.x_low == range.x_high) {
    range.x_low /= 2;
    range.x_high *= 2;
  }
  return range;
}

// The limits that bound the drawn rows, each once, the highest first.
std::vector<Bound> limits_of(const FigureSource& source, const std::vector<std::size_t>& drawn) {
  std::vector<Bound> limits;
  for (const std::size_t row : drawn)
    if (const std::optional<Bound> limit = source.limit(row);
        limit && std::none_of(limits.begin(), limits.end(), [&](const Bound& known) { return known.name == limit->name; }))
      limits.push_back(*limit);
  std::stable_sort(limits.begin(), limits.end(), [](const Bound& x, const Bound& y) { return x.bytes_per_s > y.bytes_per_s; });
  return limits;
}

// The y axis, in its unit; a logarithmic one has as much room above and below.
struct Axis {
  double begin = 0, end = 0;
  bool log = false;
  // Between 0 and 1.
  double height(double y) const { return log ? std::log(y / begin) / std::log(end / begin) : (y - begin) / (end - begin); }
  double at(double height) const {
    return log ? begin * std::pow(end / begin, height) : begin + height * (end - begin);
  }
};

Axis axis_of(const Range& range, const std::vector<Bound>& limits, double unit, bool log) {
  double high = range.y_high / unit, low = range.y_low / unit;
  for (const Bound& limit : limits) {
    high = std::max(high, limit.bytes_per_s / unit);
    low = std::min(low, limit.bytes_per_s / unit);
  }
  if (!log) return {0, high * 1.06, false};
  return {low / 1.25, high * 1.25, true};
}

// A name beside the end of its line, in the axis' unit; line 0: a limit.
struct Name {
  std::string text;
  double y = 0;
  std::size_t line = 0;
};

// Where the names stand, the end of the x axis that leaves room for them, and how far the whiskers of neighbouring
// series are moved apart, as a factor. A character is about 8 pixels wide in a plot of 1070 (plots/style.gp); names
// longer than half of it would leave no plot.
struct NamePlace {
  double x = 0, x_end = 0, apart = 1;
};
NamePlace place_names(const std::vector<Name>& names, const Range& range) {
  constexpr double plot_width = 1070, character_width = 8, margin = 40, indent = 20, whiskers_apart = 6;
  std::size_t longest = 0;
  for (const Name& name : names) longest = std::max(longest, code_points(name.text));
  const double width = std::min(0.5 * plot_width, margin + character_width * static_cast<double>(longest));
  const double octaves_per_pixel = std::log2(range.x_high / range.x_low) / (plot_width - width);
  return {range.x_high * std::exp2(octaves_per_pixel * indent), range.x_high * std::exp2(octaves_per_pixel * width),
          std::exp2(octaves_per_pixel * whiskers_apart)};
}

std::string data_of(const std::vector<Series>& all, const std::vector<Name>& names, double x_names, const Axis& axis) {
  // A line of text is 13 of about 600 pixels high; 0.042 of the axis keeps two of them apart.
  std::vector<double> wanted;
  for (const Name& name : names) wanted.push_back(axis.height(name.y));
  const std::vector<double> heights = spread_labels(wanted, 0.042, 0, 1);
  std::string data = "# names of the lines: x, y, line (0: a limit), name\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    data += fmt::format("{}\t{}\t{}\t{}\n", format_exact(x_names), format_exact(axis.at(heights[i])), names[i].line,
                        data_text(names[i].text));
  if (names.empty()) data += format_exact(x_names) + "\tNaN\t-1\t\"\"\n";  // a block without a line would be none
  for (const Series& series : all) {
    data += fmt::format("\n\n# {}{}\n", series.name.empty() ? "all rows" : printable(series.name),
                        series.published ? ", published" : "");
    for (const Point& point : series.points) data += data_point(point) + "\n";
  }
  return data;
}

// The sizes that have a mark of their own: all that are drawn, unless they are powers of two, which the script knows.
std::vector<double> marks_of(const std::vector<Series>& all) {
  std::set<double> sizes;
  for (const Series& series : all)
    for (const Point& point : series.points) sizes.insert(point.x);
  const bool powers = std::all_of(sizes.begin(), sizes.end(), [](double size) { return std::exp2(std::round(std::log2(size))) == size; });
  return powers ? std::vector<double>{} : std::vector<double>(sizes.begin(), sizes.end());
}

constexpr std::size_t styles_drawn = 12;  // plots/style.gp has so many; one series more looks like the first

std::string x_words(const PlotSpec& spec) {
  if (!spec.x_label.empty()) return figure_text(spec.x_label);
  return spec.x == "block" ? "block size (bytes per call)" : figure_text(spec.x) + " (bytes)";
}

}  // namespace

// Numbers: series, first x, last x, end of the x axis with room for names, ends of the y axis, 1 for a logarithmic one,
// number of limits, factor by which whiskers of neighbouring series are moved apart; then for each series its style, above
// 20 a published one's; then the heights of the limits; then the sizes that have marks, none: powers of two.
Drawing draw_sweep(FigureSource source) {
  std::vector<std::size_t> drawn;
  std::vector<Series> all = collect(source, drawn);
  Drawing drawing = source.begin();
  if (all.empty() || (drawn.empty() && !source.published_alone())) {
    drawing.note = source.published_alone() ? "no published figure to draw" : "no valid sample to draw";
    return drawing;
  }
  const Range range = range_of(all);
  const std::vector<Bound> limits = limits_of(source, drawn);
  const double highest = std::max(range.y_high, limits.empty() ? 0 : limits.front().bytes_per_s);
  const bool log = source.spec().log;
  const Scale scale = source.scale(log ? std::sqrt(range.y_low * highest) : highest);
  const Axis axis = axis_of(range, limits, scale.unit, log);

  std::vector<Name> names;
  std::string styles;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (Point& point : all[i].points)
      for (double* value : {&point.y, &point.low, &point.high}) *value /= scale.unit;
    if (const std::string name = name_of(all[i], all, source.published_alone()); !name.empty())
      names.push_back({figure_text(name, 40), all[i].points.back().y, i + 1});
    styles += fmt::format(" {}", (all[i].style - 1) % styles_drawn + 1 + (all[i].published ? 20 : 0));
  }
  std::string heights;
  for (const Bound& limit : limits) {
    names.push_back({fmt::format("limit, {}: {}", limit.name, format_rate(limit.bytes_per_s)), limit.bytes_per_s / scale.unit, 0});
    heights += " " + format_exact(limit.bytes_per_s / scale.unit);
  }
  const NamePlace place = place_names(names, range);

  drawing.subtitle = source.subtitle(drawn);
  drawing.x_label = x_words(source.spec());
  drawing.y_label = scale.label;
  drawing.numbers = fmt::format("{} {} {} {} {} {} {} {} {}{}{}", all.size(), format_exact(range.x_low),
                                format_exact(range.x_high), format_exact(place.x_end), format_exact(axis.begin),
                                format_exact(axis.end), axis.log ? 1 : 0, limits.size(),
                                format_exact(place.apart), styles, heights);
  for (const double mark : marks_of(all)) drawing.numbers += " " + format_exact(mark);
  drawing.data =
      source.head(drawing, fmt::format("{} over {}; columns: x, y, low, high, row", scale.label, drawing.x_label)) +
      data_of(all, names, place.x, axis);
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
