// SPDX-License-Identifier: MIT
#include "session.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "check.h"
#include "limit.h"
#include "machine.h"
#include "placement.h"
#include "progress.h"
#include "regime.h"
#include "runner.h"
#include "samples.h"
#include "units.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t memory_copy_bytes = 512u << 20;  // 40 ms here: long against the clock, short against a round

std::vector<std::string> chosen_suites(const SessionOptions& options, const Layout& layout) {
  const std::vector<std::string> known = suite_names(layout.data);
  if (options.suites.empty() || options.suites == std::vector<std::string>{"all"}) return known;
  for (const std::string& name : options.suites)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw Error(fmt::format("unknown suite '{}'; there are: {}", name, fmt::join(known, ", ")), 2);
  return options.suites;
}

fs::path corpus_directory(const SessionOptions& options, const Layout& layout) {
  return options.corpus_directory.empty() ? layout.corpus : options.corpus_directory;
}

// results/DATE-HOST, then .2, .3 …: created here, never one that exists.
fs::path create_results(const SessionOptions& options, const Layout& layout) {
  std::error_code failure;
  if (!options.results.empty()) {
    fs::create_directories(options.results, failure);
    if (failure) throw Error(fmt::format("create {}: {}", options.results.string(), failure.message()));
    if (!fs::is_empty(options.results))
      throw Error(fmt::format("write results to {}: it is not empty, and results are never overwritten", options.results.string()));
    return options.results;
  }
  fs::create_directories(layout.results, failure);
  if (failure) throw Error(fmt::format("create {}: {}", layout.results.string(), failure.message()));
  const std::time_t now = std::time(nullptr);
  struct tm date = {};
  ::localtime_r(&now, &date);
  const std::string name =
      fmt::format("{:04}-{:02}-{:02}-{}", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday, host_name(options.anonymous));
  for (int number = 1;; ++number) {
    const fs::path candidate = layout.results / (number == 1 ? name : fmt::format("{}.{}", name, number));
    if (::mkdir(candidate.c_str(), 0755) == 0) return candidate;
    if (errno != EEXIST) throw_errno(fmt::format("create {}", candidate.string()));
  }
}

// A new output needs memory that the host may have taken back. A cold input does not: it gets the pages that evicting it
// has just freed.
bool allocates_page_cache(const PlannedRow& row) {
  return row.row.output == Output::file || row.row.output == Output::tmpfs;
}

// Where the time of a session goes; everything in seconds.
struct TimeSpent {
  double corpus = 0, checks = 0, measured = 0, regimes = 0;
};

// How long the rest will take: by what each row took so far, and before that by the estimate, scaled by how the
// estimates have done.
class Outlook {
 public:
  Outlook(const Plan& plan, const Toolbox& toolbox) : plan_(plan) {
    for (const PlannedSuite& suite : plan.suites) {
      estimates_.emplace_back();
      for (const PlannedRow& row : suite.rows) estimates_.back().push_back(estimate_run_s(row, toolbox));
    }
  }
  void add(const Run& run, double seconds) {
    auto& [sum, count] = taken_[{run.suite, run.row}];
    sum += seconds;
    ++count;
    taken_s_ += seconds;
    estimated_s_ += estimates_[run.suite][run.row];
  }
  double left_s(std::size_t next) const {
    const double scale = estimated_s_ > 0 ? taken_s_ / estimated_s_ : 1;
    double left = 0;
    for (std::size_t i = next; i < plan_.runs.size(); ++i) {
      const Run& run = plan_.runs[i];
      const auto taken = taken_.find({run.suite, run.row});
      left += taken != taken_.end() ? taken->second.first / taken->second.second : estimates_[run.suite][run.row] * scale;
    }
    return left;
  }

 private:
  const Plan& plan_;
  std::vector<std::vector<double>> estimates_;
  std::map<std::pair<std::size_t, std::size_t>, std::pair<double, double>> taken_;
  double taken_s_ = 0, estimated_s_ = 0;
};

class Session {
 public:
  Session(const Plan& plan, const SessionOptions& options, const Layout& layout, const Toolbox& toolbox)
      : plan_(plan), options_(options), layout_(layout), toolbox_(toolbox), begun_s_(monotonic_s()) {}

