// SPDX-License-Identifier: MIT
// The calibration against machines of which is known what they can tell apart: made-up samples.
#include "calibrate.h"

#include <cmath>
#include <cstdint>
#include <functional>

#include "catch.h"
#include "resume.h"

using namespace iobench;

namespace {

// Uniform in (0, 1), reproducible: splitmix64.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}
  double uniform() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
  }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * M_PI * uniform()); }

 private:
  std::uint64_t state_;
};

std::vector<Sample> measured(const Plan& plan, const std::function<double(const PlannedRow&, const Run&)>& wall_s) {
  std::vector<Sample> samples;
  for (const Run& run : plan.runs) {
    Sample sample;
    sample.suite = "calibration";
    sample.row = sample_row(plan, run);
    sample.round = run.round;
    sample.wall_s = wall_s(plan.suites[0].rows[run.row], run);
    samples.push_back(sample);
  }
  return samples;
}

double effect_of(const PlannedRow& row) { return std::stod(row.row.value("effect")); }

Plan plan_of(std::size_t rounds) {
  CalibrationOptions options;
  options.rounds = rounds;
  options.seed = 1;
  return plan_calibration(options);
}

}  // namespace

TEST_CASE("the plan: three sinks, the same command on one file, so much longer") {
  const Plan plan = plan_of(14);
  REQUIRE(plan.suites.size() == 1);
  CHECK(plan.free_commands);
  CHECK(plan.suites[0].groups.size() == 3);
  CHECK(plan.runs.size() == 14 * 3 * (calibration_effects().size() + 2));
  for (const PlannedRow& row : plan.suites[0].rows) {
    CHECK(row.argv.at(3) == "-n");
    CHECK(row.argv.at(4) == std::to_string(row.size_bytes));
    CHECK(row.size_bytes == static_cast<std::uint64_t>(std::llround((1 + effect_of(row)) * (64u << 20))));
  }
  CHECK(calibration_file_bytes({}) == 96u << 20);
}

TEST_CASE("without noise every effect is found, and equals are equal") {
  const Plan plan = plan_of(62);
  const Calibration found = calibrate(plan, measured(plan, [](const PlannedRow& row, const Run& run) {
    return (1 + effect_of(row)) * (1 + 1e-6 * static_cast<double>(run.round % 5));
  }));
  REQUIRE(found.groups.size() == 3);
  CHECK(found.equals.tries == 3 * 8);
  CHECK(found.equals.hits == 0);
  for (const CalibratedGroup& group : found.groups) {
    REQUIRE(group.by_rounds.size() == 5);
    for (const Power& power : group.by_rounds) {
      CHECK(power.smallest == 0);
      CHECK(power.equals.tries == 62 / power.rounds);
      CHECK(power.effects[0].hits == power.effects[0].tries);
      CHECK(power.held_out.tries == power.equals.tries / 2);
    }
  }
}

TEST_CASE("with 2 % of noise: more rounds find less, the promise holds in the other tries, equals stay within 5 %") {
#ifdef __SANITIZE_ADDRESS__
  const Plan plan = plan_of(700);  // each try takes ten times as long
#else
  const Plan plan = plan_of(1400);
#endif
  Noise noise(7);
  const Calibration found = calibrate(
      plan, measured(plan, [&](const PlannedRow& row, const Run&) { return (1 + effect_of(row)) * std::exp(0.02 * noise.normal()); }));
  CHECK(found.equals.tries == 3 * (plan.options.rounds / 7));
  CHECK(found.equals.interval().low <= 0.05);
  for (const CalibratedGroup& group : found.groups) {
    INFO(group.name);
    REQUIRE(group.by_rounds.size() == 5);
    CHECK(calibration_effects()[group.by_rounds[0].smallest] <= 0.10);
    CHECK(group.by_rounds[0].smallest > 0);
    CHECK(group.by_rounds[4].smallest < group.by_rounds[0].smallest);
    for (const Power& power : group.by_rounds)  // of fifteen intervals at 95 % one may well miss
      CHECK(proportion_interval(power.held_out.hits, power.held_out.tries, 0.999).high >= 0.9);
  }
}

TEST_CASE("a machine that favours whoever comes second is found out") {
  const Plan plan = plan_of(490);
  Noise noise(3);
  const Calibration found = calibrate(plan, measured(plan, [&](const PlannedRow& row, const Run& run) {
    return (1 + effect_of(row)) * (run.again ? 1.05 : 1) * std::exp(0.01 * noise.normal());
  }));
  CHECK(found.equals.interval().low > 0.05);
  const std::vector<Table> tables = calibration_tables(found);
  REQUIRE(tables.size() == 3);
  CHECK(to_text(tables[0]).find("the promise is broken") != std::string::npos);
}

TEST_CASE("rounds that are not whole are left out, and too few say so") {
  const Plan plan = plan_of(21);
  std::vector<Sample> samples = measured(plan, [](const PlannedRow&, const Run&) { return 1.0; });
  for (Sample& sample : samples)
    if (sample.row.find("null") == 0 && sample.round > 13) sample.status = "failed";
  const Calibration found = calibrate(plan, samples);
  CHECK(found.groups[0].by_rounds.empty());
  CHECK(found.groups[1].by_rounds.size() == 1);
  CHECK(calibrate(plan, {}).equals.tries == 0);
  for (const Table& table : calibration_tables(calibrate(plan, {}))) CHECK(to_text(table).find("nan") == std::string::npos);
  CHECK(to_text(calibration_tables(calibrate(plan, {}))[0]).find("too few whole rounds") != std::string::npos);
}
