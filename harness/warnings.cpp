// SPDX-License-Identifier: MIT
// A group's drift is looked for in the middle of its rows, round by round, since what moves one row alone is scatter to
// the others. A row in two modes is not also called one of too few rounds: more of them would not make it one mode.
#include "warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "patterns.h"
#include "units.h"
#include "words.h"

namespace iobench {

namespace {

constexpr std::size_t most_named = 3;

// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), most_named);
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), "; "));
  return names.size() > shown ? text + fmt::format("; and {} more", names.size() - shown) : text;
}

std::string signed_percent(double change) {
  return (change > 0 ? "+" : "") + format_percent(change);
}

std::string whole_percent(double fraction) {
  return format_fixed(100 * fraction, 0);
}

// Rounds of all suites that show something, told in one warning.
class RoundWarnings {
 public:
  explicit RoundWarnings(const std::vector<Surroundings>& rounds) : rounds_(rounds) {}

  void add_to(std::vector<Warning>& warnings) const {
    const auto warn = [&](std::optional<double> (*share)(const Surroundings&), double limit, const char* what,
                          const char* next) {
      std::size_t known = 0, above = 0;
      double largest = 0;
      const Surroundings* worst = nullptr;
      for (const Surroundings& round : rounds_) {
        const std::optional<double> value = share(round);
        if (!value) continue;
        ++known;
        above += *value > limit;
        if (*value <= largest) continue;
        largest = *value;
        worst = &round;
      }
      if (above == 0) return;
      warnings.push_back({fmt::format("{} in {} of {} rounds; most in round {} of {}: {} of all processors' time", what,
                                      above, known, worst->round, worst->suite, format_percent(largest)),
                          next});
    };
    throttling(warnings);
    warn(others, others_share, "Other programs were running",
         "stop them, or run again when the machine is left alone; `top` names them");
    warn(stolen, stolen_share, "The virtual machine's host kept processor time for others",
         "run again at another hour, or on a machine that is not shared");
    clock(warnings);
  }

 private:
  static std::optional<double> share_of(const Surroundings& round, const std::optional<double>& cpu_s) {
    const double all = round.seconds * static_cast<double>(round.processors);
    return cpu_s && all > 0 ? std::optional(std::max(*cpu_s, 0.0) / all) : std::nullopt;
  }
  static std::optional<double> others(const Surroundings& round) {
    return share_of(round, round.busy_s ? std::optional(*round.busy_s - round.own_s) : std::nullopt);
  }
  static std::optional<double> stolen(const Surroundings& round) { return share_of(round, round.steal_s); }

  void throttling(std::vector<Warning>& warnings) const {
    std::uint64_t events = 0;
    std::size_t hot = 0;
    for (const Surroundings& round : rounds_) {
      events += round.throttle_events.value_or(0);
      hot += round.throttle_events.value_or(0) > 0;
    }
    if (hot > 0)
      warnings.push_back({fmt::format("The processors were throttled for heat {} times, in {} of {} rounds",
                                      format_count(events), hot, rounds_.size()),
                          "cool the machine, or lower its top frequency so that it can keep it, and run again"});
  }

  void clock(std::vector<Warning>& warnings) const {
    double slowest = 0, fastest = 0;
    for (const Surroundings& round : rounds_) {
      if (!round.mhz || !(*round.mhz > 0)) continue;
      slowest = slowest > 0 ? std::min(slowest, *round.mhz) : *round.mhz;
      fastest = std::max(fastest, *round.mhz);
    }
    if (fastest > 0 && slowest < fastest * (1 - clock_change))
      warnings.push_back({fmt::format("The processors' clock was between {} and {} MHz, as seen at the ends of rounds",
                                      format_fixed(slowest, 0), format_fixed(fastest, 0)),
                          "set the governor `performance`, or a fixed frequency, and run again"});
  }

  const std::vector<Surroundings>& rounds_;
};

// One suite's warnings.
class SuiteWarnings {
 public:
  SuiteWarnings(const PlannedSuite& suite, const SuiteResult& result, std::size_t all_groups)
      : suite_(suite), result_(result), all_groups_(all_groups) {}

