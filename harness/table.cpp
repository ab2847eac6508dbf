// SPDX-License-Identifier: MIT
// One list of columns, one function each, and the tables that are put together from them. Whatever a number needs to be
// read rightly (level, noise floor, why it is missing) becomes a note of its table.
#include "table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "units.h"

namespace iobench {

namespace {

constexpr const char* nothing = "–";
constexpr const char* no_difference_mark = " ≈";
constexpr const char* published_prefix = "published.";

// What a cell is made of, and where it leaves its notes.
struct Context {
  const PlannedSuite& suite;
  const SuiteResult& result;
  const PlannedRow& row;
  const RowResult& own;
  const RowCheck* check;
  const std::set<std::string>& moves_nothing;
  std::vector<std::string>& notes;

  const Group& group() const { return suite.groups[row.group]; }
  void note(const std::string& text) const {
    if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
  }
};

Cell text_cell(const std::string& text) { return {text.empty() ? nothing : text, {text}}; }
Cell missing() { return {nothing, {}}; }

Cell number_cell(double value, const std::string& text) {
  return std::isfinite(value) ? Cell{text, {format_exact(value)}} : missing();
}

// Median of a metric, and what is odd about its sample.
template <typename Format>
Cell median_cell(const Context& at, const char* metric_name, Format format) {
  const Summary summary = at.own.summary(metric_name);
  if (summary.n == 0 || !std::isfinite(summary.median)) return missing();
  if (!summary.note.empty()) at.note(fmt::format("{}: {}", at.row.row.label, summary.note));
  return number_cell(summary.median, format(summary.median));
}

Cell wall(const Context& at) {
  if (!at.own.note.empty()) at.note(fmt::format("{}: {}", at.row.row.label, at.own.note));
  return median_cell(at, "wall", format_seconds);
}

// "80.9–82.1 ms": the unit once where both ends have the same.
std::string seconds_range(double low, double high) {
  std::string from = format_seconds(low);
  const std::string to = format_seconds(high);
  const std::size_t unit = from.find(' '), other = to.find(' ');
  if (unit != std::string::npos && other != std::string::npos && from.substr(unit) == to.substr(other)) from.erase(unit);
  return from + "–" + to;
}

Cell wall_interval(const Context& at) {
  const Interval interval = at.own.summary("wall").interval;
  if (!interval.exists()) return missing();
  return {seconds_range(interval.low, interval.high),
          {format_exact(interval.low), format_exact(interval.high), format_exact(interval.level)}};
}

Cell ratio(const Context& at) {
  const Group& group = at.group();
  if (group.baseline != SIZE_MAX && &at.result.rows[group.baseline] == &at.own) return {"baseline", {"", "", "", "", "baseline"}};
  if (!is_copy(at.row.row, at.moves_nothing)) {
    at.note(fmt::format("{} moves no data into the null device: its time is not that of a copy and is not compared",
                        at.row.row.label));
    return {"not a copy", {"", "", "", "", "not a copy"}};
  }
  const std::optional<PairedRatio>& paired = at.own.against_baseline;
  if (!paired || !(paired->ratio > 0) || !std::isfinite(paired->ratio)) {
    if (paired && !paired->note.empty() && !at.own.ok.empty())
      at.note(fmt::format("{}, ratio: {}", at.row.row.label, paired->note));
    return missing();
  }
  const Interval& interval = paired->interval;
  const bool told_apart = interval.exists() && (interval.low > 1 || interval.high < 1) && !at.own.below_noise_floor;
  const char* verdict = !interval.exists() ? "no interval" : !told_apart ? "no difference" : interval.low > 1 ? "slower" : "faster";
  std::vector<std::string> fields{format_exact(paired->ratio), "", "", "", verdict};
  if (interval.exists()) {
    fields[1] = format_exact(interval.low);
    fields[2] = format_exact(interval.high);
    fields[3] = format_exact(interval.level);
  }
  if (interval.exists() && !told_apart)
    at.note("≈ no difference: the interval contains 1, or the ratio is within the noise floor");
  return {ratio_words(*paired) + (interval.exists() && !told_apart ? no_difference_mark : ""), fields};
}

void note_sampled_cpu(const Context& at) {
  at.note("CPU under 100 clock ticks over all runs is given as their sum; its split into user and system is sampling and "
          "is not shown");
}

Cell part_of_cpu(const Context& at, const char* metric_name) {
  if (at.own.cpu_is_sampled()) {
    note_sampled_cpu(at);
    return missing();
  }
  return median_cell(at, metric_name, format_seconds);
}

// The sum is given where the median of a few ticks would mean nothing; `of` says over how many of what.
Cell cpu_or_sum(const Context& at, const char* metric_name, std::uint64_t of, const char* unit) {
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

Cell cpu(const Context& at) { return cpu_or_sum(at, "cpu", at.own.ok.size(), at.own.ok.size() == 1 ? "run" : "runs"); }

Cell cpu_per_copy(const Context& at) {
  std::uint64_t copies = 0;
  for (const Sample& sample : at.own.ok) copies += sample.operations;
  return cpu_or_sum(at, "cpu_per_copy", copies, copies == 1 ? "copy" : "copies");
}

// Of sums where either side is too small for single runs.
Cell cpu_times_baseline(const Context& at) {
  const Group& group = at.group();
  if (group.baseline == SIZE_MAX) return missing();
  const RowResult& baseline = at.result.rows[group.baseline];
  if (&baseline == &at.own) return {"baseline", {}};
  const std::optional<double> sum = at.own.total("cpu"), base_sum = baseline.total("cpu");
  if (!sum || !base_sum) return missing();
  if (!(*base_sum > 0)) {
    at.note(fmt::format("{} used no measurable CPU: nothing is a multiple of it",
                        at.suite.rows[group.baseline].row.label));
    return missing();
  }
  if (at.own.cpu_is_sampled() || baseline.cpu_is_sampled()) {
    if (at.own.ok.size() != baseline.ok.size()) {
      at.note(fmt::format("{}: its CPU and the baseline's are sums over different numbers of runs", at.row.row.label));
      return missing();
    }
    const double of_sums = *sum / *base_sum;
    return {format_ratio(of_sums) + " of sums", {format_exact(of_sums)}};
  }
  const PairedRatio paired = row_ratio(at.own, baseline, "cpu", family_level(group.comparisons()));
  if (!(paired.ratio > 0)) return missing();
  Cell cell{ratio_words(paired), {format_exact(paired.ratio)}};
  if (paired.interval.exists())
    cell.fields.insert(cell.fields.end(), {format_exact(paired.interval.low), format_exact(paired.interval.high)});
  return cell;
}

Cell calls_per_mib(const Context& at) {
  if (!at.check || at.check->calls_per_mib < 0 || !std::isfinite(at.check->calls_per_mib)) {
    if (at.check && !at.check->calls_note.empty())
      at.note(fmt::format("{}: calls not counted: {}", at.row.row.label, at.check->calls_note));
    return missing();
  }
  const double calls = at.check->calls_per_mib;
  return number_cell(calls, calls >= 100 ? format_count(static_cast<std::uint64_t>(std::llround(calls)))
                                         : format_fixed(calls, calls == std::floor(calls) ? 0 : 1));
}

Cell counted(const Context& at, std::uint64_t RowCheck::*count) {
  return at.check && at.check->*count > 0 ? Cell{format_count(at.check->*count), {std::to_string(at.check->*count)}} : missing();
}

std::string rate_per_s(double value) { return format_fixed(value, value < 100 ? 1 : 0); }
std::string memory(double bytes) { return format_size(static_cast<std::uint64_t>(bytes)); }

struct BuiltIn {
  const char* key;
  const char* heading;
  std::vector<std::string> csv;
  bool numeric;
  Cell (*cell)(const Context&);
};

const std::vector<BuiltIn>& built_ins() {
  static const std::vector<BuiltIn> list{
      {"label", "row", {"row", "label"}, false,
       [](const Context& c) { return Cell{c.row.row.label, {c.row.row.name, c.row.row.label}}; }},
      {"name", "name", {"name"}, false, [](const Context& c) { return text_cell(c.row.row.name); }},
      {"tool", "tool", {"tool"}, false, [](const Context& c) { return text_cell(c.row.row.tool); }},
      {"n", "n", {"n"}, true,
       [](const Context& c) { return Cell{std::to_string(c.own.ok.size()), {std::to_string(c.own.ok.size())}}; }},
      {"wall", "wall, median", {"wall_s"}, true, wall},
      {"wall_interval", "wall, interval", {"wall_low_s", "wall_high_s", "wall_level"}, true, wall_interval},
      {"bytes_per_s", "throughput", {"bytes_per_s"}, true,
       [](const Context& c) { return median_cell(c, "bytes_per_s", format_rate); }},
      {"ratio", "time to baseline", {"ratio", "ratio_low", "ratio_high", "ratio_level", "ratio_verdict"}, true, ratio},
      {"user", "user", {"user_s"}, true, [](const Context& c) { return part_of_cpu(c, "user"); }},
      {"system", "system", {"system_s"}, true, [](const Context& c) { return part_of_cpu(c, "system"); }},
      {"cpu", "CPU", {"cpu_s", "cpu_sum_s"}, true, cpu},
      {"user_per_copy", "user per copy", {"user_per_copy_s"}, true,
       [](const Context& c) { return part_of_cpu(c, "user_per_copy"); }},
      {"system_per_copy", "system per copy", {"system_per_copy_s"}, true,
       [](const Context& c) { return part_of_cpu(c, "system_per_copy"); }},
      {"cpu_per_copy", "CPU per copy", {"cpu_per_copy_s", "cpu_sum_s"}, true, cpu_per_copy},
      {"wall_per_copy", "wall per copy", {"wall_per_copy_s"}, true,
       [](const Context& c) { return median_cell(c, "wall_per_copy", format_seconds); }},
      {"cpu_times_baseline", "CPU to baseline", {"cpu_ratio", "cpu_ratio_low", "cpu_ratio_high"}, true, cpu_times_baseline},
      {"operations_per_s", "copies per second", {"operations_per_s"}, true,
       [](const Context& c) { return median_cell(c, "operations_per_s", rate_per_s); }},
      {"calls_per_mib", "calls per MiB", {"calls_per_mib"}, true, calls_per_mib},
      {"startup_calls", "calls to start", {"startup_calls"}, true,
       [](const Context& c) { return counted(c, &RowCheck::startup_calls); }},
      {"program_bytes", "program bytes", {"program_bytes"}, true,
       [](const Context& c) { return counted(c, &RowCheck::program_bytes); }},
      {"peak_memory", "peak memory", {"peak_memory_bytes"}, true,
       [](const Context& c) { return median_cell(c, "peak_memory", memory); }},
      {"sink", "sink", {"sink"}, false, [](const Context& c) { return text_cell(sink_words(c.row.row.output)); }},
      {"cache", "cache", {"cache"}, false,
       [](const Context& c) { return text_cell(c.row.row.cache == Cache::none ? "" : to_string(c.row.row.cache)); }},
      {"size", "size", {"size_bytes", "copies"}, true,
       [](const Context& c) {
         return Cell{size_words(c.row), {std::to_string(c.row.size_bytes), std::to_string(c.row.row.repeat)}};
       }},
      {"status", "status", {"status"}, false, [](const Context& c) { return text_cell(status_words(c.own, c.check)); }},
      {"comment", "comment", {"comment"}, false, [](const Context& c) { return text_cell(c.row.row.value("comment")); }},
  };
  return list;
}

const BuiltIn* find_built_in(const std::string& key) {
  const auto& list = built_ins();
  const auto found = std::find_if(list.begin(), list.end(), [&](const BuiltIn& column) { return column.key == key; });
  return found == list.end() ? nullptr : &*found;
}

// Whether every filled cell of a published column is a number, and so belongs on the right.
bool is_numeric(const PublishedTable& table, const std::string& column) {
  const auto at = std::find(table.columns.begin(), table.columns.end(), column) - table.columns.begin();
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const std::vector<std::string>& row) {
    const auto index = static_cast<std::size_t>(at);
    return index < row.size() && row[index].find_first_not_of("0123456789.+-eE") == std::string::npos;
  });
}

// The rows and columns of one table, chosen before any cell is made.
struct Selection {
  std::string title;
  std::vector<std::size_t> rows;
  std::vector<std::string> columns;
  std::vector<std::string> headings;
};

class TableMaker {
 public:
  TableMaker(const PlannedSuite& suite, const SuiteResult& result, const std::vector<RowCheck>& checks,
             const std::optional<PublishedTable>& published, const std::set<std::string>& moves_nothing)
      : suite_(suite), result_(result), checks_(checks), published_(published), moves_nothing_(moves_nothing) {}