  SessionEnd run();

 private:
  void place_corpora();
  void check_space() const;
  void describe() const;
  void check();
  void measure(SampleWriter& samples);
  Sample measure_one(const Run& run);
  void measure_limit(const PlannedSuite& suite, std::size_t round, SampleWriter& samples);
  void show(std::size_t next, double measuring_since_s, const Outlook& outlook);
  void write_session_json() const;

  const Plan& plan_;
  const SessionOptions& options_;
  const Layout& layout_;
  const Toolbox& toolbox_;
  double begun_s_;
  Progress progress_;
  std::optional<Placement> placement_;
  std::optional<Runner> runner_;
  RowChecks checks_;
  TimeSpent spent_;
  SessionEnd end_;
};

void Session::place_corpora() {
  const double from = monotonic_s();
  std::string announced;
  placement_.emplace(plan_, corpus_directory(options_, layout_), layout_.tools, [&](const std::string& what, double fraction) {
    if (what != announced && !progress_.on_terminal()) progress_.line(what);
    announced = what;
    progress_.live(fmt::format("{}: {:.0f} %", what, fraction * 100));
  });
  spent_.corpus = monotonic_s() - from;
}

void Session::check_space() const {
  std::uint64_t largest = 0;
  for (const PlannedSuite& suite : plan_.suites)
    for (const PlannedRow& row : suite.rows)
      if (row.row.output != Output::none && row.row.output != Output::tmpfs) largest = std::max(largest, row.size_bytes);
  const std::uint64_t there = free_bytes(placement_->corpus_directory());
  if (there < largest)
    throw Error(fmt::format("write copies of {} to {}: {} are free; use a smaller corpus (CORPUS=64M) or another directory "
                            "(--corpus-dir)",
                            format_size(largest), placement_->corpus_directory().string(), format_size(there)));
}

void Session::describe() const {
  MachineOptions machine;
  machine.corpus_directory = placement_->corpus_directory();
  machine.results_directory = end_.results;
  machine.anonymous = options_.anonymous;
  machine.programs = {program_path("hyperfine", layout_.tools), program_path("plumb", layout_.tools)};
  if (const fs::path gnuplot = find_program("gnuplot"); !gnuplot.empty()) machine.programs.push_back(gnuplot);
  for (const PlannedSuite& suite : plan_.suites)
    for (const PlannedRow& row : suite.rows) {
      const fs::path program = program_path(row.argv[0], layout_.tools);
      if (std::find(machine.programs.begin(), machine.programs.end(), program) == machine.programs.end())
        machine.programs.push_back(program);
    }
  replace_file(end_.results / "machine.json", describe_machine(machine));
}

void Session::check() {
  const double from = monotonic_s();
  if (!progress_.on_terminal()) progress_.line("checking every row's output once and counting its system calls");
  checks_ = check_rows(plan_, *placement_, *runner_, find_program("strace"), [&](const std::string& what, double fraction) {
    progress_.live(fmt::format("{}: {:.0f} % of the rows", what, fraction * 100));
  });
  spent_.checks = monotonic_s() - from;
  for (std::size_t s = 0; s < checks_.size(); ++s)
    for (std::size_t r = 0; r < checks_[s].size(); ++r)
      if (const RowCheck& check = checks_[s][r]; check.status != "ok" && check.status != "not run")
        progress_.line(fmt::format("{}: {}: {}: {}", plan_.suites[s].experiment.name, plan_.suites[s].rows[r].row.name,
                                   check.status, check.reason));
}

void Session::measure_limit(const PlannedSuite& suite, std::size_t round, SampleWriter& samples) {
  Sample sample;
  sample.suite = suite.experiment.name;
  sample.row = "limit/memory-copy";
  sample.round = round;
  sample.started_unix_s = unix_time_s();
  const LimitMeasurement limit = measure_memory_copy(memory_copy_bytes);
  sample.bytes = limit.bytes;
  sample.wall_s = limit.seconds;
  spent_.measured += limit.seconds;
  samples.append(sample);
}

