// SPDX-License-Identifier: MIT
// Rows to points. A value that is zero, negative or not finite never becomes one: it has no place on a logarithmic
// axis, and as a throughput it is nonsense.
#include "figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "grid.h"
#include "share.h"
#include "units.h"
#include "words.h"

namespace iobench {

namespace {

// The largest unit that `typical` holds; `words` instead of what the metric is called, unless empty.
Scale scale_of(const std::string& metric_name, double typical, const std::string& words = {}) {
  const auto choose = [&](const std::string& what, std::initializer_list<std::pair<double, const char*>> units) {
    const std::string& said = words.empty() ? what : words;
    for (const auto& [unit, name] : units)
      if (typical >= unit || unit == std::rbegin(units)->first)
        return Scale{unit, *name ? fmt::format("{} ({})", said, name) : said};
    return Scale{1, said};
  };
  if (metric_name == "bytes_per_s") return choose("throughput", {{1e9, "GB/s"}, {1e6, "MB/s"}, {1e3, "kB/s"}});
  if (metric_name == "operations_per_s")
    return choose("operations per second", {{1e6, "millions"}, {1e5, "thousands"}, {1, ""}});
  if (metric_name == "peak_memory") return choose("peak memory", {{1048576, "MiB"}, {1024, "KiB"}});
  if (metric_name == "device_read") return choose("read from the device", {{1048576, "MiB"}, {1024, "KiB"}});
  std::string what = metric_name;
  for (const auto& [key, said] :
       {std::pair{"wall", "wall time"}, {"cpu", "CPU time"}, {"user", "user CPU time"}, {"system", "system CPU time"}})
    if (metric_name.starts_with(key)) what = said;
  if (metric_name.ends_with("_per_copy")) what += " per copy";
  if (metric_name.ends_with("_per_byte")) what += " per byte";
  return choose(what, {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}});
}

std::string metric_words(const std::string& metric_name) {
  const std::string label = scale_of(metric_name, 1).label;
  return label.substr(0, label.find(" ("));
}

}  // namespace