  Table make(Selection selection) const {
    Table table;
    complete(selection);
    table.title = selection.title;
    for (std::size_t i = 0; i < selection.columns.size(); ++i)
      table.columns.push_back(column(selection.columns[i], i < selection.headings.size() ? selection.headings[i] : ""));
    std::vector<std::string> cell_notes;
    for (const std::size_t row : selection.rows) {
      table.rows.emplace_back();
      for (const std::string& key : selection.columns) table.rows.back().push_back(cell(key, row, cell_notes));
    }
    if (selection.rows.empty()) table.notes.push_back("no row of the suite belongs to this table");
    add_notes(table, selection);
    table.notes.insert(table.notes.end(), cell_notes.begin(), cell_notes.end());
    return table;
  }

  Selection standard(const Group& group) const {
    Selection selection;
    selection.title = suite_.experiment.title;
    selection.rows = group.rows;
    selection.columns = {"label", "wall", "wall_interval", "bytes_per_s"};
    if (group.baseline != SIZE_MAX) selection.columns.push_back("ratio");
    selection.columns.insert(selection.columns.end(), {"cpu", "calls_per_mib", "n"});
    return selection;
  }

  Selection specified(const TableSpec& spec) const {
    Selection selection;
    selection.title = spec.title.empty() ? suite_.experiment.title : spec.title;
    selection.columns = spec.columns;
    selection.headings = spec.headings;
    for (std::size_t row = 0; row < suite_.rows.size(); ++row)
      if (is_shown(suite_.rows[row].row, spec.only)) selection.rows.push_back(row);
    return selection;
  }

