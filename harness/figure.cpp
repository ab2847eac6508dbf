// SPDX-License-Identifier: MIT
// The two kinds of figure. A sweep is a metric over a size, a line for each series; bars are rows against their
// baseline, then and now. Positions of labels and ends of axes are computed here, so that scripts only draw.
#include "figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "table.h"
#include "units.h"

namespace iobench {

namespace {

struct Point {
  double x = 0, y = 0, low = 0, high = 0;
  std::string row;
};
struct Series {
  std::string name;
  std::vector<Point> points;
};

// How a metric is written on an axis.
struct Scale {
  double unit = 1;
  std::string label;
};

Scale scale_of(const std::string& metric_name, double largest) {
  const auto choose = [&](const std::string& what, std::initializer_list<std::pair<double, const char*>> units) {
    for (const auto& [unit, name] : units)
      if (largest >= unit || unit == std::rbegin(units)->first) return Scale{unit, fmt::format("{} ({})", what, name)};
    return Scale{1, what};
  };
  if (metric_name == "bytes_per_s") return choose("throughput", {{1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}});
  if (metric_name == "operations_per_s") return {1, "copies per second"};
  if (metric_name == "peak_memory") return choose("peak memory", {{1048576, "MiB"}, {1024, "KiB"}});
  if (metric_name == "device_read") return choose("read from the device", {{1048576, "MiB"}, {1024, "KiB"}});
  std::string what = metric_name;
  for (const auto& [key, words] : {std::pair{"wall", "wall time"}, {"cpu", "CPU time"}, {"user", "user CPU time"}, {"system", "system CPU time"}})
    if (metric_name.starts_with(key)) what = words;
  if (metric_name.ends_with("_per_copy")) what += " per copy";
  return choose(what, {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}});
}

std::string metric_words(const std::string& metric_name) {
  const std::string label = scale_of(metric_name, 1).label;
  return label.substr(0, label.find(" ("));
}

// A string for a data file: gnuplot reads a backslash as the beginning of an escape.
std::string data_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : figure_text(text)) out += c == '\\' ? "\\\\" : std::string(1, c);
  return out + "\"";
}

std::string one_line(const std::string& text) { return printable(text); }

std::string data_line(const Point& point) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\n", format_exact(point.x), format_exact(point.y), format_exact(point.low),
                     format_exact(point.high), data_string(point.row));
}

