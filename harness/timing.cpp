// SPDX-License-Identifier: MIT
#include "timing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "csv.h"
#include "findings.h"
#include "placement.h"
#include "record_file.h"
#include "resume.h"
#include "table.h"
#include "units.h"
#include "warnings.h"
#include "words.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

constexpr int status_usage = 2;
constexpr std::string_view pipe_prefix = "pipe:", again_suffix = "/again";

[[noreturn]] void refuse(const std::string& text) { throw Error(text, status_usage); }

fs::path input_path(const TimingOptions& options) {
  if (options.input.empty() || options.input == "zero") return {};
  return options.input.starts_with(pipe_prefix) ? options.input.substr(pipe_prefix.size()) : options.input;
}

Input input_kind(const TimingOptions& options) {
  if (options.input.empty()) return Input::none;
  if (options.input == "zero") return Input::zero;
  return options.input.starts_with(pipe_prefix) ? Input::pipe : Input::corpus;
}

Output output_kind(const TimingOptions& options) {
  for (const Output output : {Output::null, Output::pipe, Output::file, Output::tmpfs})
    if (options.output == to_string(output)) return output;
  refuse(fmt::format("--output '{}': it is null, pipe, file or tmpfs", options.output));
}

Cache cache_kind(const TimingOptions& options) {
  const bool reads_file = !input_path(options).empty();
  if (options.cache.empty()) return reads_file ? Cache::warm : Cache::none;
  const auto cache = cache_of(options.cache);
  if (!cache || *cache == Cache::none)
    refuse(fmt::format("--cache '{}': it is warm, cold or confined", options.cache));
  if (!reads_file) refuse(fmt::format("--cache {}: there is no --input file to be {}", options.cache, options.cache));
  if (*cache == Cache::confined && input_kind(options) == Input::pipe)
    refuse("--cache confined with --input pipe:…: what feeds the pipe would not be confined");
  return *cache;
}

// A row's name is what samples.csv keeps of a command: one line, blanks as one, and its own, also beside NAME/again.
std::string row_name(const std::string& command, const std::set<std::string>& taken) {
  const auto is_free = [&](const std::string& name) {
    const bool of_another = name.ends_with(again_suffix) &&
                            taken.contains(name.substr(0, name.size() - again_suffix.size()));
    return !of_another && !taken.contains(name) && !limit_of_row(name);
  };
  const std::string first = flattened(command);
  std::string name = first;
  for (int number = 2; !is_free(name); ++number) name = fmt::format("{} ({})", first, number);
  return name;
}

// hyperfine takes no other words, and JSON keeps no other text.
void require_utf8(const char* what, const std::string& text) {
  if (nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::ignore) !=
      nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace))
    refuse(fmt::format("{} '{}': it is not UTF-8, and nothing else can be recorded", what, printable(text)));
}

bool special_everywhere(char c) { return std::string_view("|&;<>()$`*?[").find(c) != std::string_view::npos; }

}  // namespace

std::vector<std::string> split_command(const std::string& text) {
  std::vector<std::string> words;
  bool inside = false;  // a word has begun
  const auto add = [&](char c) {
    if (!inside) words.emplace_back();
    inside = true;
    words.back() += c;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ' ' || c == '\t' || c == '\n') {
      inside = false;
    } else if (c == '\'' || c == '"') {
      if (!inside) words.emplace_back();
      inside = true;
      for (++at; at < text.size() && text[at] != c; ++at) {
        if (c == '"' && (text[at] == '$' || text[at] == '`'))
          refuse(fmt::format("'{}': '{}' inside double quotes needs a shell: --shell", text, text[at]));
        const bool escape = c == '"' && text[at] == '\\' && at + 1 < text.size() &&
                            std::string_view("\"\\$`").find(text[at + 1]) != std::string_view::npos;
        add(text[escape ? ++at : at]);
      }
      if (at == text.size()) refuse(fmt::format("'{}': the quote {} is not closed", text, c));
    } else if (c == '\\') {
      if (at + 1 == text.size()) refuse(fmt::format("'{}' ends with a backslash", text));
      add(text[++at]);
    } else if (special_everywhere(c) || (!inside && (c == '#' || c == '~'))) {
      refuse(fmt::format("'{}': '{}' needs a shell, which would be measured too: --shell, or quote it", text, c));
    } else {
      add(c);
    }
  }
  return words;
}