 private:
  const RowCheck* check(std::size_t row) const { return row < checks_.size() ? &checks_[row] : nullptr; }

  // Sink, regime and trouble are never left to guess.
  void complete(Selection& selection) const {
    std::vector<const PlannedRow*> rows;
    bool trouble = false;
    for (const std::size_t row : selection.rows) {
      rows.push_back(&suite_.rows[row]);
      trouble = trouble || status_words(result_.rows[row], check(row)) != "ok";
    }
    const Conditions common = conditions(rows);
    if (!common.text.empty()) selection.title += (selection.title.empty() ? "" : ": ") + common.text;
    const auto add = [&](bool wanted, const char* key) {
      if (wanted && !std::count(selection.columns.begin(), selection.columns.end(), key)) selection.columns.push_back(key);
    };
    add(!common.one_sink, "sink");
    add(!common.one_cache, "cache");
    add(!common.one_size, "size");
    add(trouble, "status");
  }

  Column column(const std::string& key, const std::string& heading) const {
    if (key.starts_with(published_prefix)) {
      const std::string name = key.substr(std::string_view(published_prefix).size());
      return {heading.empty() ? name + ", published" : heading, {"published_" + name},
              published_ && is_numeric(*published_, name)};
    }
    const BuiltIn* found = find_built_in(key);
    if (!found) throw Error(fmt::format("{}: unknown column '{}'", suite_.experiment.path.string(), key));
    return {heading.empty() ? found->heading : heading, found->csv, found->numeric};
  }

