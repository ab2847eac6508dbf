// SPDX-License-Identifier: MIT
#include "session.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>

#include "cgroup.h"
#include "check.h"
#include "comparability.h"
#include "connection.h"
#include "limit.h"
#include "machine.h"
#include "permission.h"
#include "placement.h"
#include "progress.h"
#include "resume.h"
#include "runner.h"
#include "samples.h"
#include "surroundings.h"
#include "trial.h"
#include "units.h"
#include "user.h"

namespace iobench {

namespace fs = std::filesystem;

namespace {


// Many at once, some of whose rows then move a part of the corpus: those of `make bench`, or all.
bool runs_many(const SessionOptions& options) {
  return options.suites.empty() || options.suites == std::vector<std::string>{"all"};
}

std::vector<fs::path> chosen_suites(const SessionOptions& options, const Layout& layout) {
  const std::vector<std::string> known = suite_names(layout.data);
  std::vector<fs::path> files;
  for (const std::string& name : runs_many(options) ? known : options.suites) {
    const bool is_file = name.find('/') != std::string::npos || name.ends_with(".toml");
    if (!is_file && std::find(known.begin(), known.end(), name) == known.end())
      throw Error(fmt::format("unknown suite '{}'; there are: {}, and all", name, fmt::join(known, ", ")), 2);
    files.push_back(is_file ? fs::path(name) : layout.data / "suites" / (name + ".toml"));
  }
  return files;
}

std::optional<OtherMachine> other_machine(const Plan& plan, const SessionOptions& options) {
  if (plan.options.other_machine && options.net_host.empty())
    throw Error("use the servers on another machine, as before: which one is in no results; give --net-host NAME", 2);
  if (options.net_host.empty()) return std::nullopt;
  if (!plan.options.other_machine) throw Error("--net-host: the runs so far were made on loopback", 2);
  return OtherMachine{options.net_host};
}

fs::path corpus_directory(const SessionOptions& options, const Layout& layout) {
  return options.corpus_directory.empty() ? layout.corpus : options.corpus_directory;
}

// What to do about a place that cannot be written.
constexpr const char* elsewhere = "; --results DIR puts the results elsewhere";

// results/DATE-HOST, then .2, .3 …: created here, never one that exists.
fs::path create_results(const SessionOptions& options, const Layout& layout) {
  std::error_code failure;
  if (!options.results.empty()) {
    fs::create_directories(options.results, failure);
    if (failure) throw Error(fmt::format("create {}: {}{}", options.results.string(), failure.message(), elsewhere));
    if (!fs::is_empty(options.results))
      throw Error(fmt::format("write results to {}: it is not empty, and results are never overwritten", options.results.string()));
    return options.results;
  }
  fs::create_directories(layout.results, failure);
  if (failure) throw Error(fmt::format("create {}: {}{}", layout.results.string(), failure.message(), elsewhere));
  const std::time_t now = std::time(nullptr);
  struct tm date = {};
  ::localtime_r(&now, &date);
  const std::string name =
      fmt::format("{:04}-{:02}-{:02}-{}", date.tm_year + 1900, date.tm_mon + 1, date.tm_mday, host_name(options.anonymous));
  for (int number = 1;; ++number) {
    const fs::path candidate = layout.results / (number == 1 ? name : fmt::format("{}.{}", name, number));
    if (::mkdir(candidate.c_str(), 0755) == 0) return candidate;
    if (errno != EEXIST) throw Error(fmt::format("create {}: {}{}", candidate.string(), std::strerror(errno), elsewhere));
  }
}

// Where the time of a session goes beside the runs; everything in seconds.
struct TimeSpent {
  double corpus = 0, checks = 0, limits = 0;
};

// How long the rest will take: by what each row took so far, and before that by the estimate, scaled by how the
// estimates have done.
class Outlook {
 public:
  Outlook(const Plan& plan, const std::vector<PendingRun>& pending, const Toolbox& toolbox) : pending_(pending) {
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
    for (std::size_t i = next; i < pending_.size(); ++i) {
      const Run& run = pending_[i].run;
      const auto taken = taken_.find({run.suite, run.row});
      left += taken != taken_.end() ? taken->second.first / taken->second.second : estimates_[run.suite][run.row] * scale;
    }
    return left;
  }