// Three digits at most, without idle zeros: "23×", "1.42×", "81.3 ms".
std::string value_words(const PlotSpec& spec, double value) {
  std::string text = format_fixed(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
  if (text.find('.') != std::string::npos) text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  if (spec.relative) return text + "×";
  if (spec.y == "bytes_per_s") return format_rate(value);
  const bool is_time = scale_of(spec.y, value).label.ends_with("s)");
  return is_time ? format_seconds(value) : text;
}

bool drawable(double value) { return std::isfinite(value) && value > 0; }

// Reads a published cell; empty or not a number: none.
std::optional<double> published_number(const Experiment& experiment, const std::optional<PublishedTable>& published,
                                       const Row& row, const std::string& column) {
  if (!published || !experiment.published || column.empty()) return std::nullopt;
  try {
    return parse_number(published_value(*experiment.published, *published, row, column));
  } catch (const Error&) {
    return std::nullopt;
  }
}

class Drawer {
 public:
  Drawer(const PlannedSuite& suite, const SuiteResult& result, const std::optional<PublishedTable>& published,
         const PlotSpec& spec, const std::set<std::string>& moves_nothing)
      : suite_(suite), result_(result), published_(published), spec_(spec) {
    drawing_.name = spec.name;
    drawing_.kind = spec.kind;
    drawing_.title = figure_text(spec.title.empty() ? suite.experiment.title : spec.title);
    for (std::size_t row = 0; row < suite.rows.size(); ++row) {
      if (!is_shown(suite.rows[row].row, spec.only)) continue;
      if (is_copy(suite.rows[row].row, moves_nothing))
        rows_.push_back(row);
      else
        omit(row, "it moves no data into the null device");
    }
  }

  Drawing sweep();
  Drawing bars();

 private:
  void omit(std::size_t row, const std::string& reason) {
    drawing_.omitted.push_back(suite_.rows[row].row.label + ": " + reason);
  }

  // Our figure for a row: absolute, or as a multiple of its baseline. Nothing without valid samples.
  std::optional<Point> measured(std::size_t row) const {
    Point point;
    point.row = suite_.rows[row].row.name;
    Interval interval;
    const RowResult& own = result_.rows[row];
    if (!spec_.relative) {
      const Summary summary = own.summary(spec_.y);
      point.y = summary.n ? summary.median : 0;
      interval = summary.interval;
    } else if (suite_.groups[suite_.rows[row].group].baseline == row) {
      point.y = own.summary(spec_.y).n ? 1 : 0;
    } else if (const std::optional<PairedRatio> ratio = ratio_to_baseline(suite_, result_, row, spec_.y)) {
      point.y = ratio->ratio;
      interval = ratio->interval;
    }
    if (!drawable(point.y)) return std::nullopt;
    const bool bounded = interval.exists() && drawable(interval.low) && drawable(interval.high);
    point.low = bounded ? interval.low : point.y;
    point.high = bounded ? interval.high : point.y;
    return point;
  }

  std::optional<Point> published_point(std::size_t row) const {
    Point point;
    point.row = "published";
    const std::optional<double> value =
        published_number(suite_.experiment, published_, suite_.rows[row].row, spec_.published);
    point.y = value.value_or(0);
    if (value && spec_.relative) {
      const std::size_t baseline = suite_.groups[suite_.rows[row].group].baseline;
      const std::optional<double> one =
          baseline == SIZE_MAX ? std::nullopt
                               : published_number(suite_.experiment, published_, suite_.rows[baseline].row, spec_.published);
      point.y = one && *one > 0 ? *value / *one : 0;
    }
    if (!drawable(point.y)) return std::nullopt;
    point.low = point.high = point.y;
    return point;
  }

  std::string series_name(const Row& row) const {
    std::vector<std::string> parts;
    for (const std::string& variable : spec_.series) {
      const std::string value = variable == "output" ? sink_words(row.output) : row.value(variable);
      if (!value.empty() && !(variable == "cache" && row.cache == Cache::none)) parts.push_back(value);
    }
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  // Conditions on the first line; what points and bars are on the second.
  std::string subtitle(const std::vector<std::size_t>& drawn) const {
    std::vector<const PlannedRow*> planned;
    std::set<std::string> intervals;
    double level = 1;
    std::size_t fewest = SIZE_MAX, most = 0;
    for (const std::size_t row : drawn) {
      planned.push_back(&suite_.rows[row]);
      fewest = std::min(fewest, result_.rows[row].ok.size());
      most = std::max(most, result_.rows[row].ok.size());
      if (!spec_.relative) {
        const Interval interval = result_.rows[row].summary(spec_.y).interval;
        if (interval.exists()) level = std::min(level, interval.level);
        intervals.insert(interval_words(result_.rows[row], spec_.y));
      } else if (const auto ratio = ratio_to_baseline(suite_, result_, row, spec_.y); ratio && ratio->interval.exists()) {
        level = std::min(level, ratio->interval.level);
      }
    }
    const std::string rounds = fewest == most ? fmt::format("{} round{}", most, most == 1 ? "" : "s")
                                              : fmt::format("{} to {} rounds", fewest, most);
    std::string how = spec_.relative ? fmt::format("pseudo-median of {}, paired", rounds) : fmt::format("median of {}", rounds);
    if (level == 1)
      how += "; no interval";
    else if (spec_.relative)
      how += fmt::format("; whiskers: signed-rank interval, at least {} each", format_percent(level));
    else if (intervals.size() == 1)
      how += "; whiskers: " + *intervals.begin();
    else
      how += fmt::format("; whiskers: order-statistic interval, at least {}", format_percent(level));
    return figure_text(conditions(planned).text) + "\n" + how;
  }

  std::string head(const std::string& columns) const {
    return fmt::format("# suite {}, figure {}: {}\n# {}\n# {}\n", one_line(suite_.experiment.name), one_line(spec_.name),
                       one_line(drawing_.title), columns, one_line(drawing_.subtitle));
  }

  std::vector<Series> sweep_series(std::vector<std::size_t>& drawn);

  const PlannedSuite& suite_;
  const SuiteResult& result_;
  const std::optional<PublishedTable>& published_;
  const PlotSpec& spec_;
  std::vector<std::size_t> rows_;
  Drawing drawing_;
};

std::vector<Series> Drawer::sweep_series(std::vector<std::size_t>& drawn) {
  std::vector<Series> all;
  const auto add = [&](const std::string& name, const Point& point) {
    auto place = std::find_if(all.begin(), all.end(), [&](const Series& series) { return series.name == name; });
    if (place == all.end()) place = all.insert(all.end(), {name, {}});
    place->points.push_back(point);
  };
  for (const std::size_t row : rows_) {
    const Row& planned = suite_.rows[row].row;
    double x = 0;
    try {
      x = static_cast<double>(parse_size(planned.value(spec_.x)));
    } catch (const Error&) {
      omit(row, fmt::format("its {} is not a size", spec_.x));
      continue;
    }
    std::optional<Point> point = measured(row);
    if (!point)
      omit(row, "no valid sample");
    else if (!(x > 0))
      omit(row, fmt::format("its {} has no place on a logarithmic axis", spec_.x));
    else {
      point->x = x;
      drawn.push_back(row);
      add(series_name(planned), *point);
    }
    if (std::optional<Point> then = published_point(row); then && x > 0) {
      then->x = x;
      const std::string name = series_name(planned);
      add("published" + (name.empty() ? "" : ", " + name), *then);
    }
  }
  for (Series& series : all)
    std::stable_sort(series.points.begin(), series.points.end(), [](const Point& a, const Point& b) { return a.x < b.x; });
  return all;
}

// Numbers: series, first x, last x, end of the x axis with room for names, end of the y axis, limit or 0.
Drawing Drawer::sweep() {
  std::vector<std::size_t> drawn;
  std::vector<Series> all = sweep_series(drawn);
  if (drawn.empty()) {
    drawing_.note = "no valid sample to draw";
    return drawing_;
  }
  double x_low = std::numeric_limits<double>::infinity(), x_high = 0, y_high = 0;
  for (const Series& series : all)
    for (const Point& point : series.points) {
      x_low = std::min(x_low, point.x);
      x_high = std::max(x_high, point.x);
      y_high = std::max(y_high, point.high);
    }
  const bool limited = spec_.limit == "memory-copy" && spec_.y == "bytes_per_s" && !spec_.relative && result_.memory_copy &&
                       drawable(result_.memory_copy->median);
  const double limit = limited ? result_.memory_copy->median : 0;
  y_high = std::max(y_high, limit);
  const Scale scale = spec_.relative ? Scale{1, metric_words(spec_.y) + ", multiple of the baseline's"} : scale_of(spec_.y, y_high);
  y_high = y_high / scale.unit * 1.06;
  if (x_low == x_high) {
    x_low /= 2;
    x_high *= 2;
  }

  std::vector<std::string> names;
  std::vector<double> ends;
  for (Series& series : all) {
    for (Point& point : series.points)
      for (double* value : {&point.y, &point.low, &point.high}) *value /= scale.unit;
    names.push_back(all.size() > 1 || limited ? series.name : "");
    ends.push_back(series.points.back().y);
  }
  if (limited) {
    names.push_back(fmt::format("memory copy, {}", format_rate(limit)));
    ends.push_back(limit / scale.unit);
  }
  for (std::string& name : names) name = figure_text(name, 40);
  // A name is 13 pixels high and a character of it 8 wide in a plot of about 600 by 1070 pixels (plots/style.gp).
  const std::vector<double> heights = spread_labels(ends, y_high * 0.042, 0, y_high);
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, code_points(name));
  const double room = std::min(0.5, (40 + 8 * static_cast<double>(longest)) / 1070);
  const double octaves = std::log2(x_high / x_low), x_end = x_high * std::exp2(octaves * room / (1 - room));
  const double x_names = x_high * std::exp2(std::log2(x_end / x_high) * 20 / (1070 * room));

  drawing_.subtitle = subtitle(drawn);
  drawing_.x_label = spec_.x == "block" ? "block size (bytes per call)" : figure_text(spec_.x) + " (bytes)";
  drawing_.y_label = scale.label;
  drawing_.numbers = fmt::format("{} {} {} {} {} {}", all.size(), format_exact(x_low), format_exact(x_high),
                                 format_exact(x_end), format_exact(y_high), format_exact(limit / scale.unit));
  drawing_.data = head(fmt::format("{} over {}; columns: x, y, low, high, row", scale.label, drawing_.x_label));
  drawing_.data += "# names of the lines: x, y, line (0: limit), name\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    drawing_.data += fmt::format("{}\t{}\t{}\t{}\n", format_exact(x_names), format_exact(heights[i]),
                                 i < all.size() ? i + 1 : 0, data_string(names[i]));
  for (const Series& series : all) {
    drawing_.data += fmt::format("\n\n# {}\n", series.name.empty() ? "all rows" : one_line(series.name));
    for (const Point& point : series.points) drawing_.data += data_line(point);
  }
  return drawing_;
}