  Cell cell(const std::string& key, std::size_t row, std::vector<std::string>& notes) const {
    const PlannedRow& planned = suite_.rows[row];
    if (!key.starts_with(published_prefix))
      return find_built_in(key)->cell({suite_, result_, planned, result_.rows[row], check(row), moves_nothing_, notes});
    if (!published_ || !suite_.experiment.published) return missing();
    return text_cell(published_value(*suite_.experiment.published, *published_, planned.row,
                                     key.substr(std::string_view(published_prefix).size())));
  }

  static bool has(const Selection& selection, const char* key) {
    return std::count(selection.columns.begin(), selection.columns.end(), key) > 0;
  }

  // How the numbers are to be read; one line an idea.
  void add_notes(Table& table, const Selection& selection) const {
    if (has(selection, "wall_interval")) {
      std::set<std::string> words;
      for (const std::size_t row : selection.rows)
        if (const std::string text = interval_words(result_.rows[row], "wall"); !text.empty()) words.insert(text);
      if (!words.empty()) table.notes.push_back(fmt::format("interval of the median: {}", fmt::join(words, "; ")));
    }
    if (has(selection, "ratio") || has(selection, "cpu_times_baseline")) {
      std::set<std::size_t> groups;
      for (const std::size_t row : selection.rows) groups.insert(suite_.rows[row].group);
      for (const std::size_t index : groups)
        if (suite_.groups[index].baseline != SIZE_MAX) table.notes.push_back(baseline_note(index, groups.size() > 1));
    }
    const bool with_published = std::any_of(selection.columns.begin(), selection.columns.end(), [](const std::string& key) {
      return key.starts_with(published_prefix);
    });
    if (with_published && published_)
      for (const std::string& note : published_->notes) table.notes.push_back("published: " + note);
    if (with_published && !published_) table.notes.push_back("the published figures were not found");
  }

