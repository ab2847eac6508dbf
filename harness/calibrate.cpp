// SPDX-License-Identifier: MIT
// The samples are cut into tries that share no round, so that a rate's interval is that of independent tries as far as
// the machine lets them be.
#include "calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "summary.h"
#include "units.h"
#include "words.h"

namespace iobench {

namespace {

constexpr double wanted_power = 0.9;
constexpr const char* command = "readwrite";
constexpr const char* block = "64K";

std::uint64_t longer(std::uint64_t bytes, double effect) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) * (1 + effect)));
}

Row row_of(Output output, std::uint64_t bytes, double effect) {
  Row row;
  row.name = fmt::format("{}-{}", to_string(output), format_fixed(effect * 100, 0));
  row.label = effect > 0 ? fmt::format("{} more", format_percent(effect)) : "as it is";
  row.tool = row.program = command;
  row.arguments = {"-b", block, "-n", std::to_string(longer(bytes, effect))};
  row.input = Input::corpus;
  row.output = output;
  row.cache = Cache::warm;
  row.size_bytes = longer(bytes, effect);
  row.values = {{"effect", format_exact(effect)}};
  return row;
}

}  // namespace

const std::vector<double>& calibration_effects() {
  static const std::vector<double> all = {0.01, 0.02, 0.03, 0.05, 0.10, 0.20, 0.50};
  return all;
}

const std::vector<std::size_t>& calibration_rounds() {
  static const std::vector<std::size_t> all = {7, 11, 15, 21, 31};
  return all;
}

std::uint64_t calibration_file_bytes(const CalibrationOptions& options) {
  return longer(options.size_bytes, calibration_effects().back());
}

Plan plan_calibration(const CalibrationOptions& options) {
  Experiment experiment;
  experiment.name = "calibration";
  experiment.title = "What this machine can tell apart";
  experiment.question = "How often are equal commands called different, and which difference is found?";
  experiment.group = {"output"};
  experiment.baseline = {{"effect", "0"}};
  for (const Output output : {Output::null, Output::pipe, Output::file}) {
    experiment.rows.push_back(row_of(output, options.size_bytes, 0));
    for (const double effect : calibration_effects()) experiment.rows.push_back(row_of(output, options.size_bytes, effect));
  }
  PlanOptions plan_options;
  plan_options.corpus_bytes = options.size_bytes;
  plan_options.apply_shares = false;
  plan_options.seed = options.seed;
  plan_options.rounds = options.rounds;
  plan_options.cpus = options.cpus;
  Plan plan = make_plan({std::move(experiment)}, plan_options);
  plan.suites[0].limits.clear();  // nothing is held against them
  plan.free_commands = true;  // parts of one file are read: what comes out is no copy of it
  return plan;
}