FigureSource::FigureSource(const PlannedSuite& suite, const SuiteResult& result,
                           const std::optional<PublishedTable>& published, const PlotSpec& spec, Shown shown)
    : suite_(suite), result_(result), spec_(spec), originals_(suite, published), shown_(shown) {
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

Scale FigureSource::scale(double typical) const {
  if (!spec_.relative)
    return scale_of(spec_.y, typical,
                    spec_.y_label.empty() && !spec_.minus.empty() ? metric_words(spec_.y) + ", less the control's"
                                                                  : spec_.y_label);
  return {1, spec_.y_label.empty() ? metric_words(spec_.y) + ", multiple of the baseline's" : spec_.y_label};
}

std::optional<Bound> FigureSource::limit(std::size_t row) const {
  const bool throughput = spec_.y == "bytes_per_s" && !spec_.relative && spec_.minus.empty() && !published_alone();
  if (!throughput) return std::nullopt;
  const std::optional<Bound> bound = share_of_limit(suite_, result_, row).bound;
  return bound && drawable(bound->bytes_per_s) ? bound : std::nullopt;
}

std::optional<Point> FigureSource::measured(std::size_t row) const {
  if (published_alone()) return std::nullopt;
  Point point;
  point.row = suite_.rows[row].row.name;
  Interval interval;
  const RowResult& own = result_.rows[row];
  if (!spec_.minus.empty()) {
    const std::optional<PairedDifference> over = difference_to(suite_, result_, row, spec_.minus, spec_.y);
    if (!over || over->pairs == 0) return std::nullopt;
    const Interval& range = over->interval;
    point.y = over->difference;
    point.low = range.exists() ? range.low : point.y;
    point.high = range.exists() ? range.high : point.y;
    return point;
  }
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

std::optional<Point> FigureSource::point_of(const std::optional<Estimate>& estimate) const {
  if (!estimate || !std::isfinite(estimate->value)) return std::nullopt;
  Point point{0, estimate->value, estimate->low, estimate->high, "published"};
  if (!spec_.minus.empty()) return point;
  if (!drawable(point.y)) return std::nullopt;
  if (!drawable(point.low) || !drawable(point.high)) point.low = point.high = point.y;
  return point;
}

std::optional<Point> FigureSource::published(std::size_t row) const {
  if (spec_.published.empty() || !spec_.published_lines.empty()) return std::nullopt;
  return point_of(!spec_.minus.empty() ? originals_.over_control(row, spec_.published)
                  : spec_.relative     ? originals_.ratio(row, spec_.published)
                                       : originals_.value(row, spec_.published));
}

std::vector<std::pair<std::string, Point>> FigureSource::published_lines() const {
  std::vector<std::pair<std::string, Point>> lines;
  if (spec_.published_lines.empty()) return lines;
  for (const Originals::Line& line : originals_.lines(spec_.published, spec_.published_lines, !spec_.minus.empty()))
    if (const std::optional<Point> point = point_of(line.value)) lines.emplace_back(line.label, *point);
  return lines;
}

std::string FigureSource::series_of(std::size_t index) const {
  const Row& row = suite_.rows[index].row;
  std::vector<std::string> parts;
  for (const std::string& variable : spec_.series) {
    const std::string value = variable == "output" ? sink_words(row.output)
                              : variable == "cache" ? cache_words(row)
                              : variable == "sync"  ? std::string(row.sync ? "durable" : "")
                                                    : row.value(variable);
    if (!value.empty() && !(variable == "cache" && row.cache == Cache::none)) parts.push_back(value);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Drawing FigureSource::begin() const {
  Drawing drawing;
  drawing.name = published_alone() ? "published" : spec_.name;
  drawing.kind = spec_.kind;
  std::string title = spec_.title.empty() ? suite_.experiment.title : spec_.title;
  if (published_alone()) title = "As published: " + originals_.author();
  const bool not_confined = std::any_of(rows_.begin(), rows_.end(), [&](std::size_t row) { return suite_.rows[row].row.not_confined; });
  if (const std::size_t at = title.find("confined"); not_confined && at != std::string::npos) title.insert(at, "not ");
  drawing.title = figure_text(title);
  drawing.omitted = omitted_;
  return drawing;
}

// Of points and whiskers.
std::string FigureSource::how_measured(const std::vector<std::size_t>& drawn) const {
  const bool paired = spec_.relative || !spec_.minus.empty();
  std::set<std::string> intervals;
  double level = 1;
  std::size_t fewest = SIZE_MAX, most = 0;
  const auto add = [&](const Interval& interval) {
    if (interval.exists()) level = std::min(level, interval.level);
  };
  for (const std::size_t row : drawn) {
    fewest = std::min(fewest, result_.rows[row].ok.size());
    most = std::max(most, result_.rows[row].ok.size());
    if (!paired) {
      add(result_.rows[row].summary(spec_.y).interval);
      intervals.insert(interval_words(result_.rows[row], spec_.y));
    } else if (spec_.relative) {
      if (const auto ratio = ratio_to_baseline(suite_, result_, row, spec_.y)) add(ratio->interval);
    } else if (const auto over = difference_to(suite_, result_, row, spec_.minus, spec_.y)) {
      add(over->interval);
    }
  }
  const std::string rounds = fewest == most ? fmt::format("{} round{}", most, most == 1 ? "" : "s")
                                            : fmt::format("{} to {} rounds", fewest, most);
  std::string how = paired ? fmt::format("pseudo-median of {}, paired", rounds) : fmt::format("median of {}", rounds);
  if (level == 1)
    how += "; no interval";
  else if (paired)
    how += fmt::format("; whiskers: signed-rank interval, at least {} each", format_percent(level));
  else if (intervals.size() == 1)
    how += "; whiskers: " + *intervals.begin();
  else
    how += fmt::format("; whiskers: order-statistic interval, at least {}", format_percent(level));
  return how;
}

// Of whiskers at published figures; empty: there are none.
std::string FigureSource::how_published() const {
  std::set<std::string> why;
  for (const std::size_t row : rows_) why.insert(originals_.uncertainty(fill_in(spec_.published, suite_.rows[row].row)));
  why.erase("");
  if (why.empty()) return "";
  return fmt::format("{}whiskers: what {} leaves open", published_alone() ? "" : "published ", fmt::join(why, " or "));
}

std::string FigureSource::subtitle(const std::vector<std::size_t>& drawn) const {
  const std::string published = how_published();
  if (published_alone()) {
    std::vector<std::string> lines = wrap(figure_text(originals_.conditions(), 300), 150);
    if (!published.empty()) lines.push_back(published);
    return fmt::format("{}", fmt::join(lines, "\n"));
  }
  std::vector<const PlannedRow*> planned;
  for (const std::size_t row : drawn) planned.push_back(&suite_.rows[row]);
  return figure_text(conditions(planned).text) + "\n" + how_measured(drawn) +
         (published.empty() ? "" : "; " + published);
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
