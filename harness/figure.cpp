// SPDX-License-Identifier: MIT
// Rows to points. A value that is zero, negative or not finite never becomes one: it has no place on a logarithmic
// axis, and as a throughput it is nonsense.
#include "figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grid.h"
#include "units.h"
#include "words.h"

namespace iobench {

namespace {

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
  for (const auto& [key, words] :
       {std::pair{"wall", "wall time"}, {"cpu", "CPU time"}, {"user", "user CPU time"}, {"system", "system CPU time"}})
    if (metric_name.starts_with(key)) what = words;
  if (metric_name.ends_with("_per_copy")) what += " per copy";
  return choose(what, {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}});
}

std::string metric_words(const std::string& metric_name) {
  const std::string label = scale_of(metric_name, 1).label;
  return label.substr(0, label.find(" ("));
}

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

}  // namespace

FigureSource::FigureSource(const PlannedSuite& suite, const SuiteResult& result,
                           const std::optional<PublishedTable>& published, const PlotSpec& spec)
    : suite_(suite), result_(result), published_(published), spec_(spec) {
  for (std::size_t row = 0; row < suite.rows.size(); ++row) {
    if (!is_shown(suite.rows[row].row, spec.only)) continue;
    if (result.rows[row].not_a_copy.empty())
      rows_.push_back(row);
    else
      omit(row, "it " + result.rows[row].not_a_copy);
  }
}

void FigureSource::omit(std::size_t row, const std::string& reason) {
  omitted_.push_back(suite_.rows[row].row.name + ": " + reason);
}

bool FigureSource::is_baseline(std::size_t row) const {
  return suite_.groups[suite_.rows[row].group].baseline == row;
}

Scale FigureSource::scale(double largest) const {
  return spec_.relative ? Scale{1, metric_words(spec_.y) + ", multiple of the baseline's"} : scale_of(spec_.y, largest);
}

std::optional<Point> FigureSource::measured(std::size_t row) const {
  Point point;
  point.row = suite_.rows[row].row.name;
  Interval interval;
  const RowResult& own = result_.rows[row];
  if (!spec_.relative) {
    const Summary summary = own.summary(spec_.y);
    point.y = summary.n ? summary.median : 0;
    interval = summary.interval;
  } else if (is_baseline(row)) {
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

std::optional<Point> FigureSource::published(std::size_t row) const {
  Point point;
  point.row = "published";
  const std::optional<double> value =
      published_number(suite_.experiment, published_, suite_.rows[row].row, spec_.published);
  point.y = value.value_or(0);
  if (value && spec_.relative) {
    const std::size_t baseline = suite_.groups[suite_.rows[row].group].baseline;
    const std::optional<double> one =
        baseline == SIZE_MAX
            ? std::nullopt
            : published_number(suite_.experiment, published_, suite_.rows[baseline].row, spec_.published);
    point.y = one && *one > 0 ? *value / *one : 0;
  }
  if (!drawable(point.y)) return std::nullopt;
  point.low = point.high = point.y;
  return point;
}

Drawing FigureSource::begin() const {
  Drawing drawing;
  drawing.name = spec_.name;
  drawing.kind = spec_.kind;
  std::string title = spec_.title.empty() ? suite_.experiment.title : spec_.title;
  const bool not_confined = std::any_of(rows_.begin(), rows_.end(), [&](std::size_t row) { return suite_.rows[row].row.not_confined; });
  if (const std::size_t at = title.find("confined"); not_confined && at != std::string::npos) title.insert(at, "not ");
  drawing.title = figure_text(title);
  drawing.omitted = omitted_;
  return drawing;
}

std::string FigureSource::subtitle(const std::vector<std::size_t>& drawn) const {
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
  std::string how =
      spec_.relative ? fmt::format("pseudo-median of {}, paired", rounds) : fmt::format("median of {}", rounds);
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

std::string FigureSource::head(const Drawing& drawing, const std::string& columns) const {
  return fmt::format("# suite {}, figure {}: {}\n# {}\n# {}\n", printable(suite_.experiment.name),
                     printable(spec_.name), printable(drawing.title), columns, printable(drawing.subtitle));
}

bool drawable(double value) {
  return std::isfinite(value) && value > 0;
}

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

std::string data_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : figure_text(text)) out += c == '\\' ? "\\\\" : std::string(1, c);  // gnuplot reads escapes
  return out + "\"";
}

std::string data_point(const Point& point) {
  return fmt::format("{}\t{}\t{}\t{}\t{}", format_exact(point.x), format_exact(point.y), format_exact(point.low),
                     format_exact(point.high), data_text(point.row));
}

}  // namespace iobench