std::optional<Corpus> timing_input(const TimingOptions& options) {
  const fs::path path = input_path(options);
  if (path.empty()) return std::nullopt;
  std::error_code failure;
  const fs::file_status status = fs::status(path, failure);
  if (!fs::exists(status)) throw Error(fmt::format("--input {}: no such file", path.string()));
  if (!fs::is_regular_file(status))
    throw Error(fmt::format("--input {}: not a regular file: what of it is cached cannot be known", path.string()));
  const std::uint64_t size = fs::file_size(path);
  if (size == 0) throw Error(fmt::format("--input {}: its size is 0 bytes: there would be nothing to measure", path.string()));
  return Corpus{fs::absolute(path), size, 0, {}, false};
}

Plan plan_timing(const TimingOptions& options) {
  if (options.commands.empty()) refuse("there is no command to time");
  const Input input = input_kind(options);
  const Output output = output_kind(options);
  const Cache cache = cache_kind(options);
  if (options.sync && output != Output::file) refuse("--sync: only --output file can be synced");
  require_utf8("--input", options.input);
  if (options.input == pipe_prefix) refuse("--input pipe: names no file");
  const std::optional<Corpus> given = timing_input(options);

  Experiment experiment;
  std::set<std::string> taken;
  experiment.name = "time";
  for (const std::string& command : options.commands) {
    require_utf8("command", command);
    Row row;
    std::vector<std::string> words = options.shell ? std::vector<std::string>{"sh", "-c", command} : split_command(command);
    if (words.empty() || words[0].empty()) refuse("a command is empty");
    row.name = row_name(command, taken);
    taken.insert(row.name);
    row.label = row.name == flattened(command) ? command : row.name;
    row.program = words[0];
    row.tool = fs::path(words[0]).filename().string();
    row.arguments.assign(words.begin() + 1, words.end());
    row.input = input;
    row.output = output;
    row.cache = cache;
    row.not_confined = cache == Cache::confined && !options.plan.confinable;  // its name stays what was typed
    row.sync = options.sync;
    row.size_bytes = given ? given->size_bytes : 0;
    experiment.rows.push_back(std::move(row));
  }
  experiment.baseline = {{"name", experiment.rows[0].name}};
  PlanOptions plan_options = options.plan;
  plan_options.corpus_bytes = given ? given->size_bytes : 0;
  plan_options.apply_shares = false;
  Plan plan = make_plan({std::move(experiment)}, plan_options);
  plan.free_commands = true;
  return plan;
}

Timing run_timing(const TimingOptions& options, SessionOptions session, const Layout& layout, const Toolbox& toolbox) {
  Timing timing;
  const Plan plan = plan_timing(options);
  session.given = timing_input(options);
  session.cpus = options.plan.cpus;
  std::optional<ScratchDirectory> passing;
  if (session.results.empty()) {
    passing.emplace(session.corpus_directory.empty() ? layout.corpus : session.corpus_directory);
    session.results = passing->path();
    session.passing = true;
  }
  timing.end = run_session(plan, session, layout, toolbox);
  Findings found = read_findings(timing.end.results, layout);
  timing.result = std::move(found.results.at(0));
  timing.table = suite_tables(found.stored.plan.suites[0], timing.result, found.checks(0), std::nullopt).at(0);
  for (const Warning& warning : find_warnings(found.stored.plan, {timing.result}, found.surroundings.rounds))
    timing.warnings.push_back(to_sentence(warning));
  timing.plan = std::move(found.stored.plan);
  timing.checks = std::move(found.stored.checks);
  return timing;
}