// Numbers: rows, series (1: now, 2: then and now), origin of the bars, ends of the axis, whether it is logarithmic.
Drawing Drawer::bars() {
  struct Bar {
    std::size_t row;
    std::optional<Point> then, now;
  };
  std::vector<Bar> bars;
  std::vector<std::size_t> drawn;
  bool with_published = false;
  for (const std::size_t row : rows_) {
    const Bar bar{row, published_point(row), measured(row)};
    if (!bar.now) omit(row, "no valid sample");
    if (bar.now) drawn.push_back(row);
    if (bar.now || bar.then) bars.push_back(bar);
    with_published = with_published || bar.then;
  }
  if (drawn.empty()) {
    drawing_.note = "no valid sample to draw";
    return drawing_;
  }
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const Bar& bar : bars)
    for (const std::optional<Point>* point : {&bar.then, &bar.now})
      if (*point) {
        low = std::min(low, (*point)->low);
        high = std::max(high, (*point)->high);
      }
  const Scale scale = spec_.relative ? Scale{1, metric_words(spec_.y) + ", multiple of the baseline's"} : scale_of(spec_.y, high);
  const double origin = spec_.relative ? 1 : 0;
  // Room for the values beside the bars: a third of the decades, or a sixth of the length.
  const double axis_low = spec_.relative ? std::min(0.9, low / 1.2) : 0;
  const double axis_high = spec_.relative ? std::max(2.0, high) * std::pow(std::max(2.0, high) / axis_low, 0.18)
                                          : high / scale.unit * 1.18;
  drawing_.subtitle = subtitle(drawn);
  drawing_.y_label = scale.label;
  drawing_.numbers = fmt::format("{} {} {} {} {} {}", bars.size(), with_published ? 2 : 1, format_exact(origin),
                                 format_exact(axis_low), format_exact(axis_high), spec_.relative ? 1 : 0);
  drawing_.data = head(fmt::format("{}; columns: position, value, low, high, row, value in words", scale.label));
  drawing_.data += "# names of the rows: position, name\n";
  const auto position = [&](std::size_t i) { return static_cast<double>(bars.size() - 1 - i); };
  for (std::size_t i = 0; i < bars.size(); ++i)
    drawing_.data += fmt::format("{}\t{}\n", format_exact(position(i)), data_string(figure_text(suite_.rows[bars[i].row].row.label, 48)));
  const auto append = [&](const char* name, auto member) {
    drawing_.data += fmt::format("\n\n# {}\n", name);
    for (std::size_t i = 0; i < bars.size(); ++i) {
      std::optional<Point> point = bars[i].*member;
      if (!point) continue;
      const bool is_baseline = suite_.groups[suite_.rows[bars[i].row].group].baseline == bars[i].row;
      const std::string words = is_baseline && spec_.relative ? "1 (baseline)" : value_words(spec_, point->y);
      for (double* value : {&point->y, &point->low, &point->high}) *value /= scale.unit;
      point->x = position(i);
      std::string line = data_line(*point);
      line.back() = '\t';
      drawing_.data += line + data_string(words) + "\n";
    }
  };
  append("now", &Bar::now);
  if (with_published) append("then", &Bar::then);
  return drawing_;
}

}  // namespace

std::string figure_text(const std::string& text, std::size_t limit) {
  std::string out;
  for (const char c : printable(text)) {
    // gnuplot 5.4 ends an axis label at a straight quote, and passes "&#" on to SVG as the beginning of an entity.
    if (c == '"')
      out += "”";
    else if (c == '#' && out.ends_with('&'))
      out += " #";
    else
      out += c;
  }
  if (code_points(out) <= limit) return out;
  return wrap(out, limit - 1).front() + "…";
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

std::vector<Drawing> suite_drawings(const PlannedSuite& suite, const SuiteResult& result,
                                    const std::optional<PublishedTable>& published,
                                    const std::set<std::string>& moves_nothing) {
  std::vector<Drawing> drawings;
  for (const PlotSpec& spec : suite.experiment.plots) {
    Drawer drawer(suite, result, published, spec, moves_nothing);
    if (spec.kind == "sweep")
      drawings.push_back(drawer.sweep());
    else if (spec.kind == "bars")
      drawings.push_back(drawer.bars());
    else
      throw Error(fmt::format("{}: figure '{}' is of unknown kind '{}'", suite.experiment.path.string(), spec.name, spec.kind));
  }
  return drawings;
}

}  // namespace iobench
