// SPDX-License-Identifier: MIT
// Ends of the axis and the words beside the bars are computed here, so that plots/bars.gp only draws.
#include "bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "units.h"

namespace iobench {

namespace {

struct Bar {
  std::size_t row = 0;
  std::optional<Point> then, now;
};

// The ends of the axis, in its unit, with room for the words beside the bars: a sixth of the length, on a logarithmic
// axis of the decades.
struct Axis {
  double origin = 0, low = 0, high = 0;
};

Axis axis_of(const std::vector<Bar>& bars, bool relative, double unit) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Bar& bar : bars)
    for (const std::optional<Point>* point : {&bar.then, &bar.now})
      if (*point) {
        low = std::min(low, (*point)->low / unit);
        high = std::max(high, (*point)->high / unit);
      }
  if (!relative) return {0, 0, high * 1.18};
  low = std::min(0.9, low / 1.2);
  high = std::max(2.0, high);
  return {1, low, high * std::pow(high / low, 0.18)};
}

// Three digits at most, without idle zeros: "23×", "1.42×", "81.3 ms".
std::string value_words(const FigureSource& source, std::size_t row, double value) {
  if (source.spec().relative && source.is_baseline(row)) return "1 (baseline)";
  if (source.spec().y == "bytes_per_s" && !source.spec().relative) return format_rate(value);
  if (source.scale(value).label.ends_with("s)")) return format_seconds(value);
  std::string text = format_fixed(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
  if (text.find('.') != std::string::npos) text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return source.spec().relative ? text + "×" : text;
}

std::string block_of(const FigureSource& source, const std::vector<Bar>& bars, std::optional<Point> Bar::*which,
                     double unit) {
  std::string data;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    std::optional<Point> point = bars[i].*which;
    if (!point) continue;
    const std::string words = value_words(source, bars[i].row, point->y);
    for (double* value : {&point->y, &point->low, &point->high}) *value /= unit;
    point->x = static_cast<double>(bars.size() - 1 - i);
    data += data_point(*point) + "\t" + data_text(words) + "\n";
  }
  return data;
}

}  // namespace

// Numbers: rows, series (1: now, 2: now and then), origin of the bars, ends of the axis, whether it is logarithmic.
Drawing draw_bars(FigureSource source) {
  std::vector<Bar> bars;
  std::vector<std::size_t> drawn;
  bool with_published = false;
  double largest = 0;
  for (const std::size_t row : source.rows()) {
    const Bar bar{row, source.published(row), source.measured(row)};
    if (bar.now) {
      drawn.push_back(row);
      largest = std::max(largest, bar.now->high);
    } else {
      source.omit(row, "no valid sample");
    }
    with_published = with_published || bar.then;
    if (bar.now || bar.then) bars.push_back(bar);
  }
  Drawing drawing = source.begin();
  if (drawn.empty()) {
    drawing.note = "no valid sample to draw";
    return drawing;
  }
  const bool relative = source.spec().relative;
  const Scale scale = source.scale(largest);
  const Axis axis = axis_of(bars, relative, scale.unit);
  drawing.subtitle = source.subtitle(drawn);
  drawing.y_label = scale.label;
  drawing.numbers = fmt::format("{} {} {} {} {} {}", bars.size(), with_published ? 2 : 1, format_exact(axis.origin),
                                format_exact(axis.low), format_exact(axis.high), relative ? 1 : 0);
  drawing.data = source.head(drawing, scale.label + "; columns: position, value, low, high, row, value in words");
  drawing.data += "# names of the rows: position, name\n";
  for (std::size_t i = 0; i < bars.size(); ++i)
    drawing.data += fmt::format("{}\t{}\n", bars.size() - 1 - i,
                                data_text(figure_text(source.suite().rows[bars[i].row].row.label, 48)));
  drawing.data += "\n\n# now\n" + block_of(source, bars, &Bar::now, scale.unit);
  if (with_published) drawing.data += "\n\n# then\n" + block_of(source, bars, &Bar::then, scale.unit);
  return drawing;
}

}  // namespace iobench