 private:
  const std::vector<PendingRun>& pending_;
  std::vector<std::vector<double>> estimates_;
  std::map<std::pair<std::size_t, std::size_t>, std::pair<double, double>> taken_;
  double taken_s_ = 0, estimated_s_ = 0;
};

// What an earlier session has left in its results.
struct Earlier {
  RowChecks checks;  // empty: it did not come to them
  std::vector<Sample> samples;
  std::string machine_json;
  nlohmann::json session;  // of those that ended in order; not an object: there was none
};

class Session {
 public:
  Session(const Plan& plan, const SessionOptions& options, const Layout& layout, const Toolbox& toolbox)
      : plan_(plan), options_(options), layout_(layout), toolbox_(toolbox), begun_s_(monotonic_s()) {}

  SessionEnd run();
  SessionEnd resume(const fs::path& results, Earlier earlier);

 private:
  SessionEnd run_new(SampleWriter& samples);
  void leave_nothing() const;
  void make_ready();
  void place_corpora();
  void check_space() const;
  void confine();
  std::string describe() const;
  void refuse_other_machine(const std::string& machine_json) const;
  void refuse_other_user() const;
  void check();
  template <class Writer, class Record>
  void keep(Writer& writer, const Record& record) const;
  void measure(SampleWriter& samples);
  void measure_run(const PendingRun& pending, SampleWriter& samples);
  LimitMeasurement measured(const PlannedSuite& suite, Limit limit) const;
  void measure_limit(const PlannedSuite& suite, std::size_t round, Limit limit, SampleWriter& samples);
  void show(std::size_t next, double measuring_since_s, const Outlook& outlook);
  void end();