Sample Session::measure_one(const Run& run) {
  const PlannedRow& row = plan_.suites[run.suite].rows[run.row];
  const RowCheck& check = checks_[run.suite][run.row];
  Sample sample;
  if (check.status != "ok") {
    sample.status = check.status;
    sample.reason = check.reason;
    sample.started_unix_s = unix_time_s();
  } else {
    const double from = monotonic_s();
    placement_->prepare_output(row);
    const Debt debt = wait_for_writeback(placement_->corpus_directory());
    if (allocates_page_cache(row)) touch_memory(row.size_bytes);
    Evidence evidence;
    if (row.row.cache != Cache::none && placement_->corpus(row)) {
      evidence = apply_regime(row.row.cache, placement_->corpus(row)->path);
      if (evidence.caches_dropped) touch_files({placement_->job(row, "").argv[0], layout_.tools / "plumb", find_program("hyperfine")});
    }
    const auto device_before = device_written_bytes(placement_->corpus_directory());
    spent_.regimes += monotonic_s() - from;

    sample = runner_->time(placement_->job(row, options_.cpus));
    spent_.measured += sample.wall_s.value_or(0);

    const auto device_after = device_written_bytes(placement_->corpus_directory());
    if (device_before && device_after) sample.device_write_bytes = *device_after - *device_before;
    if (evidence.input.known) sample.resident_before = evidence.input.resident_fraction;
    sample.dirty_before_bytes = evidence.input.dirty_bytes;
    sample.writeback_before_bytes = debt.left_bytes;
    const double unlinking = monotonic_s();
    placement_->discard_output(row);
    spent_.regimes += monotonic_s() - unlinking;
  }
  sample.suite = plan_.suites[run.suite].experiment.name;
  sample.row = row.row.name + (run.again ? "/again" : "");
  sample.round = run.round;
  sample.operations = row.row.repeat;
  sample.bytes = row.size_bytes * row.row.repeat;
  return sample;
}

void Session::show(std::size_t next, double measuring_since_s, const Outlook& outlook) {
  const Run& run = plan_.runs[next];
  const PlannedSuite& suite = plan_.suites[run.suite];
  const std::string when = fmt::format("{} gone, about {} left", format_duration(monotonic_s() - measuring_since_s),
                                       format_duration(outlook.left_s(next)));
  const bool new_round = next == 0 || plan_.runs[next - 1].round != run.round || plan_.runs[next - 1].suite != run.suite;
  if (new_round && !progress_.on_terminal())
    progress_.line(fmt::format("{}: round {} of {}; {}", suite.experiment.name, run.round, suite.rounds(), when));
  progress_.live(fmt::format("{} round {}/{}  run {}/{}  {}  {}", suite.experiment.name, run.round, suite.rounds(), next + 1,
                             plan_.runs.size(), when, suite.rows[run.row].row.name));
}

void Session::measure(SampleWriter& samples) {
  Outlook outlook(plan_, toolbox_);
  const double from = monotonic_s();
  std::size_t suite = SIZE_MAX, round = 0;
  for (std::size_t next = 0; next < plan_.runs.size() && !interrupt_requested(); ++next) {
    const Run& run = plan_.runs[next];
    show(next, from, outlook);
    if (run.suite != suite || run.round != round) {
      if (suite != SIZE_MAX && run.suite != suite) placement_->discard_overwritten();
      suite = run.suite;
      round = run.round;
      if (plan_.suites[suite].memory_copy_limit) measure_limit(plan_.suites[suite], round, samples);
    }
    const double started = monotonic_s();
    const Sample sample = measure_one(run);
    if (sample.status == "interrupted") break;
    samples.append(sample);
    outlook.add(run, monotonic_s() - started);
    ++end_.runs_made;
    if (sample.status != "ok" && sample.status != "unsupported") ++end_.runs_failed;
    if (sample.status == "failed" && checks_[run.suite][run.row].status == "ok")
      progress_.line(fmt::format("{}: {} round {}: failed: {}", sample.suite, sample.row, sample.round, sample.reason));
  }
}