  // Groups whose rows became slower or faster from round to round.
  void drifts(std::vector<Warning>& warnings) const {
    std::vector<std::string> moved;
    std::size_t tested = 0;
    for (std::size_t group = 0; group < suite_.groups.size(); ++group) {
      const std::vector<double> logs = middle_by_round(suite_.groups[group]);
      if (logs.size() < 2) continue;
      ++tested;
      const Trend found = trend(logs);
      const double change = std::exp(found.change) - 1;
      if (found.p > family_error / static_cast<double>(std::max<std::size_t>(all_groups_, 1))) continue;
      if (std::fabs(found.change) > std::log(1 + drift))
        moved.push_back(fmt::format("{}: {}", group_words(suite_, group), signed_percent(change)));
    }
    if (!moved.empty())
      warnings.push_back(
          {fmt::format("{}: times drifted from the first round to the last in {} of {} groups ({})", name(),
                       moved.size(), tested, some_of(moved)),
           "trust the ratios, which are paired by round, rather than the medians; let the machine settle (heat, free "
           "memory, other programs) and run again"});
  }

  // Rows that are now fast, now slow, and by what likely causes it.
  void modes(std::vector<Warning>& warnings) const {
    std::map<std::string, std::vector<std::string>> by_next;
    std::vector<std::string> order;
    for (std::size_t row = 0; row < suite_.rows.size(); ++row) {
      const std::optional<TwoModes> found = two_modes(walls(row));
      if (!found) continue;
      const std::string next = next_for_modes(suite_.rows[row].row);
      if (!by_next.contains(next)) order.push_back(next);
      by_next[next].push_back(fmt::format("{}: {} runs near {}, {} near {}", suite_.rows[row].row.name,
                                          found->low_count, format_seconds(found->low), found->high_count,
                                          format_seconds(found->high)));
    }
    for (const std::string& next : order)
      warnings.push_back(
          {fmt::format("{}: two speeds in {} of {} rows ({}); the median of such a row is one of them by "
                       "chance",
                       name(), by_next[next].size(), suite_.rows.size(), some_of(by_next[next])),
           next});
  }

  void few_rounds(std::vector<Warning>& warnings) const {
    std::vector<std::string> few, wide;
    std::vector<std::pair<double, std::size_t>> widths;
    std::size_t fewest = SIZE_MAX, most = 0, measured = 0;
    for (std::size_t row = 0; row < suite_.rows.size(); ++row) {
      const Summary summary = result_.rows[row].summary("wall");
      if (summary.n == 0) continue;
      ++measured;
      most = std::max(most, summary.n);
      if (summary.interval.level < 1 - family_error) {
        few.push_back(suite_.rows[row].row.name);
        fewest = std::min(fewest, summary.n);
      } else if (summary.median > 0 && !two_modes(walls(row))) {
        const double half =
            std::max(summary.interval.high / summary.median - 1, 1 - summary.interval.low / summary.median);
        if (half > wide_interval) widths.emplace_back(half, row);
      }
    }
    std::stable_sort(widths.begin(), widths.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [half, row] : widths) {
      const Summary summary = result_.rows[row].summary("wall");
      wide.push_back(fmt::format("{} {}, {}", suite_.rows[row].row.name, format_seconds(summary.median),
                                 range_words(summary.interval, format_seconds)));
    }
    if (!few.empty())
      warnings.push_back(
          {fmt::format("{}: too few valid rounds for an interval of 95 % in {} of {} rows, as few as {} ({})", name(),
                       few.size(), measured, fewest, some_of(few)),
           "rows that failed say why in their table", std::max(rounds_by_rule(), suite_.rounds())});
    if (!wide.empty())
      warnings.push_back(
          {fmt::format("{}: the medians of {} of {} rows are known to no better than ±{} % ({})", name(), wide.size(),
                       measured, whole_percent(wide_interval), some_of(wide)),
           "first what makes them scatter, which `iobench doctor` may name", 2 * most});
  }

