// SPDX-License-Identifier: MIT
// Samples are sorted to their rows and slots, the last attempt of a round stands, and rows are paired with their
// baseline by round. What the intervals are is in statistics.
#include "summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "resume.h"
#include "units.h"

namespace iobench {

namespace {

constexpr const char* again_suffix = "/again";

using OptionalNumber = std::optional<double>;

// A measured time; clocks that ran backwards measured nothing.
OptionalNumber seconds(const OptionalSeconds& value) {
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

OptionalNumber cpu(const Sample& sample) {
  const OptionalNumber user = seconds(sample.user_s), system = seconds(sample.system_s);
  return user && system ? OptionalNumber(*user + *system) : std::nullopt;
}

OptionalNumber per_copy(const OptionalNumber& value, const Sample& sample) {
  return value && sample.operations > 0 ? OptionalNumber(*value / static_cast<double>(sample.operations))
                                        : std::nullopt;
}

// No time or no work gives no rate: 0 bytes a second would look like a result.
OptionalNumber rate(std::uint64_t amount, const Sample& sample) {
  const OptionalNumber wall = seconds(sample.wall_s);
  return wall && *wall > 0 && amount > 0 ? OptionalNumber(static_cast<double>(amount) / *wall) : std::nullopt;
}

OptionalNumber count(const OptionalCount& value) {
  return value ? OptionalNumber(static_cast<double>(*value)) : std::nullopt;
}

struct Metric {
  const char* name;
  OptionalNumber (*of)(const Sample&);
};

constexpr std::array metrics{
    Metric{"wall", [](const Sample& s) { return seconds(s.wall_s); }},
    Metric{"return", [](const Sample& s) { return seconds(s.return_s); }},
    Metric{"delivered", [](const Sample& s) { return seconds(s.delivered_s); }},
    Metric{"durable", [](const Sample& s) { return seconds(s.durable_s); }},
    Metric{"cpu", cpu},
    Metric{"user", [](const Sample& s) { return seconds(s.user_s); }},
    Metric{"system", [](const Sample& s) { return seconds(s.system_s); }},
    Metric{"bytes_per_s", [](const Sample& s) { return rate(s.bytes, s); }},
    Metric{"operations_per_s", [](const Sample& s) { return rate(s.operations, s); }},
    Metric{"wall_per_copy", [](const Sample& s) { return per_copy(seconds(s.wall_s), s); }},
    Metric{"cpu_per_copy", [](const Sample& s) { return per_copy(cpu(s), s); }},
    Metric{"user_per_copy", [](const Sample& s) { return per_copy(seconds(s.user_s), s); }},
    Metric{"system_per_copy", [](const Sample& s) { return per_copy(seconds(s.system_s), s); }},
    Metric{"cpu_per_byte",
           [](const Sample& s) {
             const OptionalNumber used = cpu(s);
             return used && s.bytes > 0 ? OptionalNumber(*used / static_cast<double>(s.bytes)) : std::nullopt;
           }},
    Metric{"peak_memory", [](const Sample& s) { return count(s.peak_memory_bytes); }},
    Metric{"device_read", [](const Sample& s) { return count(s.device_read_bytes); }},
};

const Metric* find_metric(const std::string& name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(), [&](const Metric& m) { return m.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

std::vector<double> values(const std::vector<Sample>& samples, const std::string& metric_name) {
  std::vector<double> found;
  for (const Sample& sample : samples)
    if (const OptionalNumber value = metric(sample, metric_name)) found.push_back(*value);
  return found;
}

// A metric of two rows in the rounds that both have, in order of rounds.
struct RoundPairs {
  std::vector<double> a, b;
  std::size_t alone = 0;  // rounds that only one of them has

  void complete(std::string& note) const {
    if (alone > 0)
      note = fmt::format("{} round{} that only one side has left out{}{}", alone, alone == 1 ? "" : "s",
                         note.empty() ? "" : "; ", note);
  }
};

RoundPairs round_pairs(const std::vector<Sample>& a, const std::vector<Sample>& b, const std::string& metric_name) {
  std::map<std::uint64_t, double> of_b;
  for (const Sample& sample : b)
    if (const OptionalNumber value = metric(sample, metric_name)) of_b[sample.round] = *value;
  RoundPairs pairs;
  pairs.alone = of_b.size();
  for (const Sample& sample : a) {
    const OptionalNumber value = metric(sample, metric_name);
    if (!value) continue;
    const auto other = of_b.find(sample.round);
    if (other == of_b.end()) {
      ++pairs.alone;
      continue;
    }
    --pairs.alone;
    pairs.a.push_back(*value);
    pairs.b.push_back(other->second);
  }
  return pairs;
}

PairedRatio paired(const std::vector<Sample>& a, const std::vector<Sample>& b, const std::string& metric_name,
                   double level) {
  const RoundPairs pairs = round_pairs(a, b, metric_name);
  PairedRatio ratio = paired_ratio(pairs.a, pairs.b, level);
  pairs.complete(ratio.note);
  return ratio;
}

}  // namespace

std::optional<double> metric(const Sample& sample, const std::string& name) {
  const Metric* found = find_metric(name);
  if (!found) throw Error(fmt::format("metric '{}' is not known", name));
  return found->of(sample);
}

bool is_metric(const std::string& name) {
  return find_metric(name) != nullptr;
}

Summary RowResult::summary(const std::string& metric_name) const {
  return summarize(values(ok, metric_name));
}

std::optional<double> RowResult::total(const std::string& metric_name) const {
  const std::vector<double> found = values(ok, metric_name);
  if (found.empty()) return std::nullopt;
  double sum = 0;
  for (const double value : found) sum += value;
  return sum;
}

bool RowResult::cpu_is_sampled() const {
  static const double ticks_per_s = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const std::optional<double> sum = total("cpu");
  return sum && *sum * ticks_per_s < 100;
}

std::optional<double> median_wall(const RowResult& row) {
  const Summary summary = row.summary("wall");
  return summary.n > 0 && std::isfinite(summary.median) && summary.median > 0 ? std::optional(summary.median)
                                                                              : std::nullopt;
}

PairedRatio row_ratio(const RowResult& a, const RowResult& b, const std::string& metric_name, double level) {
  return paired(a.ok, b.ok, metric_name, level);
}

std::optional<PairedRatio> ratio_to_baseline(const PlannedSuite& suite, const SuiteResult& result, std::size_t row,
                                             const std::string& metric_name) {
  const Group& group = suite.groups[suite.rows[row].group];
  if (group.baseline == SIZE_MAX || group.baseline == row) return std::nullopt;
  return row_ratio(result.rows[row], result.rows[group.baseline], metric_name, family_level(group.comparisons()));
}

std::optional<std::size_t> row_of_group(const PlannedSuite& suite, std::size_t group, const Pairs& picks) {
  std::optional<std::size_t> found;
  for (const std::size_t row : suite.groups[group].rows) {
    if (!has_values(suite.rows[row].row, picks)) continue;
    if (found) return std::nullopt;
    found = row;
  }
  return found;
}

std::optional<PairedDifference> difference_to(const PlannedSuite& suite, const SuiteResult& result, std::size_t row,
                                              const Pairs& minus, const std::string& metric_name) {
  const std::size_t group = suite.rows[row].group;
  const std::optional<std::size_t> control = row_of_group(suite, group, minus);
  if (!control || *control == row) return std::nullopt;
  const RoundPairs pairs = round_pairs(result.rows[row].ok, result.rows[*control].ok, metric_name);
  PairedDifference difference = paired_difference(pairs.a, pairs.b, family_level(suite.groups[group].rows.size() - 1));
  pairs.complete(difference.note);
  return difference;
}

namespace {

OptionalNumber size_of(const Row& row, const std::string& variable) {
  try {
    return static_cast<double>(parse_size(row.value(variable)));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Whether two rows have the same values but for one variable.
bool differ_only_in(const std::string& variable, const Row& a, const Row& b) {
  Pairs left = a.values, right = b.values;
  for (Pairs* values : {&left, &right})
    std::erase_if(*values, [&](const auto& pair) { return pair.first == variable; });
  return left == right && a.tool == b.tool;
}

}  // namespace

std::optional<std::size_t> previous_row(const PlannedSuite& suite, std::size_t row, const std::string& variable) {
  const PlannedRow& own = suite.rows[row];
  const OptionalNumber own_size = size_of(own.row, variable);
  std::optional<std::size_t> previous;
  double largest = -1;
  for (const std::size_t other : suite.groups[own.group].rows) {
    const OptionalNumber size = size_of(suite.rows[other].row, variable);
    if (!own_size || !size || *size >= *own_size || *size <= largest) continue;
    if (!differ_only_in(variable, own.row, suite.rows[other].row)) continue;
    largest = *size;
    previous = other;
  }
  return previous;
}

std::optional<PairedRatio> step_from_previous(const PlannedSuite& suite, const SuiteResult& result, std::size_t row,
                                              const std::string& variable) {
  const std::optional<std::size_t> previous = previous_row(suite, row, variable);
  if (!previous) return std::nullopt;
  std::size_t steps = 0;
  for (const std::size_t other : suite.groups[suite.rows[row].group].rows)
    steps += previous_row(suite, other, variable).has_value();
  return row_ratio(result.rows[*previous], result.rows[row], "wall", family_level(steps));
}

namespace {

// Everything that was measured for one slot of a row: the last attempt of each round, and how many were superseded.
struct Slot {
  std::map<std::uint64_t, Sample> by_round;
  std::size_t superseded = 0;

  void add(const Sample& sample) {
    const auto [place, fresh] = by_round.try_emplace(sample.round, sample);
    if (fresh) return;
    ++superseded;
    if (sample.attempt >= place->second.attempt) place->second = sample;
  }
  std::vector<Sample> ok() const {
    std::vector<Sample> kept;
    for (const auto& [round, sample] : by_round)
      if (sample.status == "ok") kept.push_back(sample);
    return kept;
  }
};

struct Slots {
  Slot first, again;
};

std::string round_list(const std::vector<std::uint64_t>& rounds) {
  constexpr std::size_t shown = 5;
  std::string text = rounds.size() == 1 ? "round " : "rounds ";
  text += fmt::format("{}", fmt::join(std::span(rounds).first(std::min(shown, rounds.size())), ", "));
  return rounds.size() > shown ? text + ", …" : text;
}

// Which runs failed and how, by the status that most of them have.
void describe_failures(RowResult& row, const Slot& slot) {
  std::map<std::string, std::vector<const Sample*>> by_status;
  for (const auto& [round, sample] : slot.by_round)
    if (sample.status != "ok") by_status[sample.status].push_back(&sample);
  if (by_status.empty()) return;
  const auto most = std::max_element(by_status.begin(), by_status.end(),
                                     [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  row.status = most->first;
  std::vector<std::uint64_t> rounds;
  for (const auto& [status, samples] : by_status) {
    row.failed += samples.size();
    for (const Sample* sample : samples) rounds.push_back(sample->round);
  }
  std::sort(rounds.begin(), rounds.end());
  row.reason = row.ok.empty() ? fmt::format("all {} runs", slot.by_round.size())
                              : fmt::format("{} of {} runs ({})", row.failed, slot.by_round.size(), round_list(rounds));
  if (!most->second.front()->reason.empty()) row.reason += ": " + most->second.front()->reason;
}

RowResult row_result(const Slots& slots) {
  RowResult row;
  row.ok = slots.first.ok();
  row.again = slots.again.ok();
  if (slots.first.by_round.empty()) row.status = "not run";
  describe_failures(row, slots.first);
  if (slots.first.superseded == 1) row.note = "1 run was repeated";
  if (slots.first.superseded > 1) row.note = fmt::format("{} runs were repeated", slots.first.superseded);
  return row;
}

// The larger end of the interval of a baseline against itself, away from 1.
std::optional<double> floor_of(const PairedRatio& again) {
  const Interval& interval = again.interval;
  if (!interval.exists() || !(interval.low > 0) || !std::isfinite(interval.high)) return std::nullopt;
  return std::exp(std::max(std::fabs(std::log(interval.low)), std::fabs(std::log(interval.high))));
}

GroupResult group_result(const Group& group, const RowResult& baseline, const Slot& again) {
  GroupResult result;
  result.again = paired(baseline.again, baseline.ok, "wall", family_level(group.comparisons()));
  if (const std::optional<double> floor = floor_of(*result.again))
    result.noise_floor = *floor;
  else if (result.again->note.empty())
    result.note = "the baseline was not measured twice in enough rounds";
  result.note += result.again->note;
  if (const std::size_t failed = again.by_round.size() - baseline.again.size())
    result.note += fmt::format("{}{} of {} second runs of the baseline failed", result.note.empty() ? "" : "; ", failed,
                               again.by_round.size());
  return result;
}

MeasuredLimit measured_limit(const Slot& slot) {
  MeasuredLimit measured{summarize(values(slot.ok(), "bytes_per_s")), {}};
  for (const auto& [round, sample] : slot.by_round)
    if (sample.status != "ok") measured.why_not = sample.reason;
  return measured;
}

class SuiteSorter {
 public:
  explicit SuiteSorter(const PlannedSuite& suite) : suite_(suite), slots_(suite.rows.size()) {
    for (std::size_t row = 0; row < suite.rows.size(); ++row) rows_[suite.rows[row].row.name] = row;
    for (const Group& group : suite.groups)
      if (group.baseline != SIZE_MAX) again_[suite.rows[group.baseline].row.name + again_suffix] = group.baseline;
  }

  void add(const Sample& sample) {
    if (sample.round < 1 || sample.round > std::max<std::size_t>(suite_.rounds(), 1))
      throw Error(fmt::format("samples.csv: suite '{}', row '{}': there is no round {} in plan.json", sample.suite,
                              sample.row, sample.round));
    if (!seen_.emplace(sample.row, sample.round, sample.attempt).second)
      throw Error(fmt::format("samples.csv: suite '{}', row '{}', round {}, attempt {} is there twice", sample.suite,
                              sample.row, sample.round, sample.attempt));
    if (const auto row = rows_.find(sample.row); row != rows_.end())
      slots_[row->second].first.add(sample);
    else if (const auto baseline = again_.find(sample.row); baseline != again_.end())
      slots_[baseline->second].again.add(sample);
    else if (const std::optional<Limit> limit = limit_of_row(sample.row))
      limits_[*limit].add(sample);
    else
      throw Error(fmt::format("samples.csv: row '{}' of suite '{}' is not in plan.json", sample.row, sample.suite));
  }

  SuiteResult result(std::size_t suite_index) const {
    SuiteResult result;
    for (std::size_t row = 0; row < slots_.size(); ++row) {
      result.rows.push_back(row_result(slots_[row]));
      result.rows.back().suite = suite_index;
      result.rows.back().row = row;
      result.runs_made += slots_[row].first.by_round.size() + slots_[row].again.by_round.size();
    }
    for (std::size_t index = 0; index < suite_.groups.size(); ++index) {
      const Group& group = suite_.groups[index];
      GroupResult compared;
      if (group.baseline != SIZE_MAX)
        compared = group_result(group, result.rows[group.baseline], slots_[group.baseline].again);
      compared.suite = suite_index;
      compared.group = index;
      for (const std::size_t row : group.rows) compare(result, row, compared.noise_floor);
      result.groups.push_back(std::move(compared));
    }
    for (const auto& [limit, slot] : limits_) result.limits[limit] = measured_limit(slot);
    return result;
  }

 private:
  void compare(SuiteResult& result, std::size_t row, double noise_floor) const {
    RowResult& own = result.rows[row];
    own.against_baseline = ratio_to_baseline(suite_, result, row, "wall");
    own.below_noise_floor = own.against_baseline && own.against_baseline->ratio > 0 && noise_floor > 1 &&
                            std::fabs(std::log(own.against_baseline->ratio)) <= std::log(noise_floor);
  }

  const PlannedSuite& suite_;
  std::map<std::string, std::size_t> rows_, again_;
  std::vector<Slots> slots_;
  std::set<std::tuple<std::string, std::uint64_t, std::uint64_t>> seen_;  // row, round, attempt
  std::map<Limit, Slot> limits_;
};

}  // namespace

std::optional<double> noise_floor(const PlannedSuite& suite, const SuiteResult& result, std::size_t group,
                                  const std::string& metric_name) {
  const Group& planned = suite.groups[group];
  if (planned.baseline == SIZE_MAX) return std::nullopt;
  const RowResult& baseline = result.rows[planned.baseline];
  return floor_of(paired(baseline.again, baseline.ok, metric_name, family_level(planned.comparisons())));
}

std::vector<SuiteResult> summarize_results(const Plan& plan, const std::vector<Sample>& samples, const RowChecks& checks,
                                           const std::set<std::string>& moves_nothing) {
  std::vector<SuiteSorter> sorters;
  std::map<std::string, std::size_t> by_name;
  for (const PlannedSuite& suite : plan.suites) {
    by_name[suite.experiment.name] = sorters.size();
    sorters.emplace_back(suite);
  }
  for (const Sample& sample : samples) {
    const auto suite = by_name.find(sample.suite);
    if (suite == by_name.end()) throw Error(fmt::format("samples.csv: suite '{}' is not in plan.json", sample.suite));
    sorters[suite->second].add(sample);
  }
  std::vector<SuiteResult> results;
  for (std::size_t index = 0; index < sorters.size(); ++index) {
    results.push_back(sorters[index].result(index));
    for (std::size_t row = 0; row < results.back().rows.size(); ++row) {
      const Row& planned = plan.suites[index].rows[row].row;
      std::string& not_a_copy = results.back().rows[row].not_a_copy;
      if (index < checks.size() && row < checks[index].size()) not_a_copy = checks[index][row].not_a_copy;
      if (not_a_copy.empty() && planned.output == Output::null && moves_nothing.contains(planned.tool))
        not_a_copy = "moves no data into the null device";
    }
    results.back().runs_planned = static_cast<std::size_t>(
        std::count_if(plan.runs.begin(), plan.runs.end(), [&](const Run& run) { return run.suite == index; }));
  }
  return results;
}

}  // namespace iobench