namespace {

// The wall times of one round of one group.
struct Round {
  double base = 0, again = 0;
  std::vector<double> longer;  // in order of the effects
};

std::vector<Round> whole_rounds(const PlannedSuite& suite, const SuiteResult& result, const Group& group) {
  using ByRound = std::map<std::uint64_t, double>;
  const auto walls = [](const std::vector<Sample>& samples) {
    ByRound found;
    for (const Sample& sample : samples)
      if (const auto wall = metric(sample, "wall"); wall && *wall > 0) found[sample.round] = *wall;
    return found;
  };
  const RowResult& baseline = result.rows[group.baseline];
  const ByRound base = walls(baseline.ok), again = walls(baseline.again);
  std::vector<std::pair<double, ByRound>> effects;
  for (const std::size_t row : group.rows)
    if (row != group.baseline)
      effects.emplace_back(parse_number(suite.rows[row].row.value("effect")), walls(result.rows[row].ok));
  std::sort(effects.begin(), effects.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Round> rounds;
  for (const auto& [number, wall] : base) {
    Round round{wall, 0, {}};
    const auto second = again.find(number);
    bool whole = second != again.end();
    if (whole) round.again = second->second;
    for (const auto& [effect, of_round] : effects) {
      const auto found = of_round.find(number);
      whole = whole && found != of_round.end();
      if (whole) round.longer.push_back(found->second);
    }
    if (whole) rounds.push_back(std::move(round));
  }
  return rounds;
}

// What a table would say of one try.
struct Try {
  bool equals_differ = false;
  std::vector<bool> found;
};

Try judge(const std::vector<Round>& rounds, std::size_t from, std::size_t count) {
  const double level = family_level(1);
  std::vector<double> base, again;
  for (std::size_t i = from; i < from + count; ++i) {
    base.push_back(rounds[i].base);
    again.push_back(rounds[i].again);
  }
  const auto tells = [&](const PairedRatio& ratio) { return ratio.interval.reaches(level); };
  Try judged;
  const PairedRatio equals = paired_ratio(again, base, level);
  judged.equals_differ = tells(equals) && (equals.interval.low > 1 || equals.interval.high < 1);
  const double floor = equals.interval.exists() ? std::max(equals.interval.high, 1 / equals.interval.low) : 1;
  for (std::size_t effect = 0; effect < rounds[from].longer.size(); ++effect) {
    std::vector<double> longer;
    for (std::size_t i = from; i < from + count; ++i) longer.push_back(rounds[i].longer[effect]);
    const PairedRatio ratio = paired_ratio(longer, base, level);
    judged.found.push_back(tells(ratio) && ratio.interval.low > 1 && ratio.ratio > floor);
  }
  return judged;
}

std::vector<double> longer_by(const std::vector<Round>& rounds) {
  std::vector<double> by;
  for (std::size_t effect = 0; !rounds.empty() && effect < rounds[0].longer.size(); ++effect) {
    std::vector<double> ratios;
    for (const Round& round : rounds) ratios.push_back(round.longer[effect] / round.base);
    by.push_back(median(ratios) - 1);
  }
  return by;
}

Power power_of(const std::vector<Round>& rounds, std::size_t count) {
  const std::size_t effects = calibration_effects().size();
  Power power{count, {}, std::vector<Rate>(effects), SIZE_MAX, {}};
  std::vector<Rate> choosing(effects), held_out(effects);
  for (std::size_t number = 0; (number + 1) * count <= rounds.size(); ++number) {
    const Try judged = judge(rounds, number * count, count);
    ++power.equals.tries;
    power.equals.hits += judged.equals_differ;
    for (std::size_t effect = 0; effect < effects; ++effect)
      for (Rate* rate : {&power.effects[effect], number % 2 == 0 ? &choosing[effect] : &held_out[effect]}) {
        ++rate->tries;
        rate->hits += judged.found[effect];
      }
  }
  for (std::size_t effect = effects; effect-- > 0 && choosing[effect].tries && choosing[effect].value() >= wanted_power;)
    power.smallest = effect;
  if (power.smallest != SIZE_MAX) power.held_out = held_out[power.smallest];
  return power;
}

}  // namespace

Calibration calibrate(const Plan& plan, const std::vector<Sample>& samples) {
  const PlannedSuite& suite = plan.suites.at(0);
  const SuiteResult result = summarize_results(plan, samples).at(0);
  Calibration calibration;
  for (const Group& group : suite.groups) {
    std::vector<const PlannedRow*> planned;
    for (const std::size_t row : group.rows) planned.push_back(&suite.rows[row]);
    CalibratedGroup calibrated{sink_words(planned.front()->row.output), {}, {}};
    const std::vector<Round> rounds = whole_rounds(suite, result, group);
    calibrated.longer_by = longer_by(rounds);
    for (const std::size_t count : calibration_rounds())
      if (rounds.size() >= 2 * count) calibrated.by_rounds.push_back(power_of(rounds, count));
    if (!calibrated.by_rounds.empty()) {
      calibration.equals.hits += calibrated.by_rounds[0].equals.hits;
      calibration.equals.tries += calibrated.by_rounds[0].equals.tries;
    }
    calibration.groups.push_back(std::move(calibrated));
  }
  return calibration;
}

namespace {

std::string rate_words(const Rate& rate) {
  if (rate.tries == 0) return "–";
  const Interval interval = rate.interval();
  return fmt::format("{} of {}: {} [{}, {}]", rate.hits, rate.tries, format_percent(rate.value()),
                     format_percent(interval.low), format_percent(interval.high));
}

Cell cell(const std::string& text) { return {text, {text == "–" ? "" : text}}; }

Cell rate_cell(const Rate& rate) {
  if (rate.tries == 0) return cell("–");
  const Interval interval = rate.interval();
  return {rate_words(rate),
          {std::to_string(rate.hits), std::to_string(rate.tries), format_exact(interval.low), format_exact(interval.high)}};
}

Table equals_table(const Calibration& calibration) {
  Table table{"Equal commands called different", {{"sink", {"sink"}, false}, {"rounds", {"rounds"}, true},
                                                   {"called different", {"hits", "tries", "rate_low", "rate_high"}, true}}, {}, {}};
  for (const CalibratedGroup& group : calibration.groups)
    for (const Power& power : group.by_rounds)
      table.rows.push_back({cell(group.name), cell(std::to_string(power.rounds)), rate_cell(power.equals)});
  if (!calibration.groups.empty() && !calibration.groups[0].by_rounds.empty())
    table.rows.push_back({cell("all"), cell(std::to_string(calibration.groups[0].by_rounds[0].rounds)), rate_cell(calibration.equals)});
  table.notes.push_back("each rate with its exact interval at 95 % (Clopper and Pearson); promised are 5 % at most");
  if (calibration.equals.tries) {
    const Interval all = calibration.equals.interval();
    constexpr std::size_t telling = 200;  // from there on the interval of a rate of 2 % ends below 5 %
    table.notes.push_back(all.low <= family_error && calibration.equals.tries < telling
                              ? fmt::format("{} tries show little: 200 and more do, as with the default number of rounds",
                                            calibration.equals.tries)
                          : all.low <= family_error ? "the promise is kept: 5 % lie inside the interval of all or above it"
                                                  : "the promise is broken: the interval of all lies above 5 %; more differences "
                                                    "than promised are noise on this machine, see iobench doctor");
  } else {
    table.notes.push_back("too few whole rounds to say anything");
  }
  return table;
}

Cell longer_cell(const CalibratedGroup& group, std::size_t effect) {
  if (effect >= group.longer_by.size()) return cell("–");
  return {format_percent(group.longer_by[effect]), {format_exact(group.longer_by[effect])}};
}

Table smallest_table(const Calibration& calibration) {
  Table table{"The smallest effect found in 90 % of tries",
              {{"sink", {"sink"}, false}, {"rounds", {"rounds"}, true}, {"more to move", {"effect"}, true},
               {"takes longer by", {"longer_by"}, true}, {"found in the held-out tries", {"hits", "tries", "rate_low", "rate_high"}, true}}, {}, {}};
  for (const CalibratedGroup& group : calibration.groups)
    for (const Power& power : group.by_rounds) {
      const bool any = power.smallest != SIZE_MAX;
      const double effect = any ? calibration_effects()[power.smallest] : 0;
      table.rows.push_back({cell(group.name), cell(std::to_string(power.rounds)),
                            {any ? format_percent(effect) : "over 50 %", {any ? format_exact(effect) : ""}},
                            longer_cell(group, any ? power.smallest : SIZE_MAX),
                            any ? rate_cell(power.held_out) : cell("–")});
    }
  table.notes.push_back(
      "the same command moves so much more of the same file, and takes so much longer by the median of all rounds; chosen on every second try, counted on the others, which are held out; "
      "exact intervals at 95 %");
  table.notes.push_back("found: the paired interval lies above 1, and the ratio beyond the noise floor of the same rounds");
  return table;
}

Table needed_table(const Calibration& calibration) {
  Table table{"Rounds that a wanted effect needs", {{"more to move", {"effect"}, true}}, {}, {}};
  for (const CalibratedGroup& group : calibration.groups) {
    table.columns.push_back({group.name + ": takes longer by", {group.name + "_longer_by"}, true});
    table.columns.push_back({"rounds", {group.name + "_rounds"}, true});
  }
  for (std::size_t effect = 0; effect < calibration_effects().size(); ++effect) {
    std::vector<Cell> cells = {{format_percent(calibration_effects()[effect]), {format_exact(calibration_effects()[effect])}}};
    for (const CalibratedGroup& group : calibration.groups) {
      std::string needed = group.by_rounds.empty() ? "–" : fmt::format("over {}", group.by_rounds.back().rounds);
      for (const Power& power : group.by_rounds)
        if (power.smallest != SIZE_MAX && power.smallest <= effect) {
          needed = std::to_string(power.rounds);
          break;
        }
      cells.push_back(longer_cell(group, effect));
      cells.push_back(cell(needed));
    }
    table.rows.push_back(std::move(cells));
  }
  table.notes.push_back("for one comparison; a group of m comparisons needs at least max(7, 1 + log2(m / 0.05)) rounds besides");
  return table;
}

}  // namespace

std::vector<Table> calibration_tables(const Calibration& calibration) {
  return {equals_table(calibration), smallest_table(calibration), needed_table(calibration)};
}

}  // namespace iobench