  std::string baseline_note(std::size_t index, bool name_group) const {
    const Group& group = suite_.groups[index];
    const GroupResult& compared = result_.groups[index];
    std::string note = name_group && !group.name.empty() ? group.name + ": " : "";
    note += fmt::format("ratios are to {}, paired by round, signed-rank interval of {} each ({} comparison{})",
                        suite_.rows[group.baseline].row.label, format_percent(family_level(group.comparisons())),
                        group.comparisons(), group.comparisons() == 1 ? "" : "s");
    if (compared.noise_floor > 1)
      note += fmt::format("; noise floor {}: the wall time of the baseline against itself", format_percent(compared.noise_floor - 1));
    else
      note += "; noise floor not known";
    if (!compared.note.empty()) note += ": " + compared.note;
    return note;
  }

  const PlannedSuite& suite_;
  const SuiteResult& result_;
  const std::vector<RowCheck>& checks_;
  const std::optional<PublishedTable>& published_;
  const std::set<std::string>& moves_nothing_;
};

std::string source_words(Input input, Cache cache) {
  switch (input) {
    case Input::corpus: return cache == Cache::none ? "file" : std::string(to_string(cache)) + " file";
    case Input::tmpfs: return "file in memory";
    case Input::pipe: return "pipe";
    case Input::zero: return "zero device";
    case Input::none: return "generated bytes";
  }
  return "";
}

std::string target_words(Output output) {
  switch (output) {
    case Output::null: return "to the null device";
    case Output::pipe: return "to a pipe whose reader discards";
    case Output::file: return "to a new file";
    case Output::over: return "over a file in place";
    case Output::tmpfs: return "to a file in memory";
    case Output::none: return "read and discarded";
  }
  return "";
}

}  // namespace

