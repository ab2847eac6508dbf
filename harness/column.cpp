// SPDX-License-Identifier: MIT
// One list of columns, one function each. Whatever a number needs to be read rightly (why it is missing, what its marks
// mean) becomes a note of its table.
#include "column.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "share.h"
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

void add_interval(Cell& cell, const Interval& interval) {
  for (const double value : {interval.low, interval.high, interval.level}) cell.fields.push_back(format_exact(value));
}

// Median of a metric, and what is odd about its sample.
template <typename Format>
Cell median_cell(const CellContext& at, const char* metric_name, Format format) {
  const Summary summary = at.own.summary(metric_name);
  if (summary.n == 0 || !std::isfinite(summary.median)) return missing();
  if (!summary.note.empty()) at.note_of_row(summary.note);
  return number_cell(summary.median, format(summary.median));
}

// The interval in brackets behind it.
template <typename Format>
Cell median_with_interval(const CellContext& at, const char* metric_name, Format format) {
  Cell cell = median_cell(at, metric_name, format);
  const Interval interval = at.own.summary(metric_name).interval;
  if (cell.fields.empty() || !interval.exists()) return cell;
  cell.text += " [" + range_words(interval, format) + "]";
  add_interval(cell, interval);
  return cell;
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
  if (paired->interval.exists()) add_interval(cell, paired->interval);
  return cell;
}

// Of sums where single runs are too small, as in cpu_ratio.
Cell cpu_ns_per_byte(const CellContext& at) {
  if (!at.own.cpu_is_sampled())
    return median_cell(at, "cpu_per_byte", [](double seconds) { return format_number(seconds * 1e9); });
  double bytes = 0;
  for (const Sample& sample : at.own.ok) bytes += static_cast<double>(sample.bytes);
  const std::optional<double> sum = at.own.total("cpu");
  if (!sum || !(bytes > 0)) return missing();
  note_sampled_cpu(at);
  return {format_number(*sum / bytes * 1e9) + " of sums", {format_exact(*sum / bytes)}};
}

Cell over_control(const CellContext& at) {
  if (row_of_group(at.suite, at.row.group, at.spec.minus) == at.own.row) return {"control", {}};
  const std::optional<PairedDifference> paired =
      difference_to(at.suite, at.result, at.own.row, at.spec.minus, "wall_per_copy");
  if (paired && !paired->note.empty() && !at.own.ok.empty()) at.note_of_row("over the control: " + paired->note);
  if (!paired || paired->pairs == 0) return missing();
  Cell cell{format_seconds(paired->difference), {format_exact(paired->difference)}};
  if (!paired->interval.exists()) return cell;
  cell.text += " [" + range_words(paired->interval, format_seconds) + "]";
  add_interval(cell, paired->interval);
  return cell;
}

// Of the median throughput.
Cell of_limit(const CellContext& at) {
  const Share found = share_of_limit(at.suite, at.result, at.own.row);
  if (!found.bound) return {found.words, {"", "", found.words}};
  at.note("limit " + found.bound->words);
  if (!found.share) return {nothing, {"", "", found.bound->name}};
  return {found.words, {format_exact(*found.share), format_exact(found.bound->bytes_per_s), found.bound->name}};
}

Cell step(const CellContext& at) {
  const std::optional<PairedRatio> paired = step_from_previous(at.suite, at.result, at.own.row, at.spec.step);
  if (paired && !paired->note.empty() && !at.own.ok.empty()) at.note_of_row("step: " + paired->note);
  if (!paired || !(paired->ratio > 0)) return missing();
  Cell cell{ratio_words(*paired), {format_exact(paired->ratio)}};
  if (paired->interval.exists()) add_interval(cell, paired->interval);
  return cell;
}