  const Plan& plan_;
  const SessionOptions& options_;
  const Layout& layout_;
  const Toolbox& toolbox_;
  double begun_s_;
  Progress progress_;
  CommandUser user_;
  std::optional<MemoryControl> control_;
  std::optional<MemoryDelegation> delegation_;
  std::optional<Placement> placement_;
  std::optional<Connections> connections_;
  std::optional<Runner> runner_;
  std::optional<Trials> trials_;
  RowChecks checks_;
  Earlier earlier_;
  std::vector<PendingRun> pending_;
  TimeSpent spent_;
  SessionEnd end_;
  bool created_results_ = false;  // and not found, empty
};

void Session::place_corpora() {
  const double from = monotonic_s();
  std::string announced;
  placement_.emplace(plan_, corpus_directory(options_, layout_), layout_.tools, layout_.data / "peers",
                     [&](const std::string& what, double fraction) {
    if (what != announced && !progress_.on_terminal()) progress_.line(what);
    announced = what;
    progress_.live(fmt::format("{}: {:.0f} %", what, fraction * 100));
  }, options_.given);
  spent_.corpus = monotonic_s() - from;
}

void Session::check_space() const {
  std::uint64_t largest = 0;
  for (const PlannedSuite& suite : plan_.suites)
    for (const PlannedRow& row : suite.rows)
      if (row.row.output != Output::none && row.row.output != Output::tmpfs && !row.row.takes_names) largest = std::max(largest, row.size_bytes);
  const std::uint64_t there = free_bytes(placement_->corpus_directory());
  if (there < largest)
    throw Error(fmt::format("write copies of {} to {}: {} are free; use a smaller corpus (CORPUS=64M) or another directory "
                            "(--corpus-dir)",
                            format_size(largest), placement_->corpus_directory().string(), format_size(there)));
}

// The groups of the confined rows. That a limit can be set is tried before anything is measured.
void Session::confine() {
  const auto is_confined = [](const PlannedRow& row) { return row.row.regime() == Cache::confined; };
  const PlannedRow* confined = nullptr;
  for (const PlannedSuite& suite : plan_.suites)
    for (const PlannedRow& row : suite.rows)
      if (is_confined(row)) confined = &row;
  if (!confined) return;
  MemoryControlSearch search = find_memory_control();
  if (!search.control)
    throw Error(fmt::format("confine rows such as {}: {}; {}", confined->row.name, search.obstacle, search.remedy));
  control_ = std::move(search.control);
  remove_stale_groups(*control_);
  delegation_.emplace(*control_);
  const MemoryGroup tried(*control_, memory_limit_bytes(*confined));
}

std::string Session::describe() const {
  MachineOptions machine;
  machine.corpus_directory = placement_->corpus_directory();
  machine.results_directory = end_.results;
  machine.anonymous = options_.anonymous;
  machine.programs = {program_path("hyperfine", layout_.tools), program_path("plumb", layout_.tools)};
  if (const fs::path gnuplot = find_program("gnuplot"); !gnuplot.empty()) machine.programs.push_back(gnuplot);
  const auto add = [&](const fs::path& program) {
    if (std::find(machine.programs.begin(), machine.programs.end(), program) == machine.programs.end())
      machine.programs.push_back(program);
  };
  for (const Tool& tool : toolbox_.tools())
    if (!tool.source.empty()) add(program_path(tool.name, layout_.tools));
  for (const PlannedSuite& suite : plan_.suites)
    for (const PlannedRow& row : suite.rows) {
      add(placement_->job(row, "").argv[0]);
      for (const fs::path& source : placement_->peers().sources(row)) add(source);
    }
  return describe_machine(machine);
}

void Session::check() {
  const double from = monotonic_s();
  if (!progress_.on_terminal()) progress_.line("checking every row's output once and counting its system calls");
  checks_ = check_rows(plan_, *placement_, *connections_, *runner_, toolbox_, find_program("strace"), [&](const std::string& what, double fraction) {
    progress_.live(fmt::format("{}: {:.0f} % of the rows", what, fraction * 100));
  });
  spent_.checks = monotonic_s() - from;
  for (std::size_t s = 0; s < checks_.size(); ++s)
    for (std::size_t r = 0; r < checks_[s].size(); ++r)
      if (const RowCheck& check = checks_[s][r]; check.status != "ok" && check.status != "not run")
        progress_.line(fmt::format("{}: {}: {}: {}", plan_.suites[s].experiment.name, plan_.suites[s].rows[r].row.name,
                                   check.status, check.reason));
}

LimitMeasurement Session::measured(const PlannedSuite& suite, Limit limit) const {
  switch (limit) {
    case Limit::memory_copy: return measure_memory_copy(memory_copy_bytes);
    case Limit::memory_copy_by_two: return measure_memory_copy(memory_copy_bytes, 2);
    case Limit::device_write: return measure_device_write(placement_->corpus_directory());
    case Limit::device_read: break;
  }
  for (const PlannedRow& row : suite.rows)
    if (passage_of(row.row).from_device) return measure_device_read(placement_->corpus(row)->path);
  return {0, 0, "no row reads from the device"};
}

// Where there is no room for it nothing more can be measured, but what was is there.
template <class Writer, class Record>
void Session::keep(Writer& writer, const Record& record) const {
  try {
    writer.append(record);
  } catch (const Error& error) {
    if (options_.passing) throw;
    throw Error(fmt::format("{}; {} of {} runs were made and are kept; once there is room, make the others: "
                            "iobench run --resume {}",
                            error.what(), end_.runs_made, end_.runs_planned, end_.results.string()));
  }
}

// One that cannot be measured is a sample, too, with its reason.
void Session::measure_limit(const PlannedSuite& suite, std::size_t round, Limit limit, SampleWriter& samples) {
  Sample sample;
  sample.suite = suite.experiment.name;
  sample.row = limit_row(limit);
  sample.round = round;
  sample.started_unix_s = unix_time_s();
  const LimitMeasurement found = measured(suite, limit);
  if (found.why_not.empty()) {
    sample.bytes = found.bytes;
    sample.wall_s = found.seconds;
  } else {
    sample.status = "unsupported";
    sample.reason = found.why_not;
  }
  spent_.limits += found.seconds;
  keep(samples, sample);
}

// All attempts of one run; each is kept as soon as it is made.
void Session::measure_run(const PendingRun& pending, SampleWriter& samples) {
  const Run& run = pending.run;
  const PlannedRow& row = plan_.suites[run.suite].rows[run.row];
  const RowCheck& check = checks_[run.suite][run.row];
  Sample sample;
  for (std::uint64_t attempt = pending.attempt; attempt <= attempts_at_most; ++attempt) {
    if (check.status == "ok") {
      sample = trials_->attempt(row);
    } else {
      sample.status = check.status;
      sample.reason = check.reason;
      sample.started_unix_s = unix_time_s();
      sample.operations = row.operations();
      sample.bytes = row.moved_bytes();
    }
    if (sample.status == "interrupted") return;
    sample.suite = plan_.suites[run.suite].experiment.name;
    sample.row = sample_row(plan_, run);
    sample.round = run.round;
    sample.attempt = attempt;
    keep(samples, sample);
    if (sample.status != "regime-not-reached" || interrupt_requested()) break;
  }
  ++end_.runs_made;
  if (sample.status == "ok" || sample.status == "unsupported") return;
  ++end_.runs_failed;
  if (check.status == "ok")
    progress_.line(fmt::format("{}: {} round {}: {}: {}", sample.suite, sample.row, sample.round, sample.status, sample.reason));
}

void Session::show(std::size_t next, double measuring_since_s, const Outlook& outlook) {
  const Run& run = pending_[next].run;
  const PlannedSuite& suite = plan_.suites[run.suite];
  const std::string when = fmt::format("{} gone, about {} left", format_duration(monotonic_s() - measuring_since_s),
                                       format_duration(outlook.left_s(next)));
  const bool new_round = next == 0 || pending_[next - 1].run.round != run.round || pending_[next - 1].run.suite != run.suite;
  if (new_round && !progress_.on_terminal())
    progress_.line(fmt::format("{}: round {} of {}; {}", suite.experiment.name, run.round, suite.rounds(), when));
  const std::size_t number = plan_.runs.size() - pending_.size() + next + 1;
  progress_.live(fmt::format("{} round {}/{}  run {}/{}  {}  {}", suite.experiment.name, run.round, suite.rounds(), number,
                             plan_.runs.size(), when, suite.rows[run.row].row.name));
}

void Session::measure(SampleWriter& samples) {
  Outlook outlook(plan_, pending_, toolbox_);
  const double from = monotonic_s();
  const auto limits = measured_limits(earlier_.samples);
  std::size_t suite = SIZE_MAX, round = 0;
  SurroundingsWriter surroundings(end_.results / "surroundings.csv");
  SurroundingsSampler around;
  const auto end_round = [&] {
    if (suite != SIZE_MAX) keep(surroundings, around.since_start(plan_.suites[suite].experiment.name, round));
  };
  for (std::size_t next = 0; next < pending_.size() && !interrupt_requested(); ++next) {
    const Run& run = pending_[next].run;
    show(next, from, outlook);
    if (run.suite != suite || run.round != round) {
      end_round();
      around.start();
      if (suite != SIZE_MAX && run.suite != suite) placement_->discard_overwritten();
      suite = run.suite;
      round = run.round;
      const PlannedSuite& planned = plan_.suites[suite];
      for (const Limit limit : planned.limits)
        if (!limits.contains({planned.experiment.name, round, limit})) measure_limit(planned, round, limit, samples);
    }
    const double started = monotonic_s();
    measure_run(pending_[next], samples);
    outlook.add(run, monotonic_s() - started);
  }
  end_round();
}

// session.json: where the time of all sessions went that ended in order.
void Session::end() {
  end_.signal = interrupt_requested();
  const double total = monotonic_s() - begun_s_;
  const TrialTimes times = trials_ ? trials_->times() : TrialTimes{};
  const auto with_earlier = [&](const char* key, double seconds) {
    const auto& session = earlier_.session;
    return session.is_object() && session.contains(key) && session[key].is_number() ? session[key].get<double>() + seconds
                                                                                     : seconds;
  };
  const double measured = times.measured + spent_.limits;
  const nlohmann::ordered_json session = {
      {"runs_planned", end_.runs_planned},
      {"runs_made", end_.runs_made},
      {"runs_failed", end_.runs_failed},
      {"sessions", with_earlier("sessions", 1)},
      {"interrupted", end_.signal != 0},
      {"signal", end_.signal},
      {"commands_run_as", user_.says},
      {"total_s", with_earlier("total_s", total)},
      {"corpus_s", with_earlier("corpus_s", spent_.corpus)},
      {"checks_s", with_earlier("checks_s", spent_.checks)},
      {"measured_s", with_earlier("measured_s", measured)},
      {"regime_s", with_earlier("regime_s", times.regimes)},
      {"evidence_s", with_earlier("evidence_s", times.evidence)},
      {"other_s", with_earlier("other_s", total - spent_.corpus - spent_.checks - measured - times.regimes - times.evidence)}};
  replace_file(end_.results / "session.json", session.dump(2) + "\n");
}

// Everything before the first check.
void Session::make_ready() {
  confine();
  place_corpora();
  check_space();
  user_ = command_user(options_.user, layout_.tools);
  placement_->run_as(user_.ids);
  if (!user_.ids.empty()) progress_.line(fmt::format("commands run as {}, those that open files by name as root", user_.says));
  const fs::path hyperfine = program_path("hyperfine", layout_.tools), plumb = program_path("plumb", layout_.tools);
  runner_.emplace(hyperfine, plumb, placement_->scratch());
  connections_.emplace(plan_, layout_.tools, placement_->scratch(), other_machine(plan_, options_));
  trials_.emplace(*placement_, *connections_, *runner_, std::vector<fs::path>{hyperfine, plumb}, control_ ? &*control_ : nullptr,
                  plan_.options.cpus);
}

// What a session wrote before it found that it cannot measure: a folder without samples tells nobody anything.
void Session::leave_nothing() const {
  std::error_code ignored;
  const std::string samples = read_file_or_empty(end_.results / "samples.csv");
  if (std::count(samples.begin(), samples.end(), '\n') > 2) return;  // more than its head
  for (const char* name : {"samples.csv", "plan.json", "machine.json"}) fs::remove(end_.results / name, ignored);
  if (created_results_) fs::remove(end_.results, ignored);  // unless there is something else in it
}

SessionEnd Session::run() {
  end_.runs_planned = plan_.runs.size();
  std::error_code ignored;
  created_results_ = options_.results.empty() || !fs::exists(options_.results, ignored);
  end_.results = create_results(options_, layout_);
  try {
    SampleWriter samples(end_.results / "samples.csv");  // before anything takes long: a path that cannot be written is found now
    return run_new(samples);
  } catch (...) {
    leave_nothing();
    throw;
  }
}

SessionEnd Session::run_new(SampleWriter& samples) {
  if (!options_.passing) progress_.line(fmt::format("results: {}", end_.results.string()));
  if (options_.lock) options_.lock->say(fmt::format("results in {}", fs::absolute(end_.results).lexically_normal().string()));
  replace_file(end_.results / "plan.json", plan_to_json(plan_, {}));
  make_ready();
  replace_file(end_.results / "machine.json", describe());
  check();
  replace_file(end_.results / "plan.json", plan_to_json(plan_, checks_));
  pending_ = pending_runs(plan_, {});
  if (!interrupt_requested()) measure(samples);
  end();
  return end_;
}

// Samples of two machines, or of two builds of a tool, are not mixed.
void Session::refuse_other_machine(const std::string& machine_json) const {
  const MachineDifferences differences = compare_machines(earlier_.machine_json, machine_json);
  std::vector<std::string> all = differences.different;
  all.insert(all.end(), differences.caution.begin(), differences.caution.end());
  // The checkout may have moved on: what measures and what is measured are told by the programs' digests.
  std::erase_if(all, [](const std::string& fact) { return fact.starts_with("iobench, "); });
  if (all.empty()) return;
  throw Error(fmt::format("resume {0}: the machine is not what it was: {1}{2}; `iobench run --repeat {0}` makes the same runs "
                          "into new results",
                          end_.results.string(), all[0], all.size() > 1 ? fmt::format("; and {} more", all.size() - 1) : ""));
}

// Nor are those of two users, as far as the session that was ended could still write down whose they are.
void Session::refuse_other_user() const {
  const auto found = earlier_.session.is_object() ? earlier_.session.find("commands_run_as") : earlier_.session.end();
  if (found == earlier_.session.end() || !found->is_string()) return;
  const auto who = [](const std::string& says) { return says.substr(0, says.find(':')); };  // without the reason
  const std::string before = who(found->get<std::string>()), now = who(user_.says);
  if (before == now) return;
  throw Error(fmt::format("resume {}: its commands ran as {}, and would now run as {}; resume it as the same user, or with --user",
                          end_.results.string(), before, now),
              2);
}

SessionEnd Session::resume(const fs::path& results, Earlier earlier) {
  earlier_ = std::move(earlier);
  end_.runs_planned = plan_.runs.size();
  end_.results = results;
  pending_ = pending_runs(plan_, earlier_.samples);
  end_.runs_made = plan_.runs.size() - pending_.size();
  progress_.line(fmt::format("results: {}; {} of {} runs are there", results.string(), end_.runs_made, end_.runs_planned));
  if (pending_.empty()) {
    progress_.line("there is nothing left to do");
    if (earlier_.session.is_object() && earlier_.session.value("interrupted", false)) end();  // no longer
    return end_;
  }
  if (earlier_.machine_json.empty() && !earlier_.samples.empty())
    throw Error(fmt::format("resume {}: there is no machine.json: which machine made its {} samples is not known",
                            results.string(), earlier_.samples.size()));
  SampleWriter samples(results / "samples.csv");
  make_ready();
  refuse_other_user();
  const std::string machine = describe();
  if (earlier_.machine_json.empty())
    replace_file(results / "machine.json", machine);
  else
    refuse_other_machine(machine);
  checks_ = std::move(earlier_.checks);
  if (checks_.empty()) {
    check();
    replace_file(results / "plan.json", plan_to_json(plan_, checks_));
  }
  if (!interrupt_requested()) measure(samples);
  end();
  return end_;
}

}  // namespace

Plan plan_session(const SessionOptions& options, const Layout& layout, const Toolbox& toolbox) {
  std::vector<Experiment> experiments;
  for (const fs::path& file : chosen_suites(options, layout)) {
    Experiment experiment = load_experiment(file, toolbox, {options.allow_commands, layout.data / "published"});
    if (experiment.in_bench || !options.suites.empty()) experiments.push_back(std::move(experiment));
  }
  PlanOptions plan;
  plan.corpus_bytes = options.corpus_bytes;
  plan.apply_shares = runs_many(options);
  plan.rounds = options.rounds;
  plan.cpus = options.cpus;
  plan.other_machine = !options.net_host.empty();
  const MemoryControlSearch search = find_memory_control();
  plan.confinable = search.control.has_value();
  if (!plan.confinable) plan.confinement_obstacle = fmt::format("{}. To confine them: {}.", search.obstacle, search.remedy);
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
  text += fmt::format("time:        about {} (minutes and seconds)\n", format_duration(cost.seconds));
  text += fmt::format("to write:    {}\n", format_size(cost.written_bytes));
  text += fmt::format("free space:  {} needed at once, {} there in {}\n", format_size(cost.free_space_bytes),
                      format_size(free_bytes(directory)), directory.string());
  text += fmt::format("seed:        {}\n", plan.options.seed);
  return text;
}

SessionEnd run_session(const Plan& plan, const SessionOptions& options, const Layout& layout, const Toolbox& toolbox) {
  return Session(plan, options, layout, toolbox).run();
}

Plan stored_plan(const fs::path& results) {
  const fs::path path = results / "plan.json";
  if (!fs::exists(path)) throw Error(fmt::format("{}: these are no results: there is no plan.json", results.string()));
  return plan_from_json(read_file(path), path.string()).plan;
}

Plan plan_to_run_again(const fs::path& results, const Toolbox& toolbox, bool allow_commands) {
  Plan plan = stored_plan(results);
  if (plan.free_commands)
    throw Error(fmt::format("{}: it has no suite's runs, but those of `iobench time` or `iobench calibrate`, whose input it "
                            "does not name; give that command again",
                            results.string()));
  if (!allow_commands) require_known_commands(plan, toolbox, (results / "plan.json").string());
  return plan;
}

SessionEnd resume_session(const fs::path& results, const SessionOptions& options, const Layout& layout, const Toolbox& toolbox) {
  const fs::path path = results / "plan.json";
  StoredPlan stored = plan_from_json(read_file(path), path.string());
  if (!options.allow_commands) require_known_commands(stored.plan, toolbox, path.string());
  const SampleWriter mended(results / "samples.csv");  // a line, or a head, that the end of the session cut in two
  Earlier earlier{std::move(stored.checks), read_samples(results / "samples.csv").samples,
                  read_file_or_empty(results / "machine.json"),
                  nlohmann::json::parse(read_file_or_empty(results / "session.json"), nullptr, false)};
  return Session(stored.plan, options, layout, toolbox).resume(results, std::move(earlier));
}

}  // namespace iobench
