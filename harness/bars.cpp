// SPDX-License-Identifier: MIT
// Ends of the axis and the words beside the bars are computed here, so that plots/bars.gp only draws.
#include "bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "grid.h"
#include "share.h"
#include "units.h"

namespace iobench {

namespace {

// A place with a name: a row of ours and the published figure beside it, or either alone.
struct Bar {
  std::string name;
  std::string group;  // of the series variables; bars of one group stand together, under its name
  std::optional<std::size_t> row;
  std::optional<Point> then, now;
  double place = 0;  // from below; neighbours are 1 apart
};

constexpr const char* published_group = "published";
constexpr double heading_height = 0.8;  // of a group's name, in places

// The ends of the axis, in its unit, with room for the words beside the bars: a sixth of the length and a little for
// each character beyond the shortest words, on a logarithmic axis of the decades.
struct Axis {
  double origin = 0, low = 0, high = 0;
};

Axis axis_of(const std::vector<Bar>& bars, bool relative, double unit, std::size_t longest_words) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Bar& bar : bars)
    for (const std::optional<Point>* point : {&bar.then, &bar.now})
      if (*point) {
        low = std::min(low, (*point)->low / unit);
        high = std::max(high, (*point)->high / unit);
      }
  const double room = 0.1 + 0.009 * static_cast<double>(longest_words);
  if (!relative) {
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
    return {0, low - (low < 0 ? 0.03 * (high - low) : 0), high + room * (high - low)};
  }
  low = low < 1 ? low / 1.1 : 0.97;
  high = std::max(1.5, high);
  return {1, low, high * std::pow(high / low, room)};
}

// Two digits, and what the figure may stand for: "23× (15 to 47)".
std::string open_words(const Point& point) {
  const auto two_digits = [](double value) { return format_fixed(value, value < 9.95 ? 1 : 0); };
  return fmt::format("{}× ({} to {})", two_digits(point.y), two_digits(point.low), two_digits(point.high));
}

// "8.47×", "81.3 ms": as many digits in every bar of a figure.
std::string value_words(const FigureSource& source, const Bar& bar, const Point& point, bool published) {
  const PlotSpec& spec = source.spec();
  if (spec.relative && bar.row && source.is_baseline(*bar.row)) return "1 (baseline)";
  if (spec.relative)
    return published && point.low < point.high ? open_words(point) : format_number(point.y) + "×";
  if (spec.y == "bytes_per_s") {
    const std::string share = !published && bar.row ? share_of_limit(source.suite(), source.result(), *bar.row).words : "";
    return format_rate(point.y) + (share.empty() ? "" : ", " + share);
  }
  if (source.scale(std::fabs(point.y)).label.ends_with("s)")) return format_seconds(point.y);
  return format_number(point.y);
}

// Rows in groups, each under its name, from the top; the published lines that are beside no row last.
std::vector<Bar> collect(FigureSource& source, std::vector<std::size_t>& drawn) {
  std::vector<Bar> bars;
  const auto add = [&](const Bar& bar) {
    auto place = std::find_if(bars.rbegin(), bars.rend(), [&](const Bar& other) { return other.group == bar.group; });
    bars.insert(place == bars.rend() ? bars.end() : place.base(), bar);
  };
  for (const std::size_t row : source.rows()) {
    const PlotSpec& spec = source.spec();
    Bar bar{source.suite().rows[row].row.value(spec.x), source.series_of(row), row, source.published(row),
            source.measured(row)};
    const bool control = has_values(source.suite().rows[row].row, spec.minus) && !spec.minus.empty();
    if (control) continue;
    if (bar.now) drawn.push_back(row);
    else if (!source.published_alone()) source.omit(row, "no valid sample");
    if (bar.now || bar.then) add(bar);
  }
  const bool grouped = !source.spec().series.empty();
  for (const auto& [name, point] : source.published_lines())
    add({name, grouped && !source.published_alone() ? published_group : "", std::nullopt, point, std::nullopt});
  return bars;
}

// The names of the groups with their places, from below; sets the places of the bars, and says how high all are.
struct Heading {
  std::string text;
  double place = 0;
};
double place_bars(std::vector<Bar>& bars, std::vector<Heading>& headings) {
  const bool grouped = std::any_of(bars.begin(), bars.end(), [](const Bar& bar) { return !bar.group.empty(); });
  double height = 0;
  for (std::size_t i = bars.size(); i-- > 0;) {
    bars[i].place = height++;
    if (!grouped || (i > 0 && bars[i - 1].group == bars[i].group)) continue;
    headings.push_back({bars[i].group, height - 0.5 + 0.4 * heading_height});
    height += heading_height;
  }
  return height;
}