  void noise_floors(std::vector<Warning>& warnings) const {
    std::vector<std::string> noisy;
    std::size_t compared = 0;
    for (std::size_t group = 0; group < suite_.groups.size(); ++group) {
      if (suite_.groups[group].baseline == SIZE_MAX) continue;
      ++compared;
      const double floor = result_.groups[group].noise_floor;
      if (floor > high_floor) noisy.push_back(fmt::format("{}: {}", group_words(suite_, group), floor_words(floor)));
    }
    if (!noisy.empty())
      warnings.push_back(
          {fmt::format("{}: in {} of {} groups the noise floor, the baseline against itself, is above {} %, "
                       "and no smaller difference is called one ({})",
                       name(), noisy.size(), compared, whole_percent(high_floor - 1), some_of(noisy)),
           "a quieter machine", 2 * suite_.rounds()});
  }

 private:
  const std::string& name() const { return suite_.experiment.name; }

  std::size_t rounds_by_rule() const {
    std::size_t most = 0;
    for (const Group& group : suite_.groups) most = std::max(most, iobench::rounds_by_rule(suite_, group));
    return most;
  }

  std::vector<double> walls(std::size_t row) const {
    std::vector<double> found;
    for (const Sample& sample : result_.rows[row].ok)
      if (const std::optional<double> wall = metric(sample, "wall"); wall && *wall > 0) found.push_back(*wall);
    return found;
  }

  // For each round the middle of the rows' log(wall / the row's median).
  std::vector<double> middle_by_round(const Group& group) const {
    std::map<std::uint64_t, std::vector<double>> by_round;
    for (const std::size_t row : group.rows) {
      const std::optional<double> centre = median_wall(result_.rows[row]);
      if (!centre) continue;
      for (const Sample& sample : result_.rows[row].ok)
        if (const std::optional<double> wall = metric(sample, "wall"); wall && *wall > 0)
          by_round[sample.round].push_back(std::log(*wall / *centre));
    }
    std::vector<double> middles;
    for (const auto& [round, logs] : by_round) middles.push_back(median(logs));
    return middles;
  }

  static std::string next_for_modes(const Row& row) {
    if (row.input == Input::pipe || row.output == Output::pipe)
      return "likely the pipe's two ends ran now on one processor, now on two: pin them with `--cpus 0` or `--cpus "
             "0,1`";
    if (row.output == Output::file || row.output == Output::tmpfs)
      return "likely memory that a virtual machine's host had taken back, or write-back of earlier output: `iobench "
             "doctor` says whether the machine does so; rows that write over a file in place (`over`) avoid it";
    if (row.cache == Cache::cold)
      return "likely the device, or its host's cache, which now has the file and now has not: take a larger corpus "
             "(`--corpus auto`)";
    return "likely the processor's clock, another program or where the file lies in memory: pin with `--cpus`, and see "
           "started_unix_s in samples.csv for when the slow runs were";
  }

  const PlannedSuite& suite_;
  const SuiteResult& result_;
  std::size_t all_groups_;
};

}  // namespace

std::vector<Warning> find_warnings(const Plan& plan, const std::vector<SuiteResult>& results,
                                   const std::vector<Surroundings>& surroundings) {
  std::vector<Warning> all;
  RoundWarnings(surroundings).add_to(all);
  std::size_t groups = 0;
  for (const PlannedSuite& suite : plan.suites) groups += suite.groups.size();
  for (void (SuiteWarnings::*look)(std::vector<Warning>&) const :
       {&SuiteWarnings::drifts, &SuiteWarnings::modes, &SuiteWarnings::few_rounds, &SuiteWarnings::noise_floors})
    for (std::size_t suite = 0; suite < plan.suites.size() && suite < results.size(); ++suite)
      (SuiteWarnings(plan.suites[suite], results[suite], groups).*look)(all);
  std::size_t rounds = 0;
  for (const Warning& warning : all) rounds = std::max(rounds, warning.rounds);
  for (Warning& warning : all)
    if (warning.rounds > 0) warning.rounds = rounds;
  if (all.size() > most_warnings) {
    const std::size_t left = all.size() - (most_warnings - 1);
    all.resize(most_warnings - 1);
    all.push_back({fmt::format("{} more warnings of the same kinds", left), "see to these first"});
  }
  return all;
}

std::string to_sentence(const Warning& warning) {
  const std::string more = warning.rounds > 0 ? fmt::format("more rounds: `--rounds {}`; ", warning.rounds) : "";
  return fmt::format("{}. Next: {}{}.", warning.text, more, warning.next);
}

}  // namespace iobench
