// SPDX-License-Identifier: MIT
// One list of columns, one function each. Whatever a number needs to be read rightly (why it is missing, what its marks
// mean) becomes a note of its table.
#include "column.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "units.h"
#include "words.h"

namespace iobench {

namespace {

constexpr const char* nothing = "–";
constexpr const char* no_difference_mark = " ≈";
constexpr const char* too_few_rounds_mark = " ?";

Cell text_cell(const std::string& text) {
  return {text.empty() ? nothing : text, {text}};
}
Cell missing() {
  return {nothing, {}};
}

Cell number_cell(double value, const std::string& text) {
  return std::isfinite(value) ? Cell{text, {format_exact(value)}} : missing();
}

// Median of a metric, and what is odd about its sample.
template <typename Format>
Cell median_cell(const CellContext& at, const char* metric_name, Format format) {
  const Summary summary = at.own.summary(metric_name);
  if (summary.n == 0 || !std::isfinite(summary.median)) return missing();
  if (!summary.note.empty()) at.note_of_row(summary.note);
  return number_cell(summary.median, format(summary.median));
}

Cell wall(const CellContext& at) {
  if (!at.own.note.empty()) at.note_of_row(at.own.note);
  return median_cell(at, "wall", format_seconds);
}

Cell wall_interval(const CellContext& at) {
  const Interval interval = at.own.summary("wall").interval;
  if (!interval.exists()) return missing();
  return {range_words(interval, format_seconds),
          {format_exact(interval.low), format_exact(interval.high), format_exact(interval.level)}};
}

Cell ratio(const CellContext& at) {
  const Group& group = at.group();
  if (group.baseline != SIZE_MAX && &at.result.rows[group.baseline] == &at.own && at.own.not_a_copy.empty())
    return {"baseline", {"", "", "", "", "baseline"}};
  if (!at.own.not_a_copy.empty()) {
    at.note(fmt::format("{} {}: its time is not that of a copy and is not compared", at.row.row.label, at.own.not_a_copy));
    return {"not a copy", {"", "", "", "", "not a copy"}};
  }
  if (group.baseline != SIZE_MAX && !at.result.rows[group.baseline].not_a_copy.empty()) {
    at.note(fmt::format("the baseline {} {}: copies are not compared with it", at.suite.rows[group.baseline].row.label,
                        at.result.rows[group.baseline].not_a_copy));
    return missing();
  }
  const std::optional<PairedRatio>& paired = at.own.against_baseline;
  if (paired && !paired->note.empty() && !at.own.ok.empty()) at.note_of_row("times baseline: " + paired->note);
  if (!paired || !(paired->ratio > 0) || !std::isfinite(paired->ratio)) return missing();
  const Interval& interval = paired->interval;
  const bool sure = interval.reaches(family_level(group.comparisons()));
  const bool told_apart = sure && (interval.low > 1 || interval.high < 1) && !at.own.below_noise_floor;
  const char* verdict = !interval.exists() ? "no interval"
                        : !sure            ? "too few rounds"
                        : !told_apart      ? "no difference"
                        : interval.low > 1 ? "slower"
                                           : "faster";
  std::vector<std::string> fields{format_exact(paired->ratio), "", "", "", verdict};
  if (interval.exists()) {
    fields[1] = format_exact(interval.low);
    fields[2] = format_exact(interval.high);
    fields[3] = format_exact(interval.level);
  }
  const char* mark = "";
  if (sure && !told_apart) {
    mark = no_difference_mark;
    at.note("≈ no difference: the interval contains 1, or the ratio is within the noise floor");
  } else if (interval.exists() && !sure) {
    mark = too_few_rounds_mark;
    at.note("? too few rounds: no difference is claimed from an interval that falls short of its level");
  }
  return {ratio_words(*paired) + mark, fields};
}

void note_sampled_cpu(const CellContext& at) {
  at.note(
      "CPU under 100 clock ticks over all runs is given as their sum; its split into user and system is sampling and "
      "is not shown");
}

Cell part_of_cpu(const CellContext& at, const char* metric_name) {
  if (at.own.cpu_is_sampled()) {
    note_sampled_cpu(at);
    return missing();
  }
  return median_cell(at, metric_name, format_seconds);
}

// The sum is given where the median of a few ticks would mean nothing; `of` says over how many of what.
Cell cpu_or_sum(const CellContext& at, const char* metric_name, std::uint64_t of, const char* unit) {
  const std::optional<double> sum = at.own.total("cpu");
  if (!sum) return missing();
  Cell cell = missing();
  if (at.own.cpu_is_sampled()) {
    note_sampled_cpu(at);
    cell = {fmt::format("{} in {} {}", format_seconds(*sum), format_count(of), unit), {""}};
  } else {
    cell = median_cell(at, metric_name, format_seconds);
    cell.fields.resize(1);
  }
  cell.fields.push_back(format_exact(*sum));
  return cell;
}

Cell cpu(const CellContext& at) {
  return cpu_or_sum(at, "cpu", at.own.ok.size(), at.own.ok.size() == 1 ? "run" : "runs");
}

Cell cpu_per_copy(const CellContext& at) {
  std::uint64_t copies = 0;
  for (const Sample& sample : at.own.ok) copies += sample.operations;
  return cpu_or_sum(at, "cpu_per_copy", copies, copies == 1 ? "copy" : "copies");
}

// Of sums, each over its own number of runs, where either side is too small for single runs.
Cell cpu_ratio(const CellContext& at) {
  const Group& group = at.group();
  if (group.baseline == SIZE_MAX) return missing();
  const RowResult& baseline = at.result.rows[group.baseline];
  if (&baseline == &at.own) return {"baseline", {}};
  const std::optional<double> sum = at.own.total("cpu"), base_sum = baseline.total("cpu");
  if (!sum || !base_sum) return missing();
  if (!(*base_sum > 0)) {
    at.note(
        fmt::format("{} used no measurable CPU: nothing is a multiple of it", at.suite.rows[group.baseline].row.label));
    return missing();
  }
  if (at.own.cpu_is_sampled() || baseline.cpu_is_sampled()) {
    const auto runs = [](const RowResult& row) { return static_cast<double>(row.ok.size()); };
    const double of_sums = (*sum / runs(at.own)) / (*base_sum / runs(baseline));
    return {format_ratio(of_sums) + " of sums", {format_exact(of_sums)}};
  }
  const std::optional<PairedRatio> paired = cpu_to_baseline(at.suite, at.result, at.own.row);
  if (paired && !paired->note.empty()) at.note_of_row("CPU to baseline: " + paired->note);
  if (!paired || !(paired->ratio > 0)) return missing();
  Cell cell{ratio_words(*paired), {format_exact(paired->ratio)}};
  const Interval& interval = paired->interval;
  if (interval.exists())
    cell.fields.insert(cell.fields.end(),
                       {format_exact(interval.low), format_exact(interval.high), format_exact(interval.level)});
  return cell;
}

Cell calls_per_mib(const CellContext& at) {
  if (!at.check || at.check->calls_per_mib < 0 || !std::isfinite(at.check->calls_per_mib)) {
    if (at.check && !at.check->calls_note.empty())
      at.note(fmt::format("{}: calls not counted: {}", at.row.row.label, at.check->calls_note));
    return missing();
  }
  const double calls = at.check->calls_per_mib;
  return number_cell(calls, calls >= 100 ? format_count(static_cast<std::uint64_t>(std::llround(calls)))
                                         : format_fixed(calls, calls == std::floor(calls) ? 0 : 1));
}

Cell counted(const CellContext& at, std::uint64_t RowCheck::*count) {
  return at.check && at.check->*count > 0 ? Cell{format_count(at.check->*count), {std::to_string(at.check->*count)}}
                                          : missing();
}

Cell label(const CellContext& at) {
  return {at.row.row.label, {at.row.row.name, at.row.row.label}};
}
Cell name(const CellContext& at) {
  return text_cell(at.row.row.name);
}
Cell tool(const CellContext& at) {
  return text_cell(at.row.row.tool);
}
Cell comment(const CellContext& at) {
  return text_cell(at.row.row.value("comment"));
}
Cell sink(const CellContext& at) {
  return text_cell(sink_words(at.row.row));
}
Cell cache(const CellContext& at) {
  return text_cell(cache_words(at.row.row));
}
Cell size(const CellContext& at) {
  return {size_words(at.row), {std::to_string(at.row.size_bytes), std::to_string(at.row.row.repeat)}};
}
Cell status(const CellContext& at) {
  return text_cell(status_words(at.own, at.check));
}
Cell n(const CellContext& at) {
  const std::string count = std::to_string(at.own.ok.size());
  return {count, {count}};
}
Cell throughput(const CellContext& at) {
  return median_cell(at, "bytes_per_s", format_rate);
}
Cell copies_per_s(const CellContext& at) {
  return median_cell(at, "operations_per_s", [](double value) { return format_fixed(value, value < 100 ? 1 : 0); });
}
Cell wall_per_copy(const CellContext& at) {
  return median_cell(at, "wall_per_copy", format_seconds);
}
Cell time_to_return(const CellContext& at) {
  return median_cell(at, "return", format_seconds);
}
Cell time_to_durable(const CellContext& at) {
  return median_cell(at, "durable", format_seconds);
}
Cell peak_memory(const CellContext& at) {
  return median_cell(at, "peak_memory", [](double bytes) { return format_size(static_cast<std::uint64_t>(bytes)); });
}
Cell user(const CellContext& at) {
  return part_of_cpu(at, "user");
}
Cell system(const CellContext& at) {
  return part_of_cpu(at, "system");
}
Cell user_per_copy(const CellContext& at) {
  return part_of_cpu(at, "user_per_copy");
}
Cell system_per_copy(const CellContext& at) {
  return part_of_cpu(at, "system_per_copy");
}
Cell startup_calls(const CellContext& at) {
  return counted(at, &RowCheck::startup_calls);
}
Cell program_bytes(const CellContext& at) {
  return counted(at, &RowCheck::program_bytes);
}

const std::vector<BuiltInColumn> built_in_columns{
    {"label", "row", {"row", "label"}, false, label},
    {"name", "name", {"name"}, false, name},
    {"tool", "tool", {"tool"}, false, tool},
    {"n", "n", {"n"}, true, n},
    {"wall", "wall, median", {"wall_s"}, true, wall},
    {"wall_interval", "wall, interval", {"wall_low_s", "wall_high_s", "wall_level"}, true, wall_interval},
    {"return", "to return", {"return_s"}, true, time_to_return},
    {"durable", "to durable", {"durable_s"}, true, time_to_durable},
    {"bytes_per_s", "throughput", {"bytes_per_s"}, true, throughput},
    {"ratio", "times baseline", {"ratio", "ratio_low", "ratio_high", "ratio_level", "ratio_verdict"}, true, ratio},
    {"user", "user", {"user_s"}, true, user},
    {"system", "system", {"system_s"}, true, system},
    {"cpu", "CPU", {"cpu_s", "cpu_sum_s"}, true, cpu},
    {"user_per_copy", "user per copy", {"user_per_copy_s"}, true, user_per_copy},
    {"system_per_copy", "system per copy", {"system_per_copy_s"}, true, system_per_copy},
    {"cpu_per_copy", "CPU per copy", {"cpu_per_copy_s", "cpu_sum_s"}, true, cpu_per_copy},
    {"wall_per_copy", "wall per copy", {"wall_per_copy_s"}, true, wall_per_copy},
    {"cpu_times_baseline",
     "CPU to baseline",
     {"cpu_ratio", "cpu_ratio_low", "cpu_ratio_high", "cpu_ratio_level"},
     true,
     cpu_ratio},
    {"operations_per_s", "copies per second", {"operations_per_s"}, true, copies_per_s},
    {"calls_per_mib", "calls per MiB", {"calls_per_mib"}, true, calls_per_mib},
    {"startup_calls", "calls to start", {"startup_calls"}, true, startup_calls},
    {"program_bytes", "program bytes", {"program_bytes"}, true, program_bytes},
    {"peak_memory", "peak memory", {"peak_memory_bytes"}, true, peak_memory},
    {"sink", "sink", {"sink"}, false, sink},
    {"cache", "cache", {"cache"}, false, cache},
    {"size", "size", {"size_bytes", "copies"}, true, size},
    {"status", "status", {"status"}, false, status},
    {"comment", "comment", {"comment"}, false, comment},
};

}  // namespace

void CellNotes::add(const std::string& text, const std::string& label) {
  auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& known) {
    return known.text == text && known.labels.empty() == label.empty();
  });
  if (entry == entries_.end()) entry = entries_.insert(entry, {text, {}});
  if (!label.empty() && std::find(entry->labels.begin(), entry->labels.end(), label) == entry->labels.end())
    entry->labels.push_back(label);
}

std::vector<std::string> CellNotes::lines() const {
  std::vector<std::string> lines;
  for (const Entry& entry : entries_)
    lines.push_back(entry.labels.empty() ? entry.text
                                         : fmt::format("{}: {}", fmt::join(entry.labels, ", "), entry.text));
  return lines;
}

std::optional<PairedRatio> cpu_to_baseline(const PlannedSuite& suite, const SuiteResult& result, std::size_t row) {
  const std::size_t baseline = suite.groups[suite.rows[row].group].baseline;
  if (baseline == SIZE_MAX || result.rows[row].cpu_is_sampled() || result.rows[baseline].cpu_is_sampled())
    return std::nullopt;
  return ratio_to_baseline(suite, result, row, "cpu");
}

const BuiltInColumn* find_column(const std::string& key) {
  const auto found = std::find_if(built_in_columns.begin(), built_in_columns.end(),
                                  [&](const BuiltInColumn& column) { return column.key == key; });
  return found == built_in_columns.end() ? nullptr : &*found;
}

}  // namespace iobench