// Centre, value, ends, row, words, half the height. Two bars of a place share it, then above, now below.
std::string block_of(const FigureSource& source, const std::vector<Bar>& bars, bool published, double unit) {
  std::string data;
  for (const Bar& bar : bars) {
    std::optional<Point> point = published ? bar.then : bar.now;
    if (!point) continue;
    const bool shared = bar.then && bar.now;
    const std::string words = value_words(source, bar, *point, published);
    for (double* value : {&point->y, &point->low, &point->high}) *value /= unit;
    point->x = bar.place + (!shared ? 0 : published ? 0.19 : -0.19);
    data += data_point(*point) + "\t" + data_text(words) + "\t" + (shared ? "0.17" : "0.28") + "\n";
  }
  return data;
}

// Place and height of the limits that fit on the axis.
std::string limits_of(const FigureSource& source, const std::vector<Bar>& bars, double end, double unit) {
  std::string data;
  for (const Bar& bar : bars)
    if (const std::optional<Bound> limit = bar.now && bar.row ? source.limit(*bar.row) : std::nullopt; limit && limit->bytes_per_s / unit <= end)
      data += fmt::format("{}\t{}\t{}\n", format_exact(bar.place), format_exact(limit->bytes_per_s / unit), data_text(limit->name));
  return data;
}

std::size_t longest_words(const FigureSource& source, const std::vector<Bar>& bars) {
  std::size_t longest = 0;
  for (const Bar& bar : bars)
    for (const bool published : {false, true})
      if (const std::optional<Point>& point = published ? bar.then : bar.now)
        longest = std::max(longest, code_points(value_words(source, bar, *point, published)));
  return longest;
}

}  // namespace

// Numbers: height of all places, the blocks of now, then and the groups' names (0: there is none), origin of the bars,
// ends of the axis, whether it is logarithmic, whether some place has two bars, the block of the limits.
Drawing draw_bars(FigureSource source) {
  std::vector<std::size_t> drawn;
  std::vector<Bar> bars = collect(source, drawn);
  Drawing drawing = source.begin();
  if (bars.empty() || (drawn.empty() && !source.published_alone())) {
    drawing.note = source.published_alone() ? "no published figure to draw" : "no valid sample to draw";
    return drawing;
  }
  double largest = 0;
  for (const Bar& bar : bars)
    for (const std::optional<Point>* point : {&bar.then, &bar.now})
      if (*point) largest = std::max(largest, (*point)->high);
  std::vector<Heading> headings;
  const double height = place_bars(bars, headings);
  const bool relative = source.spec().relative;
  const Scale scale = source.scale(largest);
  const Axis axis = axis_of(bars, relative, scale.unit, longest_words(source, bars));
  drawing.subtitle = source.subtitle(drawn);
  drawing.y_label = scale.label;
  drawing.data = source.head(drawing, scale.label + "; columns: place, value, low, high, row, value in words, half height");
  drawing.data += "# names of the rows: place, name\n";
  for (const Bar& bar : bars)
    drawing.data += fmt::format("{}\t{}\n", format_exact(bar.place), data_text(figure_text(bar.name, 48)));
  int blocks = 0;
  const auto add_block = [&](const char* what, const std::string& block) {
    if (block.empty()) return 0;
    drawing.data += fmt::format("\n\n# {}\n{}", what, block);
    return ++blocks;
  };
  const int now = add_block("now", block_of(source, bars, false, scale.unit));
  const int then = add_block("then", block_of(source, bars, true, scale.unit));
  std::string names;
  for (const Heading& heading : headings)
    names += fmt::format("{}\t{}\n", format_exact(heading.place), data_text(figure_text(heading.text, 48)));
  const int groups = add_block("groups", names);
  const int limits = add_block("limits", limits_of(source, bars, axis.high, scale.unit));
  const bool two = std::any_of(bars.begin(), bars.end(), [](const Bar& bar) { return bar.then && bar.now; });
  drawing.numbers = fmt::format("{} {} {} {} {} {} {} {} {} {}", format_exact(height), now, then, groups,
                                format_exact(axis.origin), format_exact(axis.low), format_exact(axis.high),
                                relative ? 1 : 0, two ? 1 : 0, limits);
  return drawing;
}

}  // namespace iobench