Cell instructions_per_byte(const CellContext& at) {
  if (!at.check || at.check->instructions_per_byte < 0) {
    if (at.check && !at.check->instructions_note.empty())
      at.note(fmt::format("instructions not counted: {}", at.check->instructions_note));
    return missing();
  }
  at.note("instructions are the program's own, counted by valgrind on 1 MiB, its start taken off; the kernel's, which "
          "copies the bytes, are not in them");
  return number_cell(at.check->instructions_per_byte, format_ratio(at.check->instructions_per_byte));
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
std::string in_megabytes(double bytes_per_s) {
  return format_number(bytes_per_s / 1e6);
}
Cell megabytes_per_s(const CellContext& at) {
  return median_cell(at, "bytes_per_s", in_megabytes);
}
Cell megabytes_per_s_with_interval(const CellContext& at) {
  return median_with_interval(at, "bytes_per_s", in_megabytes);
}
Cell wall_with_interval(const CellContext& at) {
  if (!at.own.note.empty()) at.note_of_row(at.own.note);
  return median_with_interval(at, "wall", format_seconds);
}
Cell operations_per_s(const CellContext& at) {
  return median_cell(at, "operations_per_s", format_number);
}
Cell operations_per_s_with_interval(const CellContext& at) {
  return median_with_interval(at, "operations_per_s", format_number);
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
    {"wall_with_interval",
     "wall, median [interval]",
     {"wall_s", "wall_low_s", "wall_high_s", "wall_level"},
     true,
     wall_with_interval},
    {"return", "to return", {"return_s"}, true, time_to_return},
    {"durable", "to durable", {"durable_s"}, true, time_to_durable},
    {"bytes_per_s", "throughput", {"bytes_per_s"}, true, throughput},
    {"mb_per_s", "MB/s", {"bytes_per_s"}, true, megabytes_per_s},
    {"mb_per_s_with_interval",
     "MB/s, median [interval]",
     {"bytes_per_s", "bytes_per_s_low", "bytes_per_s_high", "bytes_per_s_level"},
     true,
     megabytes_per_s_with_interval},
    {"of_limit", "of the limit", {"of_limit", "limit_bytes_per_s", "limit"}, false, of_limit},
    {"ratio", "times baseline", {"ratio", "ratio_low", "ratio_high", "ratio_level", "ratio_verdict"}, true, ratio},
    {"step", "times as fast as the previous", {"step", "step_low", "step_high", "step_level"}, true, step},
    {"over_control",
     "over the control, per copy",
     {"over_control_s", "over_control_low_s", "over_control_high_s", "over_control_level"},
     true,
     over_control},
    {"user", "user", {"user_s"}, true, user},
    {"system", "system", {"system_s"}, true, system},
    {"cpu", "CPU", {"cpu_s", "cpu_sum_s"}, true, cpu},
    {"user_per_copy", "user per copy", {"user_per_copy_s"}, true, user_per_copy},
    {"system_per_copy", "system per copy", {"system_per_copy_s"}, true, system_per_copy},
    {"cpu_per_copy", "CPU per copy", {"cpu_per_copy_s", "cpu_sum_s"}, true, cpu_per_copy},
    {"cpu_ns_per_byte", "CPU, ns per byte", {"cpu_per_byte_s"}, true, cpu_ns_per_byte},
    {"wall_per_copy", "wall per copy", {"wall_per_copy_s"}, true, wall_per_copy},
    {"cpu_times_baseline",
     "CPU to baseline",
     {"cpu_ratio", "cpu_ratio_low", "cpu_ratio_high", "cpu_ratio_level"},
     true,
     cpu_ratio},
    {"operations_per_s", "operations per second", {"operations_per_s"}, true, operations_per_s},
    {"operations_per_s_with_interval",
     "operations per second, median [interval]",
     {"operations_per_s", "operations_per_s_low", "operations_per_s_high", "operations_per_s_level"},
     true,
     operations_per_s_with_interval},
    {"calls_per_mib", "calls per MiB", {"calls_per_mib"}, true, calls_per_mib},
    {"instructions_per_byte", "instructions a byte", {"instructions_per_byte"}, true, instructions_per_byte},
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