namespace {

std::vector<double> values_of(const RowResult& row, const std::string& name) {
  std::vector<double> values;
  for (const Sample& sample : row.ok)
    if (const auto value = metric(sample, name)) values.push_back(*value);
  return values;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// hyperfine's figures of a command, in its order; empty where there are none.
struct Figures {
  std::vector<double> times;
  std::optional<double> mean, stddev, median, user, system, least, most;
};

Figures figures_of(const RowResult& row) {
  Figures figures;
  figures.times = values_of(row, "wall");
  if (figures.times.empty()) return figures;
  figures.mean = mean(figures.times);
  if (figures.times.size() > 1) figures.stddev = standard_deviation(figures.times);
  figures.median = median(figures.times);
  if (const auto user = values_of(row, "user"); !user.empty()) figures.user = mean(user);
  if (const auto system = values_of(row, "system"); !system.empty()) figures.system = mean(system);
  figures.least = *std::min_element(figures.times.begin(), figures.times.end());
  figures.most = *std::max_element(figures.times.begin(), figures.times.end());
  return figures;
}

}  // namespace

std::string timing_json(const Plan& plan, const RowChecks& checks, const SuiteResult& result) {
  using Json = nlohmann::ordered_json;
  const PlannedSuite& suite = plan.suites[0];
  Json results = Json::array();
  for (std::size_t i = 0; i < suite.rows.size(); ++i) {
    const Row& row = suite.rows[i].row;
    const RowResult& own = result.rows[i];
    const RowCheck* check = checks.empty() ? nullptr : &checks[0][i];
    const Figures figures = figures_of(own);
    const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
    Json entry = {{"command", row.label},         {"mean", number(figures.mean)},     {"stddev", number(figures.stddev)},
                  {"median", number(figures.median)}, {"user", number(figures.user)},     {"system", number(figures.system)},
                  {"min", number(figures.least)},     {"max", number(figures.most)},      {"times", figures.times},
                  {"exit_codes", std::vector<int>(figures.times.size(), 0)}};
    Json ours = {{"status", status_words(own, check)}, {"source", row.input == Input::corpus ? "file" : to_string(row.input)}, {"sink", sink_words(row.output)}};
    if (row.cache != Cache::none) ours["cache"] = cache_words(row);
    if (check && !check->note.empty()) ours["note"] = check->note;
    if (!own.not_a_copy.empty()) ours["not_a_copy"] = own.not_a_copy;
    const Interval interval = own.summary("wall").interval;
    if (interval.exists())
      ours["median_interval"] = {{"low", interval.low}, {"high", interval.high}, {"level", interval.level}};
    if (own.against_baseline && own.against_baseline->ratio > 0) {
      const PairedRatio& ratio = *own.against_baseline;
      ours["ratio_to_first"] = {{"ratio", ratio.ratio}, {"pairs", ratio.pairs}};
      if (ratio.interval.exists())
        ours["ratio_to_first"].update({{"low", ratio.interval.low}, {"high", ratio.interval.high}, {"level", ratio.interval.level}});
    }
    Json runs = Json::array();
    for (const Sample& sample : own.ok) {
      Json run = {{"round", sample.round}, {"wall_s", number(sample.wall_s)}};
      if (sample.resident_before) run["resident_before"] = *sample.resident_before;
      if (sample.device_read_bytes) run["device_read_bytes"] = *sample.device_read_bytes;
      if (sample.limit_bytes) run["limit_bytes"] = *sample.limit_bytes;
      runs.push_back(std::move(run));
    }
    ours["runs"] = std::move(runs);
    entry["iobench"] = std::move(ours);
    results.push_back(std::move(entry));
  }
  return Json{{"results", std::move(results)}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string timing_csv(const Plan& plan, const SuiteResult& result) {
  std::string text = "command,mean,stddev,median,user,system,min,max\n";
  for (std::size_t i = 0; i < plan.suites[0].rows.size(); ++i) {
    const Figures figures = figures_of(result.rows[i]);
    text += csv_field(disarmed(plan.suites[0].rows[i].row.label));
    for (const auto& value : {figures.mean, figures.stddev, figures.median, figures.user, figures.system, figures.least, figures.most})
      text += "," + (value ? format_exact(*value) : std::string());
    text += "\n";
  }
  return text;
}

}  // namespace iobench