void Session::write_session_json() const {
  const double total = monotonic_s() - begun_s_;
  const nlohmann::ordered_json session = {
      {"runs_planned", end_.runs_planned}, {"runs_made", end_.runs_made},  {"runs_failed", end_.runs_failed},
      {"interrupted", end_.signal != 0},   {"signal", end_.signal},        {"total_s", total},
      {"corpus_s", spent_.corpus},         {"checks_s", spent_.checks},    {"measured_s", spent_.measured},
      {"regime_s", spent_.regimes},        {"other_s", total - spent_.corpus - spent_.checks - spent_.measured - spent_.regimes}};
  replace_file(end_.results / "session.json", session.dump(2) + "\n");
}

SessionEnd Session::run() {
  end_.runs_planned = plan_.runs.size();
  end_.results = create_results(options_, layout_);
  progress_.line(fmt::format("results: {}", end_.results.string()));
  SampleWriter samples(end_.results / "samples.csv");  // before anything takes long: a path that cannot be written is found now
  replace_file(end_.results / "plan.json", plan_to_json(plan_, {}));
  place_corpora();
  check_space();
  describe();
  runner_.emplace(program_path("hyperfine", layout_.tools), program_path("plumb", layout_.tools), placement_->scratch());
  check();
  replace_file(end_.results / "plan.json", plan_to_json(plan_, checks_));
  if (!interrupt_requested()) measure(samples);
  end_.signal = interrupt_requested();
  write_session_json();
  return end_;
}

}  // namespace

Plan plan_session(const SessionOptions& options, const Layout& layout, const Toolbox& toolbox) {
  std::vector<Experiment> experiments;
  for (const std::string& name : chosen_suites(options, layout)) {
    Experiment experiment = load_experiment(layout.data / "suites" / (name + ".toml"), toolbox);
    if (experiment.in_bench || !options.suites.empty()) experiments.push_back(std::move(experiment));
  }
  PlanOptions plan;
  plan.corpus_bytes = options.corpus_bytes;
  plan.apply_shares = options.suites.empty();
  plan.rounds = options.rounds;
  // A seed that a person can read out: recorded in plan.json, printed by the report.
  plan.seed = options.seed.value_or(static_cast<std::uint64_t>(unix_time_s()));
  return make_plan(std::move(experiments), plan);
}

std::string list_plan(const Plan& plan, const SessionOptions& options, const Layout& layout, const Toolbox& toolbox) {
  std::string text;
  for (const PlannedSuite& suite : plan.suites) {
    text += fmt::format("{}: {}\n", suite.experiment.name, suite.experiment.title);
    for (const Group& group : suite.groups) {
      text += fmt::format("  {}: {} rows, {} comparisons, {} rounds\n", group.name, group.rows.size(), group.comparisons(), group.rounds);
      for (const std::size_t index : group.rows) {
        const PlannedRow& row = suite.rows[index];
        text += fmt::format("    {:<28} {:>9} {:>7} from {} to {}{}{}\n", row.row.name, format_size(row.size_bytes),
                            to_string(row.row.cache), to_string(row.row.input), to_string(row.row.output),
                            row.row.repeat > 1 ? fmt::format(", {} times", row.row.repeat) : "",
                            index == group.baseline ? "  (baseline)" : "");
      }
    }
  }
  const PlanCost cost = estimate_cost(plan, toolbox);
  const fs::path directory = corpus_directory(options, layout);
  text += fmt::format("runs:        {}\n", plan.runs.size());
  text += fmt::format("time:        about {}\n", format_duration(cost.seconds));
  text += fmt::format("to write:    {:.1f} GiB\n", static_cast<double>(cost.written_bytes) / (1u << 30));
  text += fmt::format("free space:  {:.1f} GiB needed at once, {:.1f} GiB there in {}\n",
                      static_cast<double>(cost.free_space_bytes) / (1u << 30),
                      static_cast<double>(free_bytes(directory)) / (1u << 30), directory.string());
  text += fmt::format("seed:        {}\n", plan.options.seed);
  return text;
}

SessionEnd run_session(const Plan& plan, const SessionOptions& options, const Layout& layout, const Toolbox& toolbox) {
  return Session(plan, options, layout, toolbox).run();
}

}  // namespace iobench