bool is_column(const std::string& key) { return find_built_in(key) != nullptr; }

std::vector<Table> suite_tables(const PlannedSuite& suite, const SuiteResult& result, const std::vector<RowCheck>& checks,
                                const std::optional<PublishedTable>& published,
                                const std::set<std::string>& moves_nothing) {
  const TableMaker maker(suite, result, checks, published, moves_nothing);
  std::vector<Table> tables;
  for (const TableSpec& spec : suite.experiment.tables) tables.push_back(maker.make(maker.specified(spec)));
  if (tables.empty())
    for (const Group& group : suite.groups) tables.push_back(maker.make(maker.standard(group)));
  return tables;
}

std::string sink_words(Output output) {
  switch (output) {
    case Output::null: return "null device";
    case Output::pipe: return "pipe";
    case Output::file: return "new file";
    case Output::over: return "file, in place";
    case Output::tmpfs: return "file in memory";
    case Output::none: return "none";
  }
  return "";
}

std::string status_words(const RowResult& result, const RowCheck* check) {
  const bool checked_out = check && check->status != "ok" && result.ok.empty();
  const std::string& status = checked_out ? check->status : result.status;
  const std::string& reason = checked_out ? check->reason : result.reason;
  return reason.empty() || status == "ok" ? status : status + ": " + reason;
}

std::string size_words(const PlannedRow& row) {
  const std::string size = format_size(row.size_bytes);
  return row.row.repeat > 1 ? fmt::format("{} x {}", size, format_count(row.row.repeat)) : size;
}

std::string ratio_words(const PairedRatio& ratio) {
  if (!(ratio.ratio > 0) || !std::isfinite(ratio.ratio)) return nothing;
  if (!ratio.interval.exists()) return format_ratio(ratio.ratio);
  return fmt::format("{} [{}, {}]", format_ratio(ratio.ratio), format_ratio(ratio.interval.low),
                     format_ratio(ratio.interval.high));
}

std::string interval_words(const RowResult& result, const std::string& metric_name) {
  const Summary summary = result.summary(metric_name);
  if (!summary.interval.exists()) return "";
  double low = summary.interval.high, high = summary.interval.low;
  for (const Sample& sample : result.ok)
    if (const std::optional<double> value = metric(sample, metric_name)) {
      low = std::min(low, *value);
      high = std::max(high, *value);
    }
  const bool range = summary.interval.low <= low && summary.interval.high >= high;
  return fmt::format("{} of {} rounds, {}", range ? "range" : "order statistics", summary.n,
                     format_percent(summary.interval.level));
}

Conditions conditions(const std::vector<const PlannedRow*>& rows) {
  Conditions common;
  if (rows.empty()) return common;
  const PlannedRow& first = *rows.front();
  const auto same = [&](auto of) {
    return std::all_of(rows.begin(), rows.end(), [&](const PlannedRow* row) { return of(*row) == of(first); });
  };
  common.one_sink = same([](const PlannedRow& row) { return row.row.output; });
  common.one_cache = same([](const PlannedRow& row) { return row.row.cache; });
  if (same([](const PlannedRow& row) { return row.row.input; }))
    common.text = source_words(first.row.input, common.one_cache ? first.row.cache : Cache::none);
  if (common.one_sink) common.text += (common.text.empty() ? "" : " ") + target_words(first.row.output);
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end(), [](const PlannedRow* a, const PlannedRow* b) {
    return a->size_bytes < b->size_bytes;
  });
  common.one_size = same(size_words);
  const std::string sizes = common.one_size ? size_words(first)
                                             : fmt::format("{} to {}", format_size((*least)->size_bytes),
                                                           format_size((*most)->size_bytes));
  common.text += (common.text.empty() ? "" : ", ") + sizes + " per run";
  return common;
}

bool is_copy(const Row& row, const std::set<std::string>& moves_nothing) {
  return row.output != Output::null || !moves_nothing.contains(row.tool);
}

}  // namespace iobench
